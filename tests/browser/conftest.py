"""Every test in this folder drives a browser, and is marked so: `make check` leaves them out.

A test that takes ``visit`` runs four times: in Chromium and Firefox, over http under a sub-path and from disk. One with
the mark ``two_pairs`` takes long and runs twice, which still covers both browsers and both places.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from browsers import find_browsers, launch_chromium, launch_firefox
from server import SiteServer
from sites import build_for, copy_with_broken_python
from step import expect_tile, wait_until_live

HERE = Path(__file__).parent
STEP_1 = "steps/01-two-phases.html"
expect.set_options(timeout=15_000)  # a machine that others use is slow at times


TWO_PAIRS = {("chromium", "http"), ("firefox", "disk")}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    spared = [item for item in items if item.get_closest_marker("two_pairs") and _pair(item) not in TWO_PAIRS]
    items[:] = [item for item in items if item not in spared]
    config.hook.pytest_deselected(items=spared)
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("browser")
            # With several workers each browser has one of its own: what a session shares is made once.
            item.add_marker(pytest.mark.xdist_group("firefox" if "firefox" in item.name else "chromium"))


def _pair(item: pytest.Item) -> tuple[str, str]:
    given = getattr(item, "callspec").params  # noqa: B009 — a test with this mark is a function with fixtures
    return given["browser"], given["place"]


@dataclass
class Visit:
    """A reader's browser on one copy of the site. What it says on its console is a failure unless expected."""

    context: BrowserContext
    server: SiteServer
    folder: Path
    from_disk: bool
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    @property
    def root(self) -> str:
        """Address of the site's folder."""
        return f"{self.folder.as_uri()}/" if self.from_disk else self.server.url

    def open(self, path: str, page: Page | None = None) -> Page:
        """Open a page of the site, in a new tab unless one is given."""
        page = page or self.new_page()
        page.goto(self.root + path)
        return page

    def new_page(self) -> Page:
        page = self.context.new_page()
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("request", lambda request: self.asked.append(request.url))
        return page


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    find_browsers()  # asks playwright itself, and one can run at a time
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session", params=["chromium", "firefox"])
def browser(request: pytest.FixtureRequest, playwright: Playwright) -> Iterator[Browser]:
    launch = launch_chromium if request.param == "chromium" else launch_firefox
    started = launch(playwright)
    yield started
    started.close()


@pytest.fixture(scope="session")
def good_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteServer]:
    folder = tmp_path_factory.mktemp("sites") / "good"
    server = SiteServer(folder)
    build_for(server.url, folder)
    yield server
    server.close()


@pytest.fixture(scope="session")
def broken_site(good_site: SiteServer) -> Iterator[SiteServer]:
    server = SiteServer(copy_with_broken_python(good_site.folder, good_site.folder.with_name("broken")))
    yield server
    server.close()


@pytest.fixture(scope="session", params=["http", "disk"])
def place(request: pytest.FixtureRequest) -> str:
    return str(request.param)


Visiting = Callable[..., Visit]


@contextmanager
def visits(browser: Browser, place: str) -> Iterator[Visiting]:
    """Start visits, and hold each to the rules when they are over."""
    started: list[tuple[Visit, str | None]] = []

    def visit(server: SiteServer, expect: str | None = None, **options: Any) -> Visit:
        server.asked.clear()
        context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}} | options)
        one = Visit(context, server, server.folder, place == "disk")
        started.append((one, expect))
        return one

    yield visit
    for one, allowed in started:
        one.context.close()
        said = [words for words in one.said if allowed is None or allowed not in words]
        assert said == [], "the browser's console must stay silent"
        outside = [url for url in one.asked if not url.startswith((one.root, "blob:", "data:"))]
        assert outside == [], "no request may leave the site's folder"
        assert all(path.startswith("/repo/") for path in one.server.asked)


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


@pytest.fixture(scope="session")
def _one_live_page(browser: Browser, place: str, good_site: SiteServer) -> Iterator[Page]:
    with visits(browser, place) as visit:
        page = visit(good_site).open(STEP_1)
        wait_until_live(page)
        yield page


@pytest.fixture
def live_page(_one_live_page: Page) -> Page:
    """Step 1 with Python running, as its author left it. Starting Python takes seconds, so tests share it."""
    _one_live_page.get_by_role("button", name="Reset").click()
    expect_tile(_one_live_page, "Time to first token", "55.9 ms")
    return _one_live_page
