"""The live parts of a page: pieces of HTML that follow the page's state.

A part is a JSON object with a ``kind`` and what that kind needs. The same function fills it while the site
is built and in the reader's browser; equal parts are equal text and are computed once.
"""

import zlib
from collections.abc import Callable
from copy import replace
from functools import partial
from math import inf
from typing import Any

from lessoncore.conditions import holds
from lessoncore.errors import LessonError, unknown
from lessoncore.figures import figure
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS, Count, parameter
from lessoncore.record import Record
from lessoncore.units import show
from lessoncore.views.markup import as_spec, escape, quoted
from lessoncore.views.tiles import tiles

Spec = dict[str, Any]


class Filled(Record):
    """What a part shows now.

    ``done`` is whether the task in it is fulfilled, None where there is none. ``again`` says that a long calculation
    behind it isn't finished (Page.portion): the page asks for the part again as soon as nothing else is to do.
    ``none`` says that what the reader set can't be computed, so that there is nothing to show but that.
    """

    html: str
    done: bool | None = None
    again: bool = False
    none: bool = False


def fill(spec: Spec, page: Page) -> Filled:
    """Compute what a part shows for the page's present state."""
    kind = spec.get("kind")
    if not isinstance(kind, str) or kind not in PARTS:
        raise unknown("part", kind, list(PARTS))
    _check(kind, spec)
    if page.problems and not stands_alone(spec):
        from lessoncore.views.not_computed import not_computed  # only after a mistake

        return Filled(not_computed(spec, page), none=True)
    page.waits = False
    filled = PARTS[kind](spec, page)
    return replace(filled, again=True) if page.waits else filled


def stands_alone(spec: Spec) -> bool:
    """Whether a part says the same whatever the reader has set the page's scenario to."""
    return spec.get("kind") in _ALONE or (spec.get("kind"), spec.get("format")) == ("export", "read")


_ALONE = ("drill", "answer", "choice", "claim", "errors", "measurement", "measurements")
# What a part must have, so that a request which no page of ours sends gets a sentence; "?" may be left out.
_NEEDED: dict[str, dict[str, type]] = {
    "number": {"figure": str, "with?": dict, "own?": bool, "digits?": int, "scale?": str},
    "ratio": {"of": dict, "to": dict, "scale": str},
    "words": {"when": dict, "then": str, "otherwise": str},
    "tiles": {"figures": list, "asks?": dict},
    "picture": {"picture": str, "size?": str, "shows?": str, "asks?": dict},
    "ahead": {"controls": list},
    "comparison": {"left": dict, "right": dict, "figures": list},
    "task": {"when": dict},
    "answer": {
        "input": str,
        "figure": str,
        "scale": str,
        "close": object,
        "gaps": list,
        "between?": list,
        "with?": dict,
    },
    "choice": {"input": str, "choices": list, "figure?": str, "with?": dict},
    "why": {"figure": str, "with?": dict, "own?": bool},
    "target": {"own": dict, "show": str},
    "claim": {"own": str, "show": str},
    "export": {"format": str},
    "capacity": {"name": str, "show": str, "field?": str},
    "load": {"name": str, "show": str, "field?": str},
    "figures": {"figures": list},
    "expected": {"figures": list},
    "glance": {"figures": list},
    "set": {"parameters": list},
    "setups": {"figures": list},
    "sweep": {"of": str, "over": str, "shows?": str},
    "drill": {"name": str, "drills": list, "questions?": int, "show": str},
    "error": {"effect": str, "of": str, "assumptions?": str},
    "errors": {"of": str},
    "measurement": {"row": str, "by": str},
    "measurements": {"name": str, "show": str, "playground?": str},
}
_WORDS: dict[type, str] = {str: "text", dict: "an object", list: "a list", int: "a whole number", bool: "yes or no"}


def _check(kind: str, spec: Spec) -> None:
    for key, needed in _NEEDED.get(kind, {}).items():
        name = key.rstrip("?")
        if not isinstance(spec.get(name), needed) and not (key.endswith("?") and name not in spec):
            raise LessonError(f"the part '{kind}' needs '{name}' as {_WORDS.get(needed, 'a value')}.")


