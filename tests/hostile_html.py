"""Texts that try to break out of a page, and a check that HTML lets none of them."""

from html.parser import HTMLParser

from lessoncore.widgets.export import WHEEL_ADDRESS

MARKUP = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "'><svg/onload=alert(1)>",
    "</title></desc></svg><script>",
    "{{ ttft }}",
    "javascript:alert(1)",
    "&lt;b&gt;",
    "\0",
    "\ud800",
    "’–\u202eאבג",
    "２０００",
    "NaN",
    "Infinity",
    "-1e308",
    "1e308",
    "9" * 10_000,
    "a" * 10_000,
    "",
]

# Where a view may lead: places on the page, the playground as it is named here, and where measurements were published.
GOES_TO = (
    "#",
    "?",
    WHEEL_ADDRESS,
    "p.html?",
    "steps/18-playground.html?",
    "https://github.com/",
    "https://docs.nvidia.com/",
)


class _Safe(HTMLParser):
    """Refuses what runs, and what isn't closed by its own end tag."""

    void = frozenset(("input", "br", "hr", "img", "rect", "line", "path", "circle"))

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "iframe", "object", "embed", "link", "meta", "base", "img")
        assert not any(name.startswith("on") for name, _ in attrs)
        assert all((value or "#").startswith(GOES_TO) for name, value in attrs if name in ("href", "src", "action"))
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.void:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check_safe(html: str, *hostile: str) -> None:
    """The HTML is closed, runs nothing, shows no markup that was given, and no NaN that wasn't."""
    _Safe(html)
    assert not any(text in html for text in hostile if text in MARKUP and "<" in text)
    if not any("n" in text.lower() for text in hostile):
        assert not any(word in html for word in (">nan", ">inf", ">NaN", ">Infinity"))
