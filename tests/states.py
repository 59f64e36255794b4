"""What a reader can set a step to: every control at its ends, all of them together, and where the tasks lead."""

import itertools
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from solving import solution, tasks_of

from lessoncore.errors import LessonError
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS, Choice, Count
from site_hooks.lesson_markdown import LessonExtension

DOCS = Path(__file__).parents[1] / "docs"
# Each takes seconds: a simulation as long as the queue gets.
_SLOW_TO_SIMULATE = {"15-slo": {"rate": (0.5, 3.0, 20.0), "replicas": (1, 4), "batch": (1, 64, 512)}}


@cache
def stage_of(path: Path) -> dict[str, Any] | None:
    """What a page's stage declares."""
    reading = LessonExtension(file=path.name, searches=False).check(path.read_text().split("\n---\n", 1)[-1])
    return reading.stage.values if reading.stage else None


@cache
def pages_of(path: Path) -> list[Page]:
    """The page as it is built, then in each of those states."""
    stage = stage_of(path)
    if stage is None or path.stem == "18-playground":
        return [Page(searches=False)]
    given = [{}, *_at_the_ends(path, stage), *(solution(stage, task) or {} for stage, task in tasks_of(path))]
    texts = [{key: PARAMETERS[key].text(v) if isinstance(v, int | float) else v for key, v in s.items()} for s in given]
    pages = [Page(stage["scenario"], state, searches=False) for state in texts]
    return [page for page in pages if not page.problems]


def _at_the_ends(path: Path, stage: dict[str, Any]) -> Iterator[dict[str, Any]]:
    ends = {key: _SLOW_TO_SIMULATE.get(path.stem, {}).get(key) or _ends(stage, key) for key in stage["controls"]}
    if "price" in stage["scenario"]:
        ends["price"] = (0.01, 100.0)
    for key, values in ends.items():
        yield from ({key: value} for value in values)
    for values in itertools.product(*ends.values()):
        yield dict(zip(ends, values, strict=True))


def _ends(stage: dict[str, Any], key: str) -> tuple[Any, ...]:
    p = PARAMETERS[key]
    if isinstance(p, Count):
        return (p.low, p.high)
    assert isinstance(p, Choice)
    return tuple(stage["offered"].get(key) or p.options())


def possible(page: Page) -> bool:
    """Whether a state's estimate can be made at all."""
    try:
        page.estimate()
    except LessonError:
        return False
    return True
