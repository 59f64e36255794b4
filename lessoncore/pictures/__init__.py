"""The pictures that a page can show, by name; each is loaded when a page first needs it.

A picture is one declaration: its parameters, how it is drawn from the page's state, and a correct example.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

from lessoncore.declaration import Field, Problem, check_fields
from lessoncore.errors import LessonError, unknown
from lessoncore.page import Page
from lessoncore.record import Record


class Picture(Record):
    """A kind of picture. ``draw(values, page, key)`` gives its HTML; ``key`` is unique on the page, for ids.

    A ``film`` is a picture with moving things (views.svg.film) that the page's player plays. ``verify`` finds
    an author's mistakes that only the page's scenario or its ``controls`` show.
    """

    name: str
    summary: str
    fields: tuple[Field, ...]
    draw: Callable[[dict[str, Any], Page, str], str]
    example: str
    film: bool = False
    costly: bool = False  # takes long to draw: the gallery shows it once, not in all its states
    slow: bool = False  # takes long to calculate: a stage has what its sliders can be set to calculated ahead
    verify: Callable[[dict[str, Any], Page, list[str]], list[Problem]] = lambda values, page, controls: []

    def checked(self, spec: dict[str, Any]) -> dict[str, Any]:
        """What a part asks to be drawn, with the defaults of what it leaves out; LessonError where it can't be."""
        given = {
            field.key: spec[field.key] for field in self.fields if spec.get(field.key, field.default) != field.default
        }
        values, problems = check_fields(self.fields, given)
        if problems:
            raise LessonError(problems[0].message)
        return spec | values


SIZES = ("wide", "narrow")


class _Drawn(Protocol):
    size: str


def in_sizes[T: type[_Drawn]](values: dict[str, Any], *kinds: T) -> list[T]:
    """Those of a picture's ways to be drawn that are wanted: all on a built page, on a live one that on the screen."""
    return [kind for kind in kinds if values.get("size", "") in ("", kind.size)]


_MODULES = {
    "timeline": "lessoncore.pictures.timeline",
    "roofline": "lessoncore.pictures.roofline",
    "curves": "lessoncore.pictures.curves",
    "tank": "lessoncore.pictures.tank",
    "lanes": "lessoncore.pictures.lanes",
    "gpus": "lessoncore.pictures.gpus",
    "stack": "lessoncore.pictures.stack",
    "queue": "lessoncore.pictures.queue",
}
NAMES = list(_MODULES)


def picture(name: object) -> Picture:
    """Find a picture by its name; LessonError names the known ones."""
    if not isinstance(name, str) or name not in _MODULES:
        raise unknown("picture", name, NAMES)
    found: Picture = import_module(_MODULES[name]).PICTURE
    return found
