"""The accuracy of an effect as a number in a sentence."""

from collections.abc import Callable

from lessoncore.errors import unknown
from lessoncore.evidence.accuracy import Accuracy, accuracy
from lessoncore.evidence.effects import effect as effect_of
from lessoncore.evidence.rows import rows_of
from lessoncore.evidence.sets import error
from lessoncore.units import whole

SAYINGS: dict[str, Callable[[Accuracy], str]] = {
    "median": lambda a: percent(a.median),
    "p90": lambda a: percent(a.ninetieth),
    "within_15": lambda a: percent(a.within_15, 1),
    "rows": lambda a: whole(a.count),
}


def percent(share: float, decimals: int | None = None) -> str:
    """A share in per cent; below ten with a decimal.

    >>> percent(0.0457), percent(0.501), percent(0.7625, 0)
    ('4.6%', '50%', '76%')
    """
    decimals = (1 if abs(share) < 0.0995 else 0) if decimals is None else decimals
    return f"{share * 100:.{decimals}f}%"


def said(effect: str, of: str, by: str) -> str:
    """The median error of an effect, or another of SAYINGS, by one of sets.SETS.

    >>> said("decode_bs1", "median", "calibrated"), said("decode_bs1", "rows", "textbook")
    ('4.6%', '20')
    """
    if of not in SAYINGS and of != "sources":
        raise unknown("number of an error", of, [*SAYINGS, "sources"])
    rows = rows_of(effect_of(effect).key)
    if of == "sources":
        return whole(len({row.source for row in rows}))
    return SAYINGS[of](accuracy(error(row, by) for row in rows))
