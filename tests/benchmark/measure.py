"""How long a reader waits: our page beside the least that a page with Python can be, in one run.

`make bench` prints the table and writes tests/benchmark/results.md. Takes some minutes; is no test, since what it
says depends on what else the machine does. The other page is the npm package pyodide, unchanged, in a worker.
"""

import argparse
import json
import math
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "browser"), str(ROOT / "build")]

from browser_cpu import browser_cpu_seconds, wait_until_quiet  # noqa: E402
from pages_server import PagesServer, Sent  # noqa: E402
from playwright.sync_api import Browser, Page, Playwright, sync_playwright  # noqa: E402

from browsers import find_browsers, launch_chromium, launch_firefox  # noqa: E402
from paths import DIST, PYODIDE, RUNTIME  # noqa: E402
from sites import build_for  # noqa: E402

LAUNCH: dict[str, Callable[[Playwright], Browser]] = {"chromium": launch_chromium, "firefox": launch_firefox}
RESULTS = HERE / "results.md"
OURS, STOCK = "/repo/", "/stock/"
VIEWPORT = {"width": 1440, "height": 900}

# A prompt of 4,000 tokens is not what the page was built for: this value can only come from Python in the browser.
TILE = "document.querySelector('.lc-tile__value')?.textContent.startsWith('115.3')"
LIVE = "document.documentElement?.dataset.live === '1'"
PAGES = {"ours": (f"{OURS}steps/01-two-phases.html?prompt=4000", TILE), "stock": (f"{STOCK}index.html", LIVE)}

# Resolves with the second of the page's life in which a condition came true, without asking again and again.
WHEN = """(() => new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error("not within a minute")), 60_000);
  const look = () => {
    if (!(%s)) return;
    observer.disconnect();
    resolve(performance.now() / 1000);
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  look();
}))()"""


@dataclass
class Measured:
    """All that one browser was measured at: lists of seconds by name, and numbers of bytes by name."""

    browser: str
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, *seconds: float) -> None:
        self.seconds.setdefault(name, []).extend(seconds)

    def median(self, name: str) -> float:
        return statistics.median(self.seconds[name])

    def ratio(self, what: str) -> float:
        """Ours over stock, the median over the pairs: what else the machine does hits both of a pair."""
        pairs = zip(self.seconds[f"{what}, ours"], self.seconds[f"{what}, stock"], strict=True)
        return statistics.median(ours / stock for ours, stock in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5, help="cold starts of each page, ours and stock in turn")
    parser.add_argument("--drags", type=int, default=3, help="drags of ten seconds")
    parser.add_argument("--browser", choices=LAUNCH, action="append", help="only this one")
    parser.add_argument("--dry", action="store_true", help="print the results and keep results.md as it is")
    options = parser.parse_args()
    if not Path("/proc/self/stat").exists():
        sys.exit("The benchmark reads CPU seconds from /proc, which only Linux has.")
    find_browsers()
    load = os.getloadavg()[0]
    server = serve_both()
    results: list[Measured] = []
    versions: list[str] = []
    sizes: list[Sent] = []
    with sync_playwright() as playwright:
        for name in options.browser or LAUNCH:
            measured = Measured(name)
            launch = LAUNCH[name]
            for pair in range(options.pairs):
                say(f"{name}: start {pair + 1} of {options.pairs}")
                for page in ("ours", "stock") if pair % 2 == 0 else ("stock", "ours"):
                    sent = starts(launch, playwright, server, page, measured)
                    sizes = sizes or (sent if page == "ours" else [])
            with opened(launch, playwright) as (browser, page):
                versions.append(f"{name.capitalize()} {browser.version}")
                say(f"{name}: from page to page")
                next_pages(page, server, measured)
                for n in range(options.drags):
                    say(f"{name}: drag {n + 1} of {options.drags}")
                    request = drag(page, server, measured)
            with opened(launch, playwright) as (_, page):
                say(f"{name}: Python from inside")
                from_inside(page, server, request, measured)
            results.append(measured)
    server.shutdown()
    text = report(results, sizes, versions, load, options.pairs)
    print(f"\n{text}")
    if not options.dry:
        RESULTS.write_text(text)
        say(f"written to {RESULTS.relative_to(ROOT)}")


def say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def serve_both() -> PagesServer:
    """Our site, built for the address it is served at, and beside it the stock page."""
    server = PagesServer()
    folder = DIST / "benchmark"
    say("building the site …")
    build_for(server.url + OURS, folder)
    server.mount(folder, OURS)
    server.mount(HERE / "stock", STOCK)
    server.mount(PYODIDE, f"{STOCK}pyodide/")
    server.mount(HERE / "timing", "/timing/")
    return server


