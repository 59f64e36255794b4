"""What a page asks its reader to guess: its stage covers that figure until the guess is made.

Only the words are marked here. The style sheet covers them, on a screen with scripts on and until the page's question
is answered: for search, on paper, for a screen reader and without scripts the value stands where it always does.
"""

from collections.abc import Callable
from typing import Any

from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate
from lessoncore.figures import Figure, figure
from lessoncore.page import Page
from lessoncore.units import Shown, show
from lessoncore.views.markup import escape


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
    before, *pictures = html.split("<svg")
    done = [_in_text(before, told, f, e)]
    for one in pictures:
        svg, end, after = one.partition("</svg>")
        done.append(_in_picture(_shapes(svg, f), told) + end + _in_text(after, told, f, e))
    return "<svg".join(done)


def _told(f: Figure, e: Estimate) -> list[str]:
    """The words that tell a figure, however it is rounded."""
    shown = [str(one) for one in _roundings(f, e) if one.unit]
    return list(dict.fromkeys(escape(words) for words in [*shown, *_as_good_as(f, e)]))


def _roundings(f: Figure, e: Estimate) -> list[Shown]:
    return [f.shown(e, digits) for digits in (f.digits, 2, 3, 4)]


def _as_good_as(f: Figure, e: Estimate) -> list[str]:
    """What gives a figure away as surely as its value: the rest that is missing, or the two parts of a sum."""
    if f.key == "largest_batch":
        return [f"{e.largest_batch.value - e.scenario.batch:,.0f} more"]
    if f.key == "tpot" and e.decode.communication_s:
        talk = e.decode.communication_s.value
        return [str(show(part, "s")) for part in (e.decode.time_s.value - talk, talk)]
    return []


def _in_text(html: str, told: list[str], f: Figure, e: Estimate) -> str:
    """In HTML the question mark stands over the value, which keeps its room: nothing moves when it is shown."""
    html = _replaced(html, told, _under)
    for number, unit in dict.fromkeys((escape(one.number), escape(one.unit)) for one in _roundings(f, e)):
        value = f"{number}<small>&nbsp;{unit}</small>"
        html = html.replace(f'__value">{value}', f'__value">{_under(value)}')
        html = html.replace(f"<td>{number}</td>", f"<td>{_under(number)}</td>")
    return html


def _under(value: str) -> str:
    return f'<span class="lc-asked"><span>{value}</span></span>'


def _in_picture(svg: str, told: list[str]) -> str:
    """In a picture a line of text is drawn twice, once with a question mark; the style sheet shows one of them."""
    before, *lines = svg.split("<text")
    done = [before]
    for one in lines:
        line, end, after = f"<text{one}".partition("</text>")
        asking = _replaced(line, told, lambda value: "?")
        twice = f'<g class="lc-asked">{line}{end}</g><g class="lc-ask" aria-hidden="true">{asking}{end}</g>'
        done.append((line + end if asking == line else twice) + after)
    return "".join(done)


def _shapes(svg: str, f: Figure) -> str:
    """Shapes that tell the figure, and what stands there instead (views.svg.telling)."""
    svg = svg.replace(f'<g class="lc-tells-{f.key}">', '<g class="lc-asked">')
    return svg.replace(f'<g class="lc-instead-{f.key}" display="none">', '<g class="lc-ask" aria-hidden="true">')


def _replaced(html: str, told: list[str], by: Callable[[str], str]) -> str:
    """What is told, replaced where it stands by itself in a text: not in a longer number, and not within a tag."""
    for words in told:
        first, *others = html.split(words)
        for after in others:
            alone = not (first[-1:].isdigit() or first[-1:] in (".", ",")) and not _goes_on(after)
            in_text = first.rfind("<") <= first.rfind(">")
            first += (by(words) if alone and in_text else words) + after
        html = first
    return html


def _goes_on(after: str) -> bool:
    return after[:1].isalnum() or (after[:1] in (".", ",") and after[1:2].isdigit())
