"""Which measurements a reader asked for: by what they show, on which GPU, with which engine, in which quantity."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from lessoncore.errors import unknown
from lessoncore.evidence.effects import KNOWN
from lessoncore.evidence.quantities import MEASURES, measure
from lessoncore.evidence.rows import Row, all_rows
from lessoncore.evidence.sets import SETS
from lessoncore.evidence.subjects import gpu


def _gpu(row: Row) -> str:
    return gpu(row.fields["gpu"]).key


# Filter -> its label, and the values of a row by which it is found.
FILTERS: dict[str, tuple[str, Callable[[Row], list[str]]]] = {
    "quantity": ("Quantity", lambda row: [measure(row).key]),
    "effect": ("Effect", lambda row: row.effects),
    "gpu": ("GPU", lambda row: [_gpu(row)]),
    "engine": ("Engine", lambda row: [row.fields["engine"]]),
}


@cache
def options(name: str) -> dict[str, tuple[str, int]]:
    """What a filter can be set to: the value, its words, and how many rows have it.

    >>> options("effect")["decode_bs1"]
    ('decode at batch 1', 20)
    """
    of = FILTERS[name][1]
    count = Counter(value for row in all_rows() for value in of(row))
    if name == "effect":
        return {key: (one.label, count[key]) for key, one in KNOWN.items()}
    if name == "quantity":
        return {key: (one.label, count[key]) for key, one in MEASURES.items()}
    labels = {_gpu(row): gpu(row.fields["gpu"]).label for row in all_rows()}
    return {value: (labels.get(value, value), n) for value, n in count.most_common()}


@dataclass(frozen=True, slots=True)
class Chosen:
    """A reader's choice; an empty filter lets all rows through. LessonError where there is no such value."""

    by: str = "calibrated"
    quantity: str = ""
    effect: str = ""
    gpu: str = ""
    engine: str = ""

    def __post_init__(self) -> None:
        """Check every value."""
        if self.by not in SETS:
            raise unknown("set of predictions", self.by, list(SETS))
        for name in FILTERS:
            value = getattr(self, name)
            if value and value not in options(name):
                raise unknown(FILTERS[name][0], value, list(options(name)))

    def rows(self) -> list[Row]:
        """The rows that pass every filter."""
        asked = [(of, value) for name, (_, of) in FILTERS.items() if (value := getattr(self, name))]
        return [row for row in all_rows() if all(value in of(row) for of, value in asked)]


def row_named(key: str) -> Row:
    """The row of measurements.csv with this id."""
    found = {row.id: row for row in all_rows()}
    if key not in found:
        raise unknown("measurement", key, list(found)[:3])
    return found[key]