@contextmanager
def opened(launch: Callable[[Playwright], Browser], playwright: Playwright) -> Iterator[tuple[Browser, Page]]:
    """A new browser that has come to rest, with an empty page."""
    browser = launch(playwright)
    page = browser.new_context(viewport=VIEWPORT).new_page()
    wait_until_quiet()
    yield browser, page
    browser.close()


def starts(
    launch: Callable[[Playwright], Browser], playwright: Playwright, server: PagesServer, name: str, measured: Measured
) -> list[Sent]:
    """Cold start, then a second visit with what the browser has kept; returns the files of the cold one."""
    sent: list[Sent] = []
    with opened(launch, playwright) as (_, page):
        for visit in ("cold start", "second visit"):
            server.asked.clear()
            path, condition = PAGES[name]
            page.add_init_script(f"window.firstValue = {WHEN % condition}")
            before = browser_cpu_seconds()
            page.goto(server.url + path, wait_until="commit")
            measured.add(f"{visit}, {name}", page.evaluate("window.firstValue"))
            measured.add(f"{visit} CPU, {name}", browser_cpu_seconds() - before)
            sent = sent or list(server.asked)
            context = page.context
            page.close()
            page = context.new_page()
            wait_until_quiet()
    return sent


def next_pages(page: Page, server: PagesServer, measured: Measured) -> None:
    """From a click on a link to the first value that Python has computed on the page behind it."""
    page.goto(f"{server.url}{OURS}steps/01-two-phases.html")
    page.evaluate(WHEN % LIVE)
    for _ in range(5):
        for link in ("prev", "next"):
            place = page.locator(f".md-footer__link--{link}")
            place.evaluate("(link) => { link.href = link.href.split('?')[0] + '?prompt=4000'; }")
            page.evaluate(
                """() => {
                  const old = document.querySelector(".lc-page");
                  window.isNew = () => document.querySelector(".lc-page") && document.querySelector(".lc-page") !== old;
                  addEventListener("click", () => { window.clicked = performance.now() / 1000; },
                    { capture: true, once: true });
                }"""
            )
            page.evaluate(
                f"""() => {{
                  window.swapped = {WHEN % "window.isNew()"};
                  window.firstValue = {WHEN % f"window.isNew() && {TILE}"};
                }}"""
            )
            place.click()
            swapped, shown, clicked = page.evaluate(
                "async () => [await window.swapped, await window.firstValue, window.clicked]"
            )
            measured.add("next page", shown - clicked)
            measured.add("next page, until it is there", swapped - clicked)
            time.sleep(1)


def drag(page: Page, server: PagesServer, measured: Measured) -> str:
    """Drag the prompt's slider from end to end and back for ten seconds; returns the last request to Python."""
    page.goto(f"{server.url}{OURS}steps/01-two-phases.html")
    page.evaluate(WHEN % LIVE)
    time.sleep(2)
    page.evaluate((HERE / "drag.js").read_text())
    box = page.get_by_role("slider", name="Prompt tokens").bounding_box()
    assert box is not None
    left, right, y = box["x"] + 8, box["x"] + box["width"] - 8, box["y"] + box["height"] / 2
    page.mouse.move(left, y)
    page.mouse.down()
    start = time.perf_counter()
    while (now := time.perf_counter() - start) < 10:
        share = abs((now / 2.5) % 2 - 1)  # there and back in five seconds
        page.mouse.move(right - share * (right - left), y)
        time.sleep(max(0, 1 / 60 - (time.perf_counter() - start - now)))
    page.mouse.up()
    time.sleep(0.5)
    seen: dict[str, Any] = page.evaluate("window.drag")
    say(f"  {seen['asked']} requests, {seen['answered']} answered, {seen['dropped']} replaced by newer ones")
    for name in ("shown", "painted"):
        times = sorted(ms / 1000 for ms in seen[name])
        measured.add(f"drag, {name}, median", statistics.median(times))
        measured.add(f"drag, {name}, p99", times[math.ceil(0.99 * len(times)) - 1])
    measured.add("drag, values", len(seen["shown"]))
    return str(seen["request"])


def from_inside(page: Page, server: PagesServer, request: str, measured: Measured) -> None:
    """Import, reply and estimate, timed in the worker."""
    page.goto(f"{server.url}/timing/index.html")
    manifest = json.loads((RUNTIME / "manifest.json").read_text())
    base = f"{server.url}{OURS}assets/runtime/"
    for _ in range(5):
        seconds = page.evaluate("(given) => window.measure(...given)", [base, manifest, request])
        for name, value in seconds.items():
            measured.add(f"inside, {name}", value)


# -- what it says -----------------------------------------------------------------------------------------------


