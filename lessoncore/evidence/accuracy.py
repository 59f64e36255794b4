"""How far off a set of assumptions is: errors summed up, by effect."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

from lessoncore.assumptions import Assumptions
from lessoncore.evidence.effects import effect
from lessoncore.evidence.rows import rows_of


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How far off a set of assumptions is on some rows, as shares of the measured time."""

    count: int
    median: float
    ninetieth: float
    within_15: float

    def __str__(self) -> str:
        return f"{self.median:7.1%} {self.ninetieth:7.1%} {self.within_15:6.1%}"


def accuracy(errors: Iterable[float]) -> Accuracy:
    """Sum errors up: the median and the 90th percentile of their sizes, and the share within 15%.

    >>> accuracy([-0.1, 0.0, 0.3])
    Accuracy(count=3, median=0.1, ninetieth=0.26, within_15=0.6666666666666666)
    """
    off = sorted(map(abs, errors))
    place = 0.9 * (len(off) - 1)
    below = int(place)
    above = min(below + 1, len(off) - 1)
    ninetieth = off[below] + (place - below) * (off[above] - off[below])
    return Accuracy(len(off), median(off), round(ninetieth, 12), sum(e <= 0.15 for e in off) / len(off))


@lru_cache(maxsize=64)
def accuracy_of(key: str, assumptions: Assumptions) -> Accuracy:
    """How far off ``assumptions`` are on the rows of one effect, or on all rows that are fitted to.

    >>> from lessoncore.assumptions import CALIBRATED
    >>> accuracy_of("decode_bs1", CALIBRATED).count
    20
    """
    return accuracy(row.error(assumptions) for row in rows_of(effect(key).key))
