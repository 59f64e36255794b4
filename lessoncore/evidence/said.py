"""The accuracy of an effect as a number in a sentence."""

from collections.abc import Callable

from lessoncore.assumptions import assumptions
from lessoncore.errors import unknown
from lessoncore.evidence.accuracy import Accuracy, accuracy_of
from lessoncore.units import whole

SAYINGS: dict[str, Callable[[Accuracy], str]] = {
    "median": lambda a: percent(a.median),
    "p90": lambda a: percent(a.ninetieth),
    "within_15": lambda a: percent(a.within_15, 0),
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
    """The median error of an effect, or another of SAYINGS, with a set of assumptions.

    >>> said("decode_bs1", "median", "calibrated"), said("decode_bs1", "rows", "textbook")
    ('4.6%', '20')
    """
    if of not in SAYINGS:
        raise unknown("number of an error", of, list(SAYINGS))
    return SAYINGS[of](accuracy_of(effect, assumptions(by)))
