"""Drills: numeric questions made fresh from the catalogue, each kind a declaration in a file of its own.

A kind lists what varies in its questions; every combination that makes sense is a question. Its answer is a
Quantity, computed by the formulas that the lesson uses, so that the worked solution is its derivation.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from lessoncore.errors import unknown
from lessoncore.formula import Quantity

Case = dict[str, Any]


class Slip(NamedTuple):
    """A likely mistake: the number that it leads to, in the answer's SI unit, and what to say about it."""

    value: float
    say: str


class Question(NamedTuple):
    """One question. ``scale`` is the unit in which it is asked for, a scale of the answer's unit.

    ``given`` are the numbers that the reader needs and can't know by heart: what they are called, and their values.
    ``counted`` answers are whole numbers: one more or one less is right, too.
    """

    text: str
    given: tuple[tuple[str, str], ...]
    answer: Quantity
    scale: str
    slips: tuple[Slip, ...] = ()
    counted: bool = False


class Drill(NamedTuple):
    """A kind of question.

    ``vary`` holds what varies and its values; ``ask`` makes the question of one combination, or gives nothing
    where it makes no sense. ``first`` is the combination that a page is built with. An answer counts that is off
    by at most ``tolerance`` of the right one.
    """

    name: str
    summary: str
    formula: str
    step: int
    vary: dict[str, tuple[Any, ...]]
    ask: Callable[[Case], Question | None]
    first: Case
    tolerance: float = 0.02


_MODULES = {
    name: f"lessoncore.drills.{name.replace('-', '_')}"
    for name in (
        "decode-limit",
        "weights-per-gpu",
        "ridge-point",
        "ttft-from-flops",
        "kv-per-token",
        "users-that-fit",
        "batch-rate",
        "training-flops",
    )
}
NAMES = list(_MODULES)


def drill(name: object) -> Drill:
    """Find a drill by its name; LessonError names the known ones."""
    if not isinstance(name, str) or name not in _MODULES:
        raise unknown("drill", name, NAMES)
    found: Drill = import_module(_MODULES[name]).DRILL
    return found
