"""The declaration of a widget kind, from which its check, its documentation and its HTML follow."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lessoncore.errors import LessonError, closest
from lessoncore.page import Page
from lessoncore.widgets.fields import FieldType


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a kind. Without a ``default`` it must be given."""

    key: str
    type: FieldType
    help: str
    default: Any = None


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake of an author: the key it is about (or none), and the sentence that says it."""

    key: str | None
    message: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of widget: ``build`` writes its HTML for a page that is being built.

    ``verify`` finds mistakes that only the whole widget shows, such as a task that is done from the start.
    """

    name: str
    summary: str
    fields: tuple[Field, ...]
    build: Callable[[dict[str, Any], Page], str]
    example: str
    verify: Callable[[dict[str, Any], Page], list[Problem]] = lambda values, page: []

    def check(self, given: dict[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
        """Check what an author wrote; give the values with defaults filled in, and all mistakes at once."""
        known = {field.key: field for field in self.fields}
        problems = [
            Problem(str(key), f"unknown key '{key}'.{closest(str(key), list(known))} Known: {', '.join(known)}.")
            for key in given
            if key not in known
        ]
        values: dict[str, Any] = {}
        for field in self.fields:
            if field.key not in given:
                if field.default is None:
                    problems.append(Problem(None, f"the key '{field.key}' is missing: {field.type.allowed}."))
                values[field.key] = field.default
                continue
            try:
                values[field.key] = field.type.check(given[field.key])
            except LessonError as error:
                problems.append(
                    Problem(
                        field.key,
                        f"{field.key}: {error}{_allowed(field, str(error))} Example: {field.key}: {field.type.example}",
                    )
                )
        return values, problems


def _allowed(field: Field, message: str) -> str:
    """What the field allows, unless the message has listed it already."""
    return "" if "Known:" in message else f" Allowed: {field.type.allowed}."
