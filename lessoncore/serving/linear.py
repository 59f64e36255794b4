"""Quantities that grow by the same amount from token to token, until a window is full."""

from bisect import bisect_right
from collections.abc import Callable


class PiecewiseLinear:
    """A function of a number of tokens as straight pieces between ``knots``, taken from the function itself.

    >>> kept = PiecewiseLinear(lambda tokens: 2 * min(tokens, 4096), knots=(4096,))
    >>> kept.at(100), kept.slope(100), kept.at(5000), kept.slope(4096)
    (200.0, 2.0, 8192.0, 0.0)
    """

    __slots__ = ("_knots", "_offsets", "_slopes")

    def __init__(self, function: Callable[[int], float], knots: tuple[int, ...]) -> None:
        self._knots = knots
        starts = (0, *knots)
        self._slopes = [float(function(start + 1) - function(start)) for start in starts]
        self._offsets = [function(s) - slope * s for s, slope in zip(starts, self._slopes, strict=True)]

    def at(self, tokens: int) -> float:
        """Its value."""
        piece = bisect_right(self._knots, tokens) if self._knots else 0
        return self._offsets[piece] + self._slopes[piece] * tokens

    def slope(self, tokens: int) -> float:
        """What one more token adds."""
        return self._slopes[bisect_right(self._knots, tokens) if self._knots else 0]


def sum_of_line(start: float, step: float, count: int) -> float:
    """Sum of ``count`` numbers that begin with ``start`` and grow by ``step``.

    >>> sum_of_line(start=1.0, step=0.5, count=3)
    4.5
    """
    return count * start + step * (count * (count - 1) // 2)


def sum_of_larger(a: float, da: float, b: float, db: float, count: int) -> float:
    """Sum of the larger of two lines, number by number, over ``count`` numbers.

    >>> sum_of_larger(0.0, 1.0, 2.0, 0.0, count=5)  # 2, 2, 2, 3, 4
    13.0
    """
    last = count - 1
    if a >= b and a + last * da >= b + last * db:
        return sum_of_line(a, da, count)
    if a <= b and a + last * da <= b + last * db:
        return sum_of_line(b, db, count)
    if a > b:
        a, da, b, db = b, db, a, da
    below = min(last, int((b - a) / (da - db)) + 1)  # so many numbers in which the second line is the larger
    return sum_of_line(b, db, below) + sum_of_line(a + below * da, da, count - below)
