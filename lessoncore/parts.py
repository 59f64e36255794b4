"""The live parts of a page: pieces of HTML that follow the page's state.

A part is a JSON object with a ``kind`` and what that kind needs. The same function fills it while the site
is built and in the reader's browser; equal parts are equal text and are computed once.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

from lessoncore.conditions import holds
from lessoncore.errors import unknown
from lessoncore.figures import figure
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS
from lessoncore.units import parse_number
from lessoncore.views.markup import as_spec, quoted
from lessoncore.views.tiles import tiles

Spec = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Filled:
    """What a part shows now. ``done`` is whether the task in it is fulfilled, None where there is none."""

    html: str
    done: bool | None = None


def fill(spec: Spec, page: Page) -> Filled:
    """Compute what a part shows for the page's present state."""
    kind = spec.get("kind")
    if kind not in PARTS:
        raise unknown("part", kind, list(PARTS))
    return PARTS[kind](spec, page)


def live(spec: Spec, page: Page, tag: str = "div", cls: str = "", extra: str = "") -> str:
    """Write a part into a page that is being built: an element that says what it is, filled in."""
    return (
        f'<{tag} class="{cls}" data-live={quoted(spec)}'
        + (f" {extra}" if extra else "")
        + f">{fill(spec, page).html}</{tag}>"
    )


def key_of(spec: Spec) -> str:
    """A short name for a part, the same in every build, for the ids in its picture."""
    return f"p{zlib.crc32(as_spec(spec).encode()):08x}"


def _number(spec: Spec, page: Page) -> Filled:
    f = figure(spec["figure"])
    shown = f.shown(page.estimate(spec.get("with")), spec.get("digits"), spec.get("scale"))
    plain = spec.get("unit") is False or (f.key in PARAMETERS and f.key != "price")
    return Filled(escape(shown.number if plain else str(shown)))


def _tiles(spec: Spec, page: Page) -> Filled:
    return Filled(tiles(page.estimate(), [figure(key) for key in spec["figures"]]))


def _picture(spec: Spec, page: Page) -> Filled:
    from lessoncore.pictures import picture  # each page loads the pictures that it shows

    return Filled(picture(spec["picture"]).draw(spec, page, key_of(spec)))


def _comparison(spec: Spec, page: Page) -> Filled:
    from lessoncore.views.comparison import comparison  # for the pages that compare

    return Filled(comparison(spec["left"], spec["right"], [figure(key) for key in spec["figures"]], page))


def _chips(spec: Spec, page: Page) -> Filled:
    scenario = page.scenario
    names = [PARAMETERS[key].text(getattr(scenario, key)) for key in ("gpu", "model", "weights")]
    return Filled("".join(f'<span class="lc-chip">{escape(name)}</span>' for name in names))


def _task(spec: Spec, page: Page) -> Filled:
    return Filled("", holds(spec["when"], page.estimate()))


def _answer(spec: Spec, page: Page) -> Filled:
    """The answer to a prediction, which is about the page's own scenario whatever the reader has changed."""
    f = figure(spec["figure"])
    shown = f.shown(page.estimate(own=True), scale=spec["scale"])
    guess = page.inputs.get(spec["input"])
    if guess is None:
        return Filled(f"<p>It is <b>{escape(str(shown))}</b>.</p>")
    return Filled(_verdict(spec, parse_number(guess), shown.number, spec["scale"], str(shown)))


def _verdict(spec: Spec, guess: float, right: str, scale: str, shown: str) -> str:
    gap = guess - float(right.replace(",", ""))
    said = f"{guess:g}{'' if scale == '%' else chr(0xA0)}{scale}"
    if abs(gap) <= spec["close"]:
        return f"<p><b>Close:</b> you said {escape(said)}, it is <b>{escape(shown)}</b>.</p>"
    side = "less" if gap < 0 else "more"
    words = next((g["say"] for g in spec["gaps"] if g["when"] == side), "")
    return f"<p>You said {escape(said)}. It is <b>{escape(shown)}</b>. {escape(words)}</p>"


def _why(spec: Spec, page: Page) -> Filled:
    from lessoncore.views.derivation import derivation  # shown when asked for

    return Filled(derivation(figure(spec["figure"]).of(page.estimate(spec.get("with")))))


PARTS: dict[str, Callable[[Spec, Page], Filled]] = {
    "number": _number,
    "tiles": _tiles,
    "picture": _picture,
    "comparison": _comparison,
    "chips": _chips,
    "task": _task,
    "answer": _answer,
    "why": _why,
}
