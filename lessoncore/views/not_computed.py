"""What stands in a page's places while what the reader set can't be computed: no number of another case."""

from collections.abc import Callable
from typing import Any

from lessoncore.figures import figure
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS, Choice, Count
from lessoncore.views.bench import set_now, setting
from lessoncore.views.dragging import counted
from lessoncore.views.markup import escape

NONE = "–"


def not_computed(spec: dict[str, Any], page: Page) -> str:
    """What a part shows: its frame without numbers, or a line that says where the reason is."""
    return _INSTEAD.get(spec["kind"], _line)(spec, page)


def mended(remedy: dict[str, Any]) -> str:
    """A button that sets what would do; nothing where that isn't known."""
    if not remedy:
        return ""
    words = " and ".join(_mending(key, value) for key, value in remedy.items())
    return setting(words[0].upper() + words[1:], state={key: str(value) for key, value in remedy.items()})


def _mending(key: str, value: Any) -> str:
    p = PARAMETERS[key]
    if not isinstance(p, Count):
        return f"use {p.text(value)} {p.label.lower()}"
    return f"set {p.label.lower()} to {p.text(value)}" if p.unit else f"use {counted(p, value)}"


def _where(page: Page) -> str:
    places = [PARAMETERS[key].label for key in page.problems if key in PARAMETERS]
    return f"Not computed: see what is said at {' and '.join(places)}." if places else "Not computed."


def _line(spec: dict[str, Any], page: Page) -> str:
    if spec.get("show") in ("error", "said"):  # beside a field, or for a screen reader, which hears the reason already
        return ""
    return f'<p class="lc-none">{escape(_where(page))}</p>'


def _tiles(spec: dict[str, Any], page: Page) -> str:
    return "".join(
        f'<div class="lc-tile lc-tile--none"><span class="lc-tile__name">{escape(figure(key).label)}</span>'
        f'<span class="lc-tile__value">{NONE}</span><span class="lc-tile__note">not computed</span></div>'
        for key in spec["figures"]
    )


def _verdict(spec: dict[str, Any], page: Page) -> str:
    each = "".join(
        f"<li><span>{escape(words)}</span> {mended(page.remedies.get(key, {}))}</li>"
        for key, words in page.problems.items()
    )
    return (
        '<div class="lc-verdict lc-verdict--over"><p class="lc-verdict__head">'
        '<span class="lc-verdict__sign" aria-hidden="true">✗</span><b>Not computed.</b> This can’t be:</p>'
        f'<ul class="lc-verdict__ways">{each}</ul></div>'
    )


def _chips(spec: dict[str, Any], page: Page) -> str:
    named = [
        (key, PARAMETERS[key]) for key in ("gpu", "model", "weights") if key in page.given or key not in page.problems
    ]
    return "".join(
        f'<span class="lc-chip">{escape(p.text(page.value(key)))}</span>' for key, p in named if isinstance(p, Choice)
    )


def _setups(spec: dict[str, Any], page: Page) -> str:
    from lessoncore.views.setups import setups

    return setups([figure(key) for key in spec["figures"]], page)


_INSTEAD: dict[str, Callable[[dict[str, Any], Page], str]] = {
    "number": lambda spec, page: NONE,
    "error": lambda spec, page: NONE,
    "tiles": _tiles,
    "verdict": _verdict,
    "glance": lambda spec, page: '<span class="lc-glance__fits lc-glance__fits--over">✗ not computed</span>',
    "set": lambda spec, page: set_now(spec["parameters"], page),
    "chips": _chips,
    "setups": _setups,
    "task": lambda spec, page: "",
    "ahead": lambda spec, page: "",
    "export": lambda spec, page: f'<p class="lc-none">There is no file of this. {escape(_where(page))}</p>',
}
