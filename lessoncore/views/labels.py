"""Words in pictures: which wording fits, labels that keep their distance, and patterns."""

from collections.abc import Sequence

from lessoncore.views.markup import coordinate as at
from lessoncore.views.svg import rect, text, text_width

LINE = 15.0  # from one line of a label to the next


def fitting(width: float, *wordings: str, size: float = 12.0) -> str:
    """The first wording that fits into ``width``, or none.

    >>> fitting(60, "many requests", "requests", "R")
    'requests'
    """
    return next((words for words in wordings if text_width(words, size) <= width), "")


def spread(centres: Sequence[float], heights: Sequence[float], low: float, high: float) -> list[float]:
    """Move labels apart, in their order from top to bottom, so that none covers another; all within low and high.

    >>> spread([10, 12, 90], [20, 20, 20], 0, 100)
    [10.0, 30.0, 90.0]
    """
    placed: list[float] = []
    edge = low
    for centre, height in zip(centres, heights, strict=True):
        placed.append(max(float(centre), edge + height / 2))
        edge = placed[-1] + height / 2
    edge = high
    for i in reversed(range(len(placed))):
        placed[i] = min(placed[i], edge - heights[i] / 2)
        edge = placed[i] - heights[i] / 2
    return placed


def lines(x: float, y: float, first: str, others: Sequence[str], cls: str = "", anchor: str = "") -> str:
    """A label of a strong line and softer ones below it; ``y`` is the baseline of the first."""
    return text(x, y, first, f"lc-strong {cls}".strip(), anchor) + "".join(
        text(x, y + LINE * n, words, "lc-soft", anchor) for n, words in enumerate(others, start=1)
    )


def pattern(name: str, concept: str) -> str:
    """Stripes in a concept's colour, to be used as ``fill="url(#name)"``: a colour that is never alone.

    What is free has thin stripes on the track's grey, what is over the limit broad ones that let see what it is of.
    """
    if concept == "over":
        inner = '<path d="M0 0H4.5V9H0Z" class="lc-fill-over"/>'
        return _stripes(name, 9, 45, inner)
    inner = f'<rect width="6" height="6" class="lc-track"/><path d="M0 0V6" class="lc-stroke-{concept}"/>'
    return _stripes(name, 6, -45, inner)


def _stripes(name: str, size: int, angle: int, inner: str) -> str:
    return (
        f'<pattern id="{name}" width="{size}" height="{size}" patternUnits="userSpaceOnUse"'
        f' patternTransform="rotate({angle})">{inner}</pattern>'
    )


def filled(x: float, y: float, width: float, height: float, name: str) -> str:
    """A rectangle with a pattern; nothing at all where it would have no size."""
    if width <= 0 or height <= 0:
        return ""
    return f'<rect x="{at(x)}" y="{at(y)}" width="{at(width)}" height="{at(height)}" fill="url(#{name})"/>'


def swatch(x: float, baseline: float, concept: str, name: str = "") -> str:
    """The small square that says which colour or pattern a word belongs to."""
    if name:
        return filled(x, baseline - 9, 10, 10, name)
    return rect(x, baseline - 9, 10, 10, f"lc-fill-{concept}", 'rx="2"')


def plural(n: float, one: str, many: str = "") -> str:
    """The word for so many.

    >>> plural(1, "request"), plural(2, "request")
    ('request', 'requests')
    """
    return one if n == 1 else many or f"{one}s"
