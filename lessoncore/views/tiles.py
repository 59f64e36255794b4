"""Up to four figures at a glance."""

from html import escape

from lessoncore.estimate import Estimate
from lessoncore.figures import Figure
from lessoncore.units import show


def tiles(e: Estimate, figures: list[Figure]) -> str:
    """Draw a tile for each figure: its name, its value, and what it means here. Each leads to its derivation."""
    return "".join(_tile(e, figure) for figure in figures)


def _tile(e: Estimate, figure: Figure) -> str:
    quantity = figure.of(e)
    shown = show(quantity.value, quantity.meaning.unit, figure.digits)
    note = figure.note(e)
    over = " lc-tile--over" if "too much" in note else ""
    return (
        f'<a class="lc-tile lc-tile--{quantity.meaning.concept or "plain"}{over}" href="#why-{figure.key}">'
        f'<span class="lc-tile__name">{escape(figure.label)}</span>'
        f'<span class="lc-tile__value">{escape(shown.number)}<small>&nbsp;{escape(shown.unit)}</small></span>'
        f'<span class="lc-tile__note">{escape(note)}</span></a>'
    )