def live(spec: Spec, page: Page, tag: str = "div", cls: str = "", extra: str = "") -> str:
    """Write a part into a page that is being built: an element that says what it is, filled in.

    A picture that stands on the page already gets a number, so that its ids are its own.
    """
    if spec["kind"] == "picture":
        text = as_spec(spec)
        page.placed[text] = page.placed.get(text, 0) + 1
        spec = spec if page.placed[text] == 1 else {**spec, "n": page.placed[text]}
    filled = fill(spec, page)
    return (
        f'<{tag} class="{cls}" data-live={quoted(spec)}'
        + (f" {extra}" if extra else "")
        + (" data-unfinished" if filled.again else "")
        + (" data-unasked" if _asks_nothing(spec) else "")
        + f">{filled.html}</{tag}>"
    )


def _asks_nothing(spec: Spec) -> bool:
    """Whether a part that can take long shows the scenario alone, whatever a reader puts into a form."""
    return spec["kind"] in ("picture", "tiles") or (spec["kind"] == "capacity" and spec["show"] == "rate")


def key_of(spec: Spec) -> str:
    """A short name for a part, the same in every build and on every screen, for the ids in its picture."""
    named = {key: value for key, value in spec.items() if key != "shows"}
    return f"p{zlib.crc32(as_spec(named).encode()):08x}"


def _number(spec: Spec, page: Page) -> Filled:
    f = figure(spec["figure"])
    if not 1 <= spec.get("digits", 3) <= 6:
        raise LessonError(f"a number has 1 to 6 digits, but {spec['digits']} were asked for.")
    estimate = page.estimate(spec.get("with"), own=spec.get("own", False))
    if not page.ready(f.needs(estimate)):
        return Filled("…")
    if not f.runs(estimate):
        return Filled("– (doesn’t fit)")
    shown = f.shown(estimate, spec.get("digits"), spec.get("scale"))
    plain = spec.get("unit") is False or (f.key in PARAMETERS and f.key != "price")
    return Filled(escape(shown.number if plain else str(shown)))


def _ratio(spec: Spec, page: Page) -> Filled:
    """How many times one figure is another, or which share of it."""
    for number in (spec["of"], spec["to"]):
        _check("number", number)
    of, to = (_value(number, page) for number in (spec["of"], spec["to"]))
    if of is None or not to:
        return Filled("–")
    return Filled(escape(str(show(of / to, "share" if spec["scale"] == "%" else "", 2))))


def _value(number: Spec, page: Page) -> float | None:
    quantity = figure(number["figure"]).of(page.estimate(number.get("with"), own=number.get("own", False)))
    return None if quantity is None else quantity.value


def _price(spec: Spec, page: Page) -> Filled:
    """The price of a GPU hour and whose it is."""
    price, gpu = page.estimate().price, page.scenario.hardware
    if price is None:
        return Filled("No source gives a price for this GPU: set the one that you pay.")
    hour = escape(str(show(price.value, "USD/h")))
    if page.scenario.price == price.value and price.function is None:
        return Filled(f"With {hour} for a GPU, the price that you set.")
    if price.function is None:
        source = escape(gpu.price_source)
        return Filled(f"With {hour} for a GPU, the least that clouds asked for in {gpu.price_month} ({source}).")
    return Filled(
        f"With {hour} for a GPU, the middle of what clouds asked for in {gpu.price_month} ({escape(gpu.price_source)})."
    )


def _words(spec: Spec, page: Page) -> Filled:
    """One wording or the other, as a condition on the page's figures holds or not."""
    return Filled(escape(spec["then"] if holds(spec["when"], page.estimate()) else spec["otherwise"]))


def _tiles(spec: Spec, page: Page) -> Filled:
    drawn = tiles(page.estimate(), [figure(key) for key in spec["figures"]], page.ready, page.code_in_force)
    return Filled(_covered(drawn, spec, page))


def _picture(spec: Spec, page: Page) -> Filled:
    from lessoncore.pictures import picture  # each page loads the pictures that it shows

    kind = picture(spec.get("picture"))
    return Filled(_covered(kind.draw(kind.checked(_sized(spec)), page, key_of(spec)), spec, page))


def _covered(html: str, spec: Spec, page: Page) -> str:
    """Mark what gives away the figure that the page asks for."""
    if "asks" not in spec:
        return html
    from lessoncore.asked import covered  # for the pages with a question

    return covered(html, spec["asks"], page)


def _sized(spec: Spec) -> Spec:
    """A picture in one size: that of its author, or else the one which a live page ``shows``."""
    from lessoncore.pictures import SIZES

    size = spec.get("size") or spec.get("shows", "")
    if size not in ("", *SIZES):
        raise unknown("size of a picture", size, list(SIZES))
    return spec | {"size": size}


