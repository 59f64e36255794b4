"""What a page asks its reader to guess: its stage covers that figure until the guess is made.

Only the words are marked here. The style sheet covers them, on a screen with scripts on and until the page's question
is answered: for search, on paper, for a screen reader and without scripts the value stands where it always does.
"""

import re
from typing import Any

from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate
from lessoncore.figures import Figure, figure
from lessoncore.page import Page
from lessoncore.units import show
from lessoncore.views.markup import escape

_PICTURE = re.compile(r"(<svg.*?</svg>)", re.DOTALL)
_LINE = re.compile(r"<text[ >].*?</text>", re.DOTALL)


def covered(html: str, asks: dict[str, Any], page: Page) -> str:
    """Mark what a part of the stage says of the asked figure; nothing once the reader has changed the scenario.

    ``asks`` has the ``figure`` and, where the question is about another scenario than the page's, ``with``.
    """
    if not isinstance(asks.get("with", {}), dict):
        raise LessonError("what a stage asks for needs 'figure' as text, and 'with', if there is one, as an object.")
    f, e = figure(asks.get("figure")), page.estimate(asks.get("with"))
    if page.changed or not page.ready(f.needs(e)):
        return html
    told = _told(f, e)
    return "".join(
        _in_picture(_shapes(piece, f), told) if piece.startswith("<svg") else _in_text(piece, told)
        for piece in _PICTURE.split(html)
    )


def _in_text(html: str, told: re.Pattern[str]) -> str:
    """In HTML the question mark stands over the value, which keeps its room: nothing moves when it is shown."""
    return told.sub(r'<span class="lc-asked"><span>\g<0></span></span>', html)


def _in_picture(svg: str, told: re.Pattern[str]) -> str:
    """In a picture the line is drawn twice, once with a question mark; the style sheet shows one of them."""

    def both(line: re.Match[str]) -> str:
        asking, found = told.subn("?", line[0])
        drawn = f'<g class="lc-asked">{line[0]}</g><g class="lc-ask" aria-hidden="true">{asking}</g>'
        return drawn if found else line[0]

    return _LINE.sub(both, svg)


def _shapes(svg: str, f: Figure) -> str:
    """Shapes that tell the figure, and what stands there instead (views.svg.telling)."""
    svg = svg.replace(f'<g class="lc-tells-{f.key}">', '<g class="lc-asked">')
    return svg.replace(f'<g class="lc-instead-{f.key}" display="none">', '<g class="lc-ask" aria-hidden="true">')


def _told(f: Figure, e: Estimate) -> re.Pattern[str]:
    """The words that tell a figure, however it is rounded; a number without a unit only where it stands alone."""
    shown = dict.fromkeys(f.shown(e, digits) for digits in (f.digits, 2, 3, 4))
    tiles = [rf"(?<=__value\">){_as_written(one.number)}<small>&nbsp;{_as_written(one.unit)}</small>" for one in shown]
    cells = [rf"(?<=<td>){_as_written(one.number)}(?=</td>)" for one in shown]
    words = [*(str(one) for one in shown if one.unit), *_as_good_as(f, e)]
    said = [rf"(?<![\d.,]){_as_written(one)}(?!\w|[.,]\d)(?=[^<>]*<)" for one in words]
    return re.compile("|".join(tiles + cells + said))


def _as_written(words: str) -> str:
    return re.escape(escape(words))


def _as_good_as(f: Figure, e: Estimate) -> list[str]:
    """What gives a figure away as surely as its value: the rest that is missing, or the two parts of a sum."""
    if f.key == "largest_batch":
        return [f"{e.largest_batch.value - e.scenario.batch:,.0f} more"]
    if f.key == "tpot" and e.decode.communication_s:
        talk = e.decode.communication_s.value
        return [str(show(part, "s")) for part in (e.decode.time_s.value - talk, talk)]
    return []
