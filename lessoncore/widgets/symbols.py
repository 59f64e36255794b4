"""The table of all symbols: letter, words, unit."""

from typing import Any

from lessoncore.page import Page
from lessoncore.symbols import SYMBOLS
from lessoncore.views.markup import escape
from lessoncore.views.mathml import math, symbol_or_ratio
from lessoncore.widgets.kinds import Kind

_UNIT_WORDS = {"": "–", "share": "share, %", "parameters": "parameters"}


def _build(values: dict[str, Any], page: Page) -> str:
    rows = "".join(
        f"<tr><td>{math(symbol_or_ratio(s.letter))}</td><td>{escape(s.words)}</td>"
        f"<td>{escape(_UNIT_WORDS.get(s.unit, s.unit))}</td></tr>"
        for s in SYMBOLS.values()
    )
    return (
        '<div class="lc-scroll"><table class="lc-givens"><thead><tr><th>Symbol</th><th>Meaning</th><th>Unit</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div>"
    )


SYMBOLS_KIND = Kind(
    name="symbols",
    summary="The table of all symbols of the formulas, with their units.",
    fields=(),
    build=_build,
    example="kind: symbols\n",
)
