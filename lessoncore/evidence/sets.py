"""The predictions that measurements are held against: two sets of assumptions, and the fit without a row's source."""

import csv
from functools import cache
from io import StringIO

from lessoncore.assumptions import ASSUMPTIONS
from lessoncore.errors import unknown
from lessoncore.evidence.rows import Row
from lessoncore.evidence.subjects import text_of

# Key -> the words for readers.
SETS = {
    "textbook": "Textbook",
    "calibrated": "Calibrated",
    "cross-validated": "Calibrated without the row’s source",
}


@cache
def _cross_validated() -> dict[str, float]:
    return {
        line["id"]: float(line["error"])
        for line in csv.DictReader(StringIO(text_of("cross_validated.csv"), newline=""))
    }


def error(row: Row, key: str) -> float:
    """By what share the prediction of a set is off.

    Cross-validated means that the constants were fitted anew without the row's source. That takes long, so the errors
    are kept in a file, which ``make evidence`` writes. Rows that nothing is fitted to have those of the calibrated set.

    >>> from lessoncore.evidence.rows import rows
    >>> round(error(rows()[0], "calibrated"), 3)
    0.025
    """
    if key not in SETS:
        raise unknown("set of predictions", key, list(SETS))
    if key == "cross-validated":
        if row.id in _cross_validated():
            return _cross_validated()[row.id]
        key = "calibrated"
    return row.error(ASSUMPTIONS[key])
