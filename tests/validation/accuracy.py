"""Hold both sets of assumptions against published measurements: ``python tests/validation/accuracy.py``.

Prints, for each effect and in all, the median and the 90th percentile of the absolute error and the share of rows
within 15%. The last columns are the calibrated set cross-validated: the constants fitted anew without the source
that a row comes from. ``--rows`` lists every row, ``--quick`` leaves cross-validation out.
"""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[2]))  # run as a script, it finds lessoncore without installing it

from rows import Row, rows

from lessoncore.assumptions import CALIBRATED, TEXTBOOK, Assumptions

EFFECTS = (
    "decode at batch 1",
    "batching",
    "tensor parallel",
    "quantised weights",
    "long context",
    "TTFT up to 128 tokens",
    "TTFT from 2,000 tokens",
    "offline throughput",
    "small model",
    "training to 8K tokens",
    "training beyond 8K tokens",
)


@dataclass(frozen=True)
class Accuracy:
    """How far off a set of assumptions is on some rows, as shares of the measured time."""

    count: int
    median: float
    ninetieth: float
    within_15: float

    def __str__(self) -> str:
        return f"{self.median:7.1%} {self.ninetieth:7.1%} {self.within_15:5.0%}"


def accuracy(errors: Iterable[float]) -> Accuracy:
    """Sum errors up.

    >>> accuracy([-0.1, 0.0, 0.3])
    Accuracy(count=3, median=0.1, ninetieth=0.26, within_15=0.6666666666666666)
    """
    off = sorted(map(abs, errors))
    place = 0.9 * (len(off) - 1)
    below = int(place)
    above = min(below + 1, len(off) - 1)
    ninetieth = off[below] + (place - below) * (off[above] - off[below])
    return Accuracy(len(off), median(off), round(ninetieth, 12), sum(e <= 0.15 for e in off) / len(off))


def by_effect(data: list[Row], error: Callable[[Row], float]) -> dict[str, Accuracy]:
    """The accuracy of each effect, and of all rows."""
    errors = {row.id: error(row) for row in data}
    shown = {effect: accuracy(errors[row.id] for row in data if effect in row.effects) for effect in EFFECTS}
    return shown | {"all rows": accuracy(errors.values())}


def cross_validated(data: list[Row]) -> dict[str, Assumptions]:
    """For each source, the constants fitted to the rows of all others."""
    from fit import fit

    sources = sorted({row.source for row in data})
    return {source: fit([row for row in data if row.source != source]) for source in sources}


def main(arguments: list[str]) -> None:
    """Print the table."""
    data = rows()
    columns = {
        "textbook": by_effect(data, lambda row: row.error(TEXTBOOK)),
        "calibrated": by_effect(data, lambda row: row.error(CALIBRATED)),
    }
    if "--quick" not in arguments:
        without = cross_validated(data)
        columns["cross-validated"] = by_effect(data, lambda row: row.error(without[row.source]))
    print(f"{'':27}{'rows':>5}" + "".join(f"  {name:^21}" for name in columns))
    print(f"{'absolute error':32}" + f"  {'median':>7} {'p90':>7} {'≤15%':>5}" * len(columns))
    for effect in (*EFFECTS, "all rows"):
        count = columns["textbook"][effect].count
        print(f"{effect:27}{count:5}" + "".join(f"  {column[effect]}" for column in columns.values()))
    if "--rows" in arguments:
        for row in sorted(data, key=lambda row: row.error(CALIBRATED)):
            f = row.fields
            print(
                f"{row.error(CALIBRATED):+7.1%} {row.error(TEXTBOOK):+7.1%}  {row.id} {f['engine']}, {f['model']} "
                f"{f['weight_dtype']}, {f['tp']} × {f['gpu']}, {f['input_len']} + {f['output_len']}, {f['metric']}"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
