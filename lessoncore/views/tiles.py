"""Up to four figures at a glance."""

from lessoncore.estimate import Estimate
from lessoncore.figures import Figure
from lessoncore.views.markup import escape


def tiles(e: Estimate, figures: list[Figure]) -> str:
    """Draw a tile for each figure: its name, its value, and what it means here. Each leads to its derivation."""
    return "".join(_tile(e, figure) for figure in figures)


def _tile(e: Estimate, figure: Figure) -> str:
    quantity, shown = figure.of(e), figure.shown(e)
    concept = quantity.meaning.concept if quantity else ""
    note = figure.note(e)
    over = " lc-tile--over" if "too much" in note else ""
    return (
        f'<a class="lc-tile lc-tile--{concept or "plain"}{over}" href="#why-{figure.key}">'
        f'<span class="lc-tile__name">{escape(figure.label)}</span>'
        f'<span class="lc-tile__value">{escape(shown.number)}<small>&nbsp;{escape(shown.unit)}</small></span>'
        f'<span class="lc-tile__note">{escape(note)}</span></a>'
    )