def _comparison(spec: Spec, page: Page) -> Filled:
    for side in ("left", "right"):
        if not isinstance(spec[side].get("with"), dict) or not isinstance(spec[side].get("label"), str):
            raise LessonError(f"'{side}' of a comparison needs 'label' and 'with'.")
    from lessoncore.views.comparison import comparison  # for the pages that compare

    return Filled(comparison(spec["left"], spec["right"], [figure(key) for key in spec["figures"]], page))


def _chips(spec: Spec, page: Page) -> Filled:
    scenario = page.scenario
    formats = PARAMETERS["weights"].text(scenario.weights)  # type: ignore[arg-type]
    names = [scenario.hardware.label, scenario.architecture.label, formats]
    own = '<span class="lc-chip lc-chip--own">own assumptions</span>' if page.code_in_force else ""
    return Filled("".join(f'<span class="lc-chip">{escape(name)}</span>' for name in names) + own)


def _task(spec: Spec, page: Page) -> Filled:
    return Filled("", holds(spec["when"], page.estimate()))


def _answer(spec: Spec, page: Page) -> Filled:
    """The answer to a prediction, which is about the page's own scenario whatever the reader has changed."""
    from lessoncore.views.answers import against  # shown when asked for

    shown = figure(spec["figure"]).shown(page.estimate(spec.get("with"), own=True), scale=spec["scale"])
    return Filled(against(page.inputs.get(spec["input"]), shown, spec))


def _choice(spec: Spec, page: Page) -> Filled:
    """The answer to a choice, with a figure of the page's own scenario beside it where one is named."""
    from lessoncore.views.answers import chosen

    f = figure(spec["figure"]) if "figure" in spec else None
    told = f"{f.label}: {f.shown(page.estimate(spec.get('with'), own=True))}" if f else ""
    return Filled(chosen(page.inputs.get(spec["input"]), spec["choices"], told))


def _drill(spec: Spec, page: Page) -> Filled:
    from lessoncore.drills.card import PIECES, card

    if spec["show"] not in PIECES:
        raise unknown("piece of a drill", spec["show"], list(PIECES))
    return Filled(PIECES[spec["show"]](card(spec, page)))


def _verdict(spec: Spec, page: Page) -> Filled:
    from lessoncore.views.bench import verdict  # for the playground, as what follows

    return Filled(verdict(page.estimate(), page.code_in_force))


def _expected(spec: Spec, page: Page) -> Filled:
    if page.code_in_force:
        return Filled("<p>Your own assumptions are in force, and measurements tell of the lesson’s sets only.</p>")
    from lessoncore.views.bench import expected

    return Filled(expected([figure(key).key for key in spec["figures"]], page.scenario))


def _measured(spec: Spec, page: Page) -> Filled:
    if not page.inputs.get("measured"):
        return Filled("")
    from lessoncore.views.measured_here import measured_here  # for the few who come from a measurement

    return Filled(measured_here(page))


def _figures(spec: Spec, page: Page) -> Filled:
    from lessoncore.views.bench import figures_table

    return Filled(figures_table(page.estimate(), [figure(key).key for key in spec["figures"]]))


def _glance(spec: Spec, page: Page) -> Filled:
    from lessoncore.views.bench import glance

    return Filled(glance(page.estimate(), [figure(key).key for key in spec["figures"]]))


def _set(spec: Spec, page: Page) -> Filled:
    from lessoncore.views.bench import set_now

    return Filled(set_now([parameter(key).key for key in spec["parameters"]], page))


def _setups(spec: Spec, page: Page) -> Filled:
    from lessoncore.views.setups import setups

    return Filled(setups([figure(key) for key in spec["figures"]], page))


def _sweep(spec: Spec, page: Page) -> Filled:
    from lessoncore.views.sweep import sweep

    of, over = page.inputs.get("curve_of") or spec["of"], page.inputs.get("curve_over") or spec["over"]
    html, finished = sweep(of, over, page, key_of(spec), _sized(spec)["size"])
    return Filled(html, again=not finished)


def _ahead(spec: Spec, page: Page) -> Filled:
    """Show nothing, and simulate while the reader reads what sliders can be set to: then they answer at once."""
    if page.patience_s == inf:  # a page that is being built has no slider
        return Filled("")
    from lessoncore.serving.served import AHEAD, serving_ahead  # for the page of the queue

    e = page.estimate()
    asked = (parameter(key) for key in AHEAD if key in spec["controls"])
    sliders = {slider.key: slider.stops for slider in asked if isinstance(slider, Count)}
    # By its scenario too: while a slider is dragged each value only begins it, and holds nothing up.
    page.portion(("ahead", e.scenario, e.assumptions), partial(serving_ahead, e.scenario, e.assumptions, sliders))
    return Filled("")


