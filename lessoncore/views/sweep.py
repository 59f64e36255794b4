"""Any figure against any parameter: a curve over a number, bars over the names of a choice."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from lessoncore.errors import LessonError, unknown
from lessoncore.figures import FIGURES, Figure
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS, Count, Pasted
from lessoncore.views.bench import setting
from lessoncore.views.comparison import better
from lessoncore.views.markup import escape

# What a simulated queue or a training run gives belongs to other parameters, and takes long.
_ELSEWHERE = ("ttft_mean", "ttft_p", "tpot_p", "slo", "waiting", "served", "offline", "counted", "training")
OF = [key for key in FIGURES if key not in PARAMETERS and not key.startswith(_ELSEWHERE)]
OVER = [key for key, p in PARAMETERS.items() if not isinstance(p, Pasted) and key != "rate"]


def sweep(of: str, over: str, page: Page, key: str, size: str = "") -> tuple[str, bool]:
    """Draw figure ``of`` against parameter ``over``, in one size or all; and say whether it is finished."""
    if of not in OF:
        raise unknown("figure", of, OF)
    if over not in OVER:
        raise unknown("parameter", over, OVER)
    if isinstance(PARAMETERS[over], Count):
        return _curve(of, over, page, key, size), True
    if over != "model":
        bars = list(_bars_of(FIGURES[of], over, page))[-1]
        return _bars(FIGURES[of], over, bars, page), True
    # Reading each model of the catalogue for the first time takes a while.
    found, finished = page.portion(
        ("sweep", of, page.scenario, page.code_in_force and page.code), lambda: _bars_of(FIGURES[of], over, page)
    )
    waiting = "" if finished else "<p>Reading the catalogue’s models…</p>"
    return _bars(FIGURES[of], over, found or [], page) + waiting, finished


def _curve(of: str, over: str, page: Page, key: str, size: str) -> str:
    from lessoncore.pictures import picture

    curves, found = picture("curves"), FIGURES[of].of(page.estimate())
    if found is None:
        return f"<p>{escape(FIGURES[of].label)} isn’t known for {escape(page.scenario.hardware.label)}.</p>"
    if over == "cached" and page.scenario.prompt == 1:
        return "<p>Of a prompt of a single token nothing can be cached.</p>"
    even = over == "price" or found.meaning.unit == "share"
    spec: dict[str, Any] = {"x": over, "figures": [of], "size": size, "range": _range(over, page)}
    spec["x_scale"] = "linear" if over in ("price", "cached") else "log"
    return curves.draw(curves.checked(spec | {"y_scale": "linear" if even else "log"}), page, key)


def _range(over: str, page: Page) -> list[float]:
    """The ends of the axis, where they aren't those of the parameter's slider."""
    p, value = PARAMETERS[over], getattr(page.scenario, over)
    if over == "cached":
        return [0, page.scenario.prompt - 1]
    assert isinstance(p, Count)
    return [p.low, value] if value > p.stops[-1] else []


class _Bar(NamedTuple):
    """A name of the choice, and the figure with it, or what keeps it from being computed."""

    option: str
    label: str
    value: float | None
    shown: str
    fits: bool
    problem: str = ""


def _bars_of(figure: Figure, over: str, page: Page) -> Iterator[list[_Bar]]:
    """The bars of all options, one more each time."""
    bars: list[_Bar] = []
    for option in PARAMETERS[over].options():  # type: ignore[union-attr]
        bars = [*bars, _bar(figure, over, option, page)]
        yield bars


def _bars(figure: Figure, over: str, bars: list[_Bar], page: Page) -> str:
    known = [bar for bar in bars if bar.value is not None]
    top = max((abs(bar.value) for bar in known if bar.value), default=1.0)
    missing = [bar for bar in bars if bar.value is None]
    q = figure.of(page.estimate())
    concept = (q.meaning.concept if q else "") or "plain"
    return (
        f'<table class="lc-bars"><caption>{escape(figure.label)}</caption><tbody>'
        + "".join(_line(bar, over, top, concept, page) for bar in _ordered(figure, known))
        + "</tbody></table>"
        + "".join(f"<p><small>{escape(bar.label)}: {escape(bar.problem)}</small></p>" for bar in missing)
    )


def _ordered(figure: Figure, bars: list[_Bar]) -> list[_Bar]:
    """The best first; as they come where neither is better."""
    if not bars or not any(better(figure, bars[0].value or 0, bar.value or 0) for bar in bars):
        return bars
    more = better(figure, 1.0, 2.0) == 1
    return sorted(bars, key=lambda bar: (bar.value or 0) * (-1 if more else 1))


def _bar(figure: Figure, over: str, option: str, page: Page) -> _Bar:
    label = PARAMETERS[over].text(option)  # type: ignore[arg-type]
    # A pasted config.json would hide the catalogue's models.
    changes = {over: option} | ({"config": ""} if over == "model" else {})
    try:
        e = page.estimate(changes)
        quantity = figure.of(e)
    except LessonError as error:
        return _Bar(option, label, None, "", False, str(error))
    if quantity is None:
        return _Bar(option, label, None, "", False, "not known.")
    return _Bar(option, label, quantity.value, str(figure.shown(e)), e.fits)


_NOW = ' class="lc-bars__now" aria-current="true"'


def _line(bar: _Bar, over: str, top: float, concept: str, page: Page) -> str:
    now = getattr(page.scenario, over) == bar.option and not (over == "model" and page.scenario.config)
    state = {over: bar.option} | ({"config": ""} if over == "model" else {})
    share = abs(bar.value or 0) / top
    over_limit = "" if bar.fits else ' <span class="lc-bars__over">doesn’t fit</span>'
    return (
        f'<tr{_NOW if now else ""}><th scope="row">'
        + setting(bar.label, label=f"Set {PARAMETERS[over].label} to {bar.label}", state=state)
        + f'</th><td><span class="lc-bars__bar lc-bars__bar--{concept}" style="--share:{share:.4f}"></span></td>'
        f"<td>{escape(bar.shown)}{over_limit}</td></tr>"
    )
