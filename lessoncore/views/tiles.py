"""Up to four figures at a glance."""

from lessoncore.estimate import Estimate
from lessoncore.figures import Figure
from lessoncore.views.markup import escape


def tiles(e: Estimate, figures: list[Figure], own: bool = False) -> str:
    """Draw a tile for each figure: its name, its value, and what it means here. Each leads to its derivation.

    ``own`` says below them that the reader's own assumptions are in force.
    """
    return "".join(_tile(e, figure) for figure in figures) + (_own(len(figures)) if own else "")


def _own(columns: int) -> str:
    return (
        f'<p class="lc-tiles__own" style="--columns:{columns}">With <a href="#code-editor">your own assumptions</a>, '
        "set in Python on this page.</p>"
    )


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
