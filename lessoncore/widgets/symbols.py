"""The symbols of the formulas: letter, words, unit; all in a table, or those of a few figures in a list."""

from typing import Any

from lessoncore.declaration import Field
from lessoncore.figures import figure
from lessoncore.formula import Quantity
from lessoncore.page import Page
from lessoncore.plain import plain
from lessoncore.symbols import SYMBOLS, Symbol
from lessoncore.views.markup import escape
from lessoncore.views.mathml import math, symbol_or_ratio
from lessoncore.widgets.fields import PLAIN_FORMULAS, SOME_FIGURES
from lessoncore.widgets.kinds import Kind

_UNIT_WORDS = {"": "–", "share": "share, %", "parameters": "parameters"}


def _build(values: dict[str, Any], page: Page) -> str:
    return _list(_used_by(values["of"], values["plain"], page)) if values["of"] else _table()


def _table() -> str:
    rows = "".join(
        f"<tr><td>{_letter(s)}</td><td>{escape(s.words)}</td><td>{_unit(s)}</td></tr>" for s in SYMBOLS.values()
    )
    return (
        '<div class="lc-scroll"><table class="lc-givens"><thead><tr><th>Symbol</th><th>Meaning</th><th>Unit</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div>"
    )


def _list(symbols: list[Symbol]) -> str:
    """The symbols one after the other, in as many columns as there is room for."""
    items = "".join(f"<div><dt>{_letter(s)}</dt><dd>{escape(s.words)}{_unit_beside(s)}</dd></div>" for s in symbols)
    return f'<dl class="lc-symbols">{items}</dl>'


def symbols_of(quantity: Quantity) -> str:
    """The symbols in a quantity's formula, its own first, as one line to stand below it."""
    symbols = [quantity.meaning, *(given.meaning for given in quantity.inputs.values())]
    return ", ".join(f"{_letter(s)}\N{NO-BREAK SPACE}{escape(s.words)}{_unit_in(s)}" for s in symbols)


def _unit_in(symbol: Symbol) -> str:
    unit = _unit_beside(symbol).removeprefix(", ")
    return f" ({unit})" if unit and symbol.unit != "share" else ""


def _used_by(keys: list[str], plain_keys: list[str], page: Page) -> list[Symbol]:
    """What stands in the formulas of some figures, on both sides, in the order of the glossary; a letter once."""
    used = set()
    several = page.estimate({"gpus": 2})  # one alone has no all-reduce
    for quantity in (
        *(figure(key).known(page.estimate()) for key in keys),
        *(plain(key, several) for key in plain_keys),
    ):
        used |= {quantity.symbol, *(given.symbol for given in quantity.inputs.values())}
    return list({symbol.letter: symbol for key, symbol in SYMBOLS.items() if key in used}.values())


def _unit_beside(symbol: Symbol) -> str:
    """The unit after the words, where these don't say it: "prompt tokens" need none."""
    return f", {_unit(symbol)}" if symbol.unit and symbol.unit not in symbol.words.split() else ""


def _letter(symbol: Symbol) -> str:
    return math(symbol_or_ratio(symbol.letter))


def _unit(symbol: Symbol) -> str:
    return escape(_UNIT_WORDS.get(symbol.unit, symbol.unit))


SYMBOLS_KIND = Kind(
    name="symbols",
    summary="The symbols of the formulas with their units: all of them, or those that a few figures need.",
    fields=(
        Field("of", SOME_FIGURES, "Only the symbols in the formulas of these figures.", default=()),
        Field("plain", PLAIN_FORMULAS, "With those of these formulas in one line.", default=()),
    ),
    build=_build,
    example="kind: symbols\nof: [ttft, ridge]\n",
)
