"""Checking what an author wrote against a declaration: one mechanism for widgets and for pictures."""

from collections.abc import Callable
from typing import Any

from lessoncore.errors import LessonError, closest
from lessoncore.record import Record


class FieldType(Record):
    """A type of field: how it is checked, what is allowed in words, and a correct example in YAML."""

    check: Callable[[Any], Any]
    allowed: str
    example: str


class Field(Record):
    """A field of a declaration. Without a ``default`` it must be given."""

    key: str
    type: FieldType
    help: str
    default: Any = None


class Problem(Record):
    """A mistake of an author: the key it is about (or none), and the sentence that says it."""

    key: str | None
    message: str


def check_fields(fields: tuple[Field, ...], given: dict[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    """Check what was given for ``fields``; give the values with defaults filled in, and all mistakes at once."""
    known = {field.key: field for field in fields}
    problems = [
        Problem(str(key), f"unknown key '{key}'.{closest(str(key), list(known))} Known: {', '.join(known) or 'none'}.")
        for key in given
        if key not in known
    ]
    values: dict[str, Any] = {}
    for field in fields:
        if field.key not in given:
            if field.default is None:
                problems.append(Problem(None, f"the key '{field.key}' is missing: {field.type.allowed}."))
            values[field.key] = field.default
            continue
        try:
            values[field.key] = field.type.check(given[field.key])
        except LessonError as error:
            problems.append(Problem(field.key, _message(field, str(error))))
    return values, problems


def _message(field: Field, error: str) -> str:
    allowed = "" if "Known:" in error else f" Allowed: {field.type.allowed}."
    return f"{field.key}: {error}{allowed} Example: {field.key}: {field.type.example}"
