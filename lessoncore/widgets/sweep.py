"""Any figure against any parameter, both chosen by the reader."""

from itertools import groupby
from typing import Any

from lessoncore.declaration import Field, Problem
from lessoncore.figures import FIGURES
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS
from lessoncore.parts import live
from lessoncore.views.markup import attribute, escape
from lessoncore.views.sweep import OF, OVER
from lessoncore.widgets.fields import FIGURE, PARAMETER
from lessoncore.widgets.kinds import Kind

_HEADINGS = {"s": "Times", "B": "Memory", "USD": "Prices", "tokens/s": "Rates", "share": "Shares", "tokens": "Room"}


def _build(values: dict[str, Any], page: Page) -> str:
    part = {"kind": "sweep", "of": values["of"], "over": values["over"]}
    of = "".join(
        f'<optgroup label="{escape(heading)}">'
        + "".join(_option(key, FIGURES[key].label, values["of"]) for key in keys)
        + "</optgroup>"
        for heading, keys in _by_unit(page)
    )
    over = "".join(_option(key, PARAMETERS[key].label, values["over"]) for key in OVER)
    return (
        '<section class="lc-box lc-sweep" aria-label="A figure against a parameter" data-later="slow">'
        f'<div class="lc-sweep__choice">{_select("curve_of", "Show", of, values["of"])}'
        f"{_select('curve_over', 'over', over, values['over'])}</div>"
        + live(part, page, cls="lc-stage__picture")
        + "</section>"
    )


def _by_unit(page: Page) -> list[tuple[str, list[str]]]:
    """The figures by what they measure."""
    e = page.estimate()
    units = {key: (q.meaning.unit if (q := FIGURES[key].of(e)) else "USD") for key in OF}
    heading = {key: _HEADINGS.get(unit, "Work") for key, unit in units.items()}
    order = [*_HEADINGS.values(), "Work"]
    keys = sorted(OF, key=lambda key: order.index(heading[key]))
    return [(name, list(group)) for name, group in groupby(keys, key=heading.__getitem__)]


def _select(name: str, label: str, options: str, own: str) -> str:
    return (
        f'<label>{label} <select data-view="{name}" data-own="{attribute(own)}" autocomplete="off">{options}'
        "</select></label>"
    )


def _option(key: str, label: str, chosen: str) -> str:
    return f'<option value="{key}"{" selected" if key == chosen else ""}>{escape(label)}</option>'


def _verify(values: dict[str, Any], page: Page) -> list[Problem]:
    wrong = [(key, values[key], known) for key, known in (("of", OF), ("over", OVER)) if values[key] not in known]
    return [Problem(key, f"{key}: '{value}' can't be swept. Known: {', '.join(known)}.") for key, value, known in wrong]


SWEEP = Kind(
    name="sweep",
    summary="A figure against a parameter, both chosen by the reader: a curve, or bars where the parameter has names.",
    fields=(
        Field("of", FIGURE, "The figure that is shown at first."),
        Field("over", PARAMETER, "The parameter along which it is shown at first."),
    ),
    build=_build,
    verify=_verify,
    example="kind: sweep\nof: tpot\nover: batch\n",
)