def report(results: list[Measured], sizes: list[Sent], versions: list[str], load: float, pairs: int) -> str:
    lines = [
        "# How long a reader waits",
        "",
        f"Measured {datetime.now(UTC):%d %B %Y} by `make bench` on {os.cpu_count()} cores of {processor()}, "
        f"{', '.join(versions)}, both headless; served from the same machine under a sub-path with gzip. "
        f"Load average before the run: {load:.1f}.",
        "",
        "*Stock* is the least that a page with Python can be: the npm package `pyodide`, unchanged, in a worker. "
        f"The two take turns; a number is the median of {pairs}, a ratio the median over the pairs.",
        "",
        "## Starting",
        "",
        "From following a link to step 1 until the page shows the first value that Python in the browser has computed. "
        "CPU seconds are those of the whole browser.",
        "",
        "| | browser | ours | stock | ratio | target | |",
        "|---|---|--:|--:|--:|--:|---|",
    ]
    for visit, target in (("cold start", 0.5), ("second visit", None)):
        for what, words in ((visit, f"{visit}, seconds"), (f"{visit} CPU", f"{visit}, CPU seconds")):
            for m in results:
                ours, stock = m.median(f"{what}, ours"), m.median(f"{what}, stock")
                row = f"| {words} | {m.browser} | {ours:.2f} | {stock:.2f} | {m.ratio(what):.2f} |"
                lines.append(row + (f" ≤ {target} | {verdict(m.ratio(what), target)} |" if target else " | |"))
    lines += ["", "## Afterwards", "", "| | browser | ms | target | |", "|---|---|--:|--:|---|"]
    for name, words, milliseconds in AFTERWARDS:
        for m in results:
            value = 1000 * m.median(name)
            row = f"| {words} | {m.browser} | {value:.{0 if value >= 100 else 1 if value >= 1 else 2}f} |"
            lines.append(row + (f" ≤ {milliseconds} | {verdict(value, milliseconds)} |" if milliseconds else " | |"))
    values = statistics.median(value for m in results for value in m.seconds["drag, values"])
    lines += [
        "",
        "The slider is dragged with the mouse from end to end and back for ten seconds, three times, which gives some "
        f"{values:.0f} values a time. Each counts from its input event until the page's DOM holds a reply at least as "
        "new; *painted* is until the frame with it has been drawn, at 60 frames a second.",
        "",
        "## Bytes",
        "",
        "| | files | over the wire | as files |",
        "|---|--:|--:|--:|",
        *size_rows(sizes),
        "",
    ]
    return "\n".join(lines)


AFTERWARDS: list[tuple[str, str, float | None]] = [
    ("next page", "next page: from the click to its first live value", 100),
    ("next page, until it is there", "… of it until the page is there", None),
    ("drag, shown, median", "slider dragged: until the newest value shows, median", 16),
    ("drag, shown, p99", "slider dragged: until the newest value shows, p99", 50),
    ("drag, painted, median", "… until it is painted, median", None),
    ("drag, painted, p99", "… until it is painted, p99", None),
    ("inside, respond", "Python alone: the reply to a move of the slider", None),
    ("inside, estimate", "Python alone: one estimate", 1),
    ("inside, import", "importing lessoncore, beyond Pyodide's own start", 60),
    ("inside, first_reply", "the first reply after that", None),
]


def verdict(value: float, target: float) -> str:
    return "met" if value <= target else "**missed**"


def size_rows(sizes: list[Sent]) -> list[str]:
    """The files of a cold start by kind, and the packs that a page from disk loads in place of the runtime."""
    page = [file for file in sizes if "/assets/runtime/" not in file.path]
    runtime = [file for file in sizes if "/assets/runtime/" in file.path]
    kinds = {"HTML": "text/html", "CSS": "text/css", "JavaScript": "text/javascript"}
    rows = []
    for name, kind in kinds.items():
        rows.append(size_row(name, [file for file in page if file.kind == kind]))
    rows.append(size_row("other: icons, search index", [file for file in page if file.kind not in kinds.values()]))
    rows.append(size_row("**the page before Python**", page))
    rows.append(size_row("**the runtime**: Pyodide, the standard library, lessoncore", runtime))
    packs = [file.stat().st_size for file in (RUNTIME / "packs").iterdir()]
    rows.append(f"| the runtime from disk: packs | {len(packs)} | – | {kilobytes(sum(packs))} |")
    return rows


def size_row(name: str, files: list[Sent]) -> str:
    wire, raw = sum(len(file.body) for file in files), sum(file.raw for file in files)
    return f"| {name} | {len(files)} | {kilobytes(wire)} | {kilobytes(raw)} |"


def kilobytes(size: int) -> str:
    return f"{size / 1000:,.0f} kB"


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


if __name__ == "__main__":
    main()
