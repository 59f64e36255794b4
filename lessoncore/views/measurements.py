"""The pieces of the measurements' widget, drawn from what its form holds."""

from collections.abc import Callable
from typing import Any

from lessoncore.errors import LessonError, unknown
from lessoncore.evidence.chosen import FILTERS, Chosen, row_named
from lessoncore.views.markup import is_page_address
from lessoncore.views.measured import closed_loop, errors, one, queues, table
from lessoncore.views.scatter import scatter, summary

PIECES = ("summary", "dots", "row", "table")
TABLES: dict[str, Callable[[], str]] = {"effects": errors, "queues": queues, "closed-loop": closed_loop}


def piece(spec: dict[str, Any], inputs: dict[str, str], key: str) -> str:
    """One of PIECES; filters that the form doesn't hold are as the widget has them at first."""
    show, name = spec["show"], spec["name"]
    if show not in PIECES:
        raise unknown("piece of the measurements", show, list(PIECES))
    for filter_name in ("by", *FILTERS):
        if not isinstance(spec.get(filter_name, ""), str):
            raise LessonError(f"'{filter_name}' of the measurements needs to be text.")
    chosen = Chosen(
        **{k: inputs.get(f"{name}.{k}", spec.get(k, "calibrated" if k == "by" else "")) for k in ("by", *FILTERS)}
    )
    if show == "dots":
        return scatter(chosen, key)
    if show == "summary":
        return summary(chosen)
    playground = spec.get("playground", "")
    if playground and not is_page_address(playground):
        raise LessonError("'playground' of the measurements needs to be a page of the site.")
    if show == "table":
        return table(chosen, playground)
    picked = inputs.get(f"{name}.row", "")
    return one(row_named(picked), chosen.by, playground) if picked else ""


def errors_table(show: str) -> str:
    """One of TABLES."""
    if show not in TABLES:
        raise unknown("table of errors", show, list(TABLES))
    return TABLES[show]()
