"""The built site as its readers' browsers see it: every page with its addresses, its anchors and its tags."""

from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

# What a browser asks for by itself, without a click.
_FETCHED = {"img": "src", "script": "src", "source": "src", "iframe": "src", "video": "src", "audio": "src"}
_FETCHED_LINKS = {"stylesheet", "icon", "preload", "prefetch", "modulepreload", "manifest"}
_EMPTY = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_NOT_PROSE = {"script", "style", "pre", "code", "math"}


@dataclass(frozen=True)
class Address:
    """An address that a page names; ``fetched`` if the browser asks for it without a click."""

    url: str
    fetched: bool


class Page(HTMLParser):
    """One page of the site."""

    def __init__(self, site: Path, path: Path) -> None:
        super().__init__()
        self.name = path.relative_to(site).as_posix()
        self.addresses: list[Address] = []
        self.ids: list[str] = []
        self.meta: dict[str, str] = {}
        self.titles: list[str] = []
        self.words: list[str] = []
        self._inside: list[str] = []
        self._in_title = False
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "meta":
            self.meta[given.get("name") or given.get("property", "")] = given.get("content", "")
        if tag in ("a", "use") and "href" in given:
            self.addresses.append(Address(given["href"], fetched=False))
        if tag == "link" and "href" in given:
            self.addresses.append(Address(given["href"], given.get("rel", "") in _FETCHED_LINKS))
        if tag in _FETCHED and _FETCHED[tag] in given:
            self.addresses.append(Address(given[_FETCHED[tag]], fetched=True))
        self._in_title = tag == "title" and not self.titles
        if tag not in _EMPTY:
            self._inside.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _EMPTY:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.titles.append(data)
        if data.strip() and not _NOT_PROSE.intersection(self._inside):
            self.words.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False
        while self._inside and self._inside.pop() != tag:  # an end tag may be left out, as that of a paragraph
            pass


@dataclass
class Site:
    """All pages of a folder, built for an address."""

    folder: Path
    url: str
    _pages: dict[str, Page] = field(default_factory=dict)

    @cached_property
    def pages(self) -> dict[str, Page]:
        """The pages by their names below the folder."""
        return {
            path.relative_to(self.folder).as_posix(): Page(self.folder, path)
            for path in sorted(self.folder.rglob("*.html"))
        }

    def what_is_wrong_with(self, page: Page, address: str, root: str) -> str | None:
        """Follow an address of a page as a browser does that has the site's folder at ``root``; None if all is well.

        An address of another place is left alone: it can't be checked without asking for it.
        """
        parts = urlsplit(urljoin(root + page.name, address))
        if parts.scheme not in ("http", "https", "file"):
            return None if parts.scheme in ("data", "mailto") else f"{address}: of an unknown kind"
        base = urlsplit(root)
        if (parts.scheme, parts.netloc) != (base.scheme, base.netloc):
            return None
        if not parts.path.startswith(base.path):
            return f"{address}: leaves the site's folder"
        return self._missing(unquote(parts.path.removeprefix(base.path)), unquote(parts.fragment), root, address)

    def _missing(self, name: str, anchor: str, root: str, address: str) -> str | None:
        if not name and root.startswith("http"):
            name = "index.html"  # a server gives it for the folder; a browser on files lists the folder
        if not (self.folder / name).is_file():
            return f"{address}: there is no file {name or '(the folder itself)'}"
        if anchor and name in self.pages and anchor not in self.pages[name].ids:
            return f"{address}: there is no such place in {name}"
        return None
