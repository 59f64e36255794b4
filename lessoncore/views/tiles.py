"""Up to four figures at a glance."""

from collections.abc import Callable

from lessoncore.estimate import Estimate
from lessoncore.figures import Figure, Long
from lessoncore.units import Shown
from lessoncore.views.markup import escape


def tiles(e: Estimate, figures: list[Figure], ready: Callable[[Long | None], bool], own: bool = False) -> str:
    """Draw a tile for each figure: its name, its value, and what it means here. Each leads to its derivation.

    What needs a long calculation stays open until it is ``ready``. ``own`` says below the tiles that the reader's own
    assumptions are in force.
    """
    return "".join(_tile(e, figure, ready) for figure in figures) + (_own(len(figures)) if own else "")


def _own(columns: int) -> str:
    return (
        f'<p class="lc-tiles__own" style="--columns:{columns}">With <a href="#code-editor">your own assumptions</a>, '
        "set in Python on this page.</p>"
    )


def _tile(e: Estimate, figure: Figure, ready: Callable[[Long | None], bool]) -> str:
    known = ready(figure.needs(e))
    quantity = figure.of(e) if known else None
    runs = figure.runs(e)
    shown = Shown("–", "") if not runs else figure.shown(e) if known else Shown("…", "")
    concept = quantity.meaning.concept if quantity else ""
    note = "doesn’t fit" if not runs else figure.note(e) if ready(figure.note_needs(e)) else "…"
    over = " lc-tile--over" if "too much" in note or not runs else ""
    return (
        f'<a class="lc-tile lc-tile--{concept or "plain"}{over}" href="#why-{figure.key}">'
        f'<span class="lc-tile__name">{escape(figure.label)}</span>'
        f'<span class="lc-tile__value">{escape(shown.number)}<small>&nbsp;{escape(shown.unit)}</small></span>'
        f'<span class="lc-tile__note">{escape(note)}</span></a>'
    )
