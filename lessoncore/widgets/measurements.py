"""Predicted against measured: every measurement a dot, with filters, and each with its source and conditions."""

import zlib
from typing import Any

from lessoncore.declaration import Field
from lessoncore.evidence.chosen import FILTERS, options
from lessoncore.evidence.sets import SETS
from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.views.markup import as_spec, attribute, escape
from lessoncore.widgets.fields import PAGE_ADDRESS, pick
from lessoncore.widgets.kinds import Kind

_ALL = {"quantity": "All quantities", "effect": "All effects", "gpu": "All GPUs", "engine": "All engines"}


def _build(values: dict[str, Any], page: Page) -> str:
    first = {key: values[key] for key in ("by", *FILTERS)}
    changed = any(values[key] != field.default for field in MEASUREMENTS.fields if (key := field.key) in FILTERS)
    name = f"measurements-{zlib.crc32(as_spec(first).encode()):08x}" if changed else "measurements"
    spec = {"kind": "measurements", "name": name, **first}
    if values["playground"]:
        spec["playground"] = values["playground"]

    def piece(show: str, extra: str = "") -> str:
        return live({**spec, "show": show}, page, cls=f"lc-measurements__{show}", extra=extra)

    return (
        f'<section class="lc-measurements" id="{name}" aria-label="Predicted against measured">'
        '<form class="lc-form" method="dialog" autocomplete="off">'
        f"{_filters(name, first)}{piece('summary', 'role="status"')}"
        f'<input type="hidden" name="{name}.row" value="" data-field data-pick{_address(name, "row")}'
        ' autocomplete="off"><p class="lc-measurements__legend">On the line a prediction is exactly right, in the'
        " shaded band it is within 15%; the dashed lines are half and twice. Point at a dot to read it; click, tap or"
        " take the arrow keys to see its conditions and its source.</p>"
        f"{piece('dots')}{piece('row')}"
        f'<details class="lc-data lc-measurements__all"><summary>All of these measurements as a table</summary>'
        '<div class="lc-scroll" tabindex="0" role="group" aria-label="Measurements as a table">'
        f"{piece('table')}</div></details>"
        '<p class="lc-status"><span class="lc-status__text" role="status"></span> '
        '<button type="button" class="lc-retry" hidden>Try again</button></p>'
        '<p class="lc-still">Filtering and reading single dots need JavaScript. The table has them all.</p>'
        "</form></section>"
    )


def _address(name: str, key: str) -> str:
    """A page's own measurements keep what was chosen in the address; with a second widget that would be two."""
    return f' data-address="{key}"' if name == "measurements" else ""


def _filters(name: str, first: dict[str, str]) -> str:
    radios = "".join(
        f'<label class="lc-measurements__set"><input type="radio" name="{name}.by" value="{key}" data-field'
        f'{_address(name, "by")} autocomplete="off"{" checked" if key == first["by"] else ""}>'
        f"<span>{escape(words)}</span></label>"
        for key, words in SETS.items()
    )
    selects = "".join(_select(name, key, label, first[key]) for key, (label, _) in FILTERS.items())
    return (
        f'<div class="lc-measurements__sets" role="radiogroup" aria-label="Predicted by">{radios}</div>'
        f'<div class="lc-measurements__filters">{selects}</div>'
    )


def _select(name: str, key: str, label: str, first: str) -> str:
    chosen = {"": _ALL[key]} | {value: f"{words} ({n})" for value, (words, n) in options(key).items()}
    shown = "".join(
        f'<option value="{attribute(value)}"{" selected" if value == first else ""}>{escape(words)}</option>'
        for value, words in chosen.items()
    )
    return (
        f'<div class="lc-measurements__filter"><label for="{name}-{key}">{label}</label><select id="{name}-{key}"'
        f' name="{name}.{key}" data-field{_address(name, key)} autocomplete="off">{shown}</select></div>'
    )


def _field(key: str) -> Field:
    return Field(
        key,
        pick(*options(key)),
        f"Show only what has this {FILTERS[key][0].lower() if key != 'gpu' else 'GPU'} at first.",
        "",
    )


MEASUREMENTS = Kind(
    name="measurements",
    summary="Published measurements: predicted against measured, a dot for each, with filters, conditions and sources.",
    fields=(
        Field("by", pick(*SETS), "What predicts at first.", "calibrated"),
        *map(_field, FILTERS),
        Field("playground", PAGE_ADDRESS, "The playground’s page, for links that open a measurement there.", ""),
    ),
    build=_build,
    example="""\
kind: measurements
effect: batching
playground: steps/18-playground.html
""",
)
