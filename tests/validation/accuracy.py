"""Hold both sets of assumptions against published measurements: ``python tests/validation/accuracy.py``.

Prints, for each effect and in all, the median and the 90th percentile of the absolute error and the share of rows
within 15%; then the same for every clean row, with the queues and the memory of training, to which nothing is fitted.
The last columns are the calibrated set cross-validated: the constants fitted anew without the source
that a row comes from. ``--rows`` lists every row, ``--quick`` leaves cross-validation out. ``--keep`` writes what takes
too long for a page into lessoncore/evidence: the cross-validated errors and the simulated queues.
"""

import csv
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # run as a script, it finds lessoncore without installing it

from lessoncore import evidence
from lessoncore.assumptions import CALIBRATED, TEXTBOOK, Assumptions
from lessoncore.evidence import EFFECTS, Accuracy, Row, accuracy, rows
from lessoncore.evidence.effects import ALL, EVERY, OTHERS
from lessoncore.evidence.rows import all_rows


def by_effect(data: Sequence[Row], error: Callable[[Row], float]) -> dict[str, Accuracy]:
    """The accuracy of each effect, and of all rows."""
    errors = {row.id: error(row) for row in data}
    shown = {key: accuracy(errors[row.id] for row in data if key in row.effects) for key in EFFECTS}
    return shown | {"all": accuracy(errors.values())}


def left_out() -> str:
    """What the line of all rows leaves out, in a sentence."""
    counts = {one.label: sum(key in row.effects for row in all_rows()) for key, one in OTHERS.items()}
    named = ", ".join(f"{count} of {label}" for label, count in counts.items())
    return f'"{ALL.label}" leaves out {named}: nothing is fitted to them. "{EVERY.label}" has them.'


def cross_validated(data: Sequence[Row], *sources: str) -> dict[str, Assumptions]:
    """For each source, or only for ``sources``, the constants fitted to the rows of all others."""
    from fit import fit

    sources = sources or tuple(sorted({row.source for row in data}))
    return {source: fit([row for row in data if row.source != source]) for source in sources}


def cross_validated_errors(data: Sequence[Row]) -> list[dict[str, str]]:
    """The error of each row with constants that its source had no part in."""
    without = cross_validated(data)
    return [{"id": row.id, "error": f"{row.error(without[row.source]):.4f}"} for row in data]


def simulated_queues() -> list[dict[str, str]]:
    """What the simulation says to each measured percentile and to the closed loop: seconds, and tokens a second."""
    from queue_rows import CLIFF, cliff, queue_rows

    sets = (TEXTBOOK, CALIBRATED)
    found = {row.id: [row.simulated_s(by) for by in sets] for row in queue_rows()}
    for users in CLIFF:
        results = [cliff(users, by) for by in sets]
        found[f"{users} users, ttft"] = [result.ttft.mean_s for result in results]
        found[f"{users} users, tpot"] = [result.tpot.mean_s for result in results]
        found[f"{users} users, rate"] = [result.tokens_per_s for result in results]
    return [
        {"id": key} | {by.key: f"{value:.4g}" for by, value in zip(sets, values, strict=True)}
        for key, values in found.items()
    ]


def keep(name: str, lines: list[dict[str, str]]) -> None:
    """Write a file beside the measurements."""
    with (Path(evidence.__file__).parent / name).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def main(arguments: list[str]) -> None:
    """Print the table."""
    data = rows()
    errors: dict[str, Callable[[Row], float]] = {
        "textbook": lambda row: row.error(TEXTBOOK),
        "calibrated": lambda row: row.error(CALIBRATED),
    }
    if "--quick" not in arguments:
        without = cross_validated(data)
        # Rows that nothing is fitted to are predicted without their source anyway.
        errors["cross-validated"] = lambda row: row.error(without[row.source] if row.is_predicted else CALIBRATED)
    columns = {
        name: by_effect(data, error) | {EVERY.key: accuracy(map(error, all_rows()))} for name, error in errors.items()
    }
    print(f"{'':27}{'rows':>5}" + "".join(f"  {name:^22}" for name in columns))
    print(f"{'absolute error':32}" + f"  {'median':>7} {'p90':>7} {'≤15%':>6}" * len(columns))
    for effect in (*EFFECTS.values(), ALL, EVERY):
        count = columns["textbook"][effect.key].count
        print(f"{effect.label:27}{count:5}" + "".join(f"  {column[effect.key]}" for column in columns.values()))
    print(left_out())
    if "--keep" in arguments:
        keep("cross_validated.csv", cross_validated_errors(data))
        keep("simulated.csv", simulated_queues())
    if "--rows" in arguments:
        for row in sorted(data, key=lambda row: row.error(CALIBRATED)):
            f = row.fields
            print(
                f"{row.error(CALIBRATED):+7.1%} {row.error(TEXTBOOK):+7.1%}  {row.id} {f['engine']}, {f['model']} "
                f"{f['weight_dtype']}, {f['tp']} × {f['gpu']}, {f['input_len']} + {f['output_len']}, {f['metric']}"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
