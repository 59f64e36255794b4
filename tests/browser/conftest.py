"""Every test in this folder drives a browser, and is marked so: `make check` leaves them out.

There are two browsers and two places, over http under a sub-path and from disk. `make test PAIRS=all` runs every test
that takes ``visit`` or ``live`` in all four pairs. Otherwise the tests of a file take turns: one in Chromium over http,
the next in Firefox from disk. ``@pytest.mark.both`` is for what a browser or a place may well do differently: it runs
in these two. ``pairs("chromium-disk", …)`` names those in which a test can run, and then it always does in all of them.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

from browsers import find_browsers, launch_chromium, launch_firefox
from server import SiteServer
from sites import copy_of_the_site, copy_with_broken_python, move_to
from step import reset, wait_until_live
from visit import ALL_PAIRS, STEP_1, TWO_PAIRS, Live, Visit, Visiting

HERE = Path(__file__).parent
EVERY_PAIR = os.environ.get("PAIRS") == "all"
expect.set_options(timeout=15_000)  # a machine that others use is slow at times


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    turns = Turns()
    spared = [item for item in items if item.path.is_relative_to(HERE) and not turns.wanted(item)]
    items[:] = [item for item in items if item not in spared]
    config.hook.pytest_deselected(items=spared)
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("browser")


class Turns:
    """Which pairs of browser and place a test runs in; one without a place runs in both browsers."""

    def __init__(self) -> None:
        self.tests: dict[Path, list[str]] = {}

    def wanted(self, item: pytest.Item) -> bool:
        given = getattr(item, "callspec", None)
        if given is None or "place" not in given.params:
            return True
        return f"{given.params['browser']}-{given.params['place']}" in self.pairs(item)

    def pairs(self, item: pytest.Item) -> tuple[str, ...]:
        if named := item.get_closest_marker("pairs"):
            return tuple(map(str, named.args))
        if EVERY_PAIR:
            return ALL_PAIRS
        if item.get_closest_marker("both"):
            return TWO_PAIRS
        tests = self.tests.setdefault(item.path, [])
        name = re.sub("(chromium|firefox)-(http|disk)-?", "", item.name)
        if name not in tests:
            tests.append(name)
        return (TWO_PAIRS[tests.index(name) % 2],)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    find_browsers()  # asks playwright itself, and one can run at a time
    with sync_playwright() as running:
        yield running


# A page of a test lives for seconds. Compiling Python a second time, for speed, would take longer than it saves; and no
# process is started in advance for a next page, but the one that is there is kept for it.
CHROMIUM_FOR_TESTS = "--js-flags=--liftoff-only"
FIREFOX_FOR_TESTS: dict[str, str | float | bool] = {
    "javascript.options.wasm_optimizingjit": False,
    "dom.ipc.processPrelaunch.enabled": False,
    "dom.ipc.keepProcessesAlive.file": 1,
}


@pytest.fixture(scope="session", params=["chromium", "firefox"])
def browser(request: pytest.FixtureRequest, playwright: Playwright) -> Iterator[Browser]:
    started = (
        launch_chromium(playwright, CHROMIUM_FOR_TESTS)
        if request.param == "chromium"
        else launch_firefox(playwright, FIREFOX_FOR_TESTS)
    )
    yield started
    started.close()


@pytest.fixture(scope="session")
def good_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteServer]:
    folder = tmp_path_factory.mktemp("sites") / "good"
    url = copy_of_the_site(folder)
    server = SiteServer(folder, urlsplit(url).path)
    move_to(server.url, folder, url)
    yield server
    server.close()


@pytest.fixture(scope="session")
def broken_site(good_site: SiteServer) -> Iterator[SiteServer]:
    broken = copy_with_broken_python(good_site.folder, good_site.folder.with_name("broken"))
    server = SiteServer(broken, good_site.prefix)
    yield server
    server.close()


@pytest.fixture(scope="session", params=["http", "disk"])
def place(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@contextmanager
def visits(browser: Browser, place: str) -> Iterator[Visiting]:
    """Start visits, and hold each to the rules when they are over."""
    started: list[Visit] = []

    def visit(server: SiteServer, expect: str | None = None, **options: Any) -> Visit:
        server.asked.clear()
        context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}} | options)
        one = Visit(context, server, server.folder, place == "disk", allowed=expect)
        started.append(one)
        return one

    yield visit
    for one in started:
        one.context.close()
        one.hold_to_the_rules()


@pytest.fixture
def visiting(browser: Browser, place: str) -> Iterator[Visiting]:
    """``visiting(server, expect=words that the console may say, **context options)`` starts a visit."""
    with visits(browser, place) as visit:
        yield visit


@pytest.fixture
def page_without_scripts(visiting: Visiting, browser: Browser, good_site: SiteServer) -> Page:
    """Step 1 with scripts off. Firefox can't be told so over its own protocol: there the page comes as it is read then,
    without any script, and with what stands in a noscript as part of it.
    """
    if browser.browser_type.name == "chromium":
        return visiting(good_site, java_script_enabled=False).open(STEP_1)
    page = good_site.folder / STEP_1
    scriptless = re.sub(r"<script\b.*?</script>|</?noscript>", "", page.read_text(), flags=re.DOTALL)
    page.with_suffix(".scriptless.html").write_text(scriptless)
    return visiting(good_site).open(STEP_1.replace(".html", ".scriptless.html"))


@pytest.fixture
def visit(visiting: Visiting, good_site: SiteServer) -> Visit:
    return visiting(good_site)


@pytest.fixture(scope="module")
def _open_pages(browser: Browser, place: str, good_site: SiteServer) -> Iterator[tuple[Visit, dict[str, Page]]]:
    with visits(browser, place) as visiting:
        yield visiting(good_site), {}


@pytest.fixture
def live(_open_pages: tuple[Visit, dict[str, Page]], request: pytest.FixtureRequest) -> Iterator[Live]:
    """``live(path)`` gives a page with Python running, reset to what its author wrote.

    Starting Python takes most of a test's time: a file's tests of a page share it, until one fails or goes elsewhere.
    """
    visit, pages = _open_pages
    failed = request.session.testsfailed

    def live_page(path: str) -> Page:
        if path not in pages or not pages[path].url.startswith(visit.root + path):
            leave()
            pages[path] = visit.open(path)
            wait_until_live(pages[path])
        else:
            reset(pages[path])
        return pages[path]

    def leave() -> None:
        while pages:
            pages.popitem()[1].close()

    yield live_page
    if request.session.testsfailed > failed:
        leave()
    visit.hold_to_the_rules()


@pytest.fixture
def live_page(live: Live) -> Page:
    """Step 1 with Python running, as its author left it."""
    return live(STEP_1)
