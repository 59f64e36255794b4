"""The declaration of a widget kind, from which its check, its documentation and its HTML follow."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lessoncore.declaration import Field, Problem, check_fields
from lessoncore.page import Page


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of widget: ``build`` writes its HTML for a page that is being built.

    ``verify`` finds mistakes that only the whole widget shows, such as a task that is done from the start.
    ``more`` are further examples, for the gallery. A kind with ``moves`` is a page's stage: it has a scenario, and
    that gives the parameters which the reader can change in it. ``shows`` are figures in it that lead to their
    derivation at the page's end. A kind that ``asks`` a question right below the stage names the figure that answers
    it, as parts know it: the stage covers that until the reader has answered. A ``wide`` kind stands below stage and
    text, as wide as both, and so does what follows it.
    """

    name: str
    summary: str
    fields: tuple[Field, ...]
    build: Callable[[dict[str, Any], Page], str]
    example: str
    verify: Callable[[dict[str, Any], Page], list[Problem]] = lambda values, page: []
    more: tuple[str, ...] = ()
    wide: bool = False
    moves: Callable[[dict[str, Any]], list[str]] | None = None
    asks: Callable[[dict[str, Any]], dict[str, Any] | None] = lambda values: None
    shows: Callable[[dict[str, Any]], list[str]] = lambda values: []

    def check(self, given: dict[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
        """Check what an author wrote; give the values with defaults filled in, and all mistakes at once."""
        return check_fields(self.fields, given)