def _error(spec: Spec, page: Page) -> Filled:
    """How far off the model is on the measurements of an effect, with the page's assumptions or named ones."""
    from lessoncore.evidence.said import said  # for the pages that tell of it

    return Filled(escape(said(spec["effect"], spec["of"], spec.get("assumptions") or page.scenario.assumptions)))


def _errors(spec: Spec, page: Page) -> Filled:
    from lessoncore.views.measurements import errors_table

    return Filled(errors_table(spec["of"]))


def _measurement(spec: Spec, page: Page) -> Filled:
    """How far off a prediction of a single measurement is, in words."""
    from lessoncore.evidence.words import off_of

    return Filled(escape(off_of(spec["row"], spec["by"])))


def _measurements(spec: Spec, page: Page) -> Filled:
    from lessoncore.views.measurements import piece

    return Filled(piece(spec, page.inputs, key_of(spec)))


def _results(spec: Spec, page: Page) -> Filled:
    served = page.estimate().served
    if served is None:
        return Filled("<p>There is no memory for requests here.</p>")
    from lessoncore.serving.served import SLO
    from lessoncore.views.queue_results import results

    return Filled(results(served.summary, SLO))


def _capacity(spec: Spec, page: Page) -> Filled:
    from lessoncore.views.capacity import PIECES, piece

    if spec["show"] not in PIECES:
        raise unknown("piece of a capacity", spec["show"], list(PIECES))
    return Filled(piece(spec, page))


def _load(spec: Spec, page: Page) -> Filled:
    from lessoncore.views.own_load import PIECES, piece

    if spec["show"] not in PIECES:
        raise unknown("piece of a load", spec["show"], list(PIECES))
    return Filled(piece(spec, page))


def _why(spec: Spec, page: Page) -> Filled:
    from lessoncore.views.derivation import derivation  # shown when asked for

    estimate = page.estimate(spec.get("with"), own=spec.get("own", False))
    return Filled(derivation(figure(spec["figure"]).of(estimate)))


def _target(spec: Spec, page: Page) -> Filled:
    from lessoncore.views.target import PIECES, sought  # where there is a search

    if spec["show"] not in PIECES:
        raise unknown("piece of a search", spec["show"], list(PIECES))
    found = sought(spec["own"], page)
    return Filled(PIECES[spec["show"]](found, page), again=not found.finished)


def _claim(spec: Spec, page: Page) -> Filled:
    from lessoncore.views.claim import PIECES, understood  # where claims are judged

    if spec["show"] not in PIECES:
        raise unknown("piece of a claim", spec["show"], list(PIECES))
    return Filled(PIECES[spec["show"]](understood(spec["own"], page), page))


def _export(spec: Spec, page: Page) -> Filled:
    from lessoncore.views.export import FILES, file, taken_in  # where files are made

    if spec["format"] == "read":
        return Filled(taken_in(page))
    if spec["format"] not in FILES:
        raise unknown("format of an export", spec["format"], [*FILES, "read"])
    return Filled(file(spec["format"], page))


def _code(spec: Spec, page: Page) -> Filled:
    from lessoncore.views.reader_code import verdict  # where there is an editor

    return Filled(verdict(page))


PARTS: dict[str, Callable[[Spec, Page], Filled]] = {
    "number": _number,
    "ratio": _ratio,
    "price": _price,
    "words": _words,
    "tiles": _tiles,
    "picture": _picture,
    "comparison": _comparison,
    "chips": _chips,
    "task": _task,
    "answer": _answer,
    "choice": _choice,
    "drill": _drill,
    "verdict": _verdict,
    "expected": _expected,
    "measured": _measured,
    "figures": _figures,
    "glance": _glance,
    "set": _set,
    "setups": _setups,
    "sweep": _sweep,
    "ahead": _ahead,
    "error": _error,
    "errors": _errors,
    "measurement": _measurement,
    "measurements": _measurements,
    "results": _results,
    "capacity": _capacity,
    "load": _load,
    "why": _why,
    "code": _code,
    "export": _export,
    "claim": _claim,
    "target": _target,
}
