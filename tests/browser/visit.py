"""A reader's visit of the site, the pairs of browser and place that it can be made in, and who takes it there."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import BrowserContext, ConsoleMessage, Page

from server import SiteServer

STEP_1 = "steps/01-two-phases.html"
TWO_PAIRS = ("chromium-http", "firefox-disk")
ALL_PAIRS = ("chromium-http", "chromium-disk", "firefox-http", "firefox-disk")


@dataclass
class Visit:
    """A reader's browser on one copy of the site. What it says on its console is a failure unless expected."""

    context: BrowserContext
    server: SiteServer
    folder: Path
    from_disk: bool
    allowed: str | None = None
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
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("request", lambda request: self.asked.append(request.url))
        return page

    def _hear(self, message: ConsoleMessage) -> None:
        self.said.append(f"{message.type}: {message.text} {message.location.get('url', '')}")

    def hold_to_the_rules(self) -> None:
        said = [words for words in self.said if self.allowed is None or self.allowed not in words]
        self.said.clear()  # it is this test's fault, not of those that share the page
        assert said == [], "the browser's console must stay silent"
        outside = [url for url in self.asked if not url.startswith((self.root, "blob:", "data:"))]
        assert outside == [], "no request may leave the site's folder"
        assert all(path.startswith(self.server.prefix) for path in self.server.asked)


Visiting = Callable[..., Visit]
Live = Callable[[str], Page]
