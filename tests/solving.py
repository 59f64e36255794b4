"""How a reader could do a task of the lesson: by trying the controls that its page offers."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lessoncore.conditions import holds
from lessoncore.errors import LessonError
from lessoncore.estimate import estimate
from lessoncore.parameters import PARAMETERS, Count
from lessoncore.scenario import Scenario
from site_hooks.lesson_markdown import LessonExtension

STEPS = sorted((Path(__file__).parents[1] / "docs" / "steps").glob("*.md"))


def tasks_of(path: Path) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The tasks of a step, each with what its stage declares."""
    reading = LessonExtension(file=path.name).check(path.read_text().split("\n---\n", 1)[-1])
    if not reading.stage:
        return []
    widgets = [widget for widget in reading.widgets.values() if widget.kind.name == "tasks"]
    return [(reading.stage.values, task) for widget in widgets for task in widget.values["tasks"]]


def solution(stage: dict[str, Any], task: dict[str, Any]) -> dict[str, Any] | None:
    """What to set the controls to, or nothing where no setting does the task."""
    own = Scenario().but(**stage["scenario"])
    controls = stage["controls"]
    named = [key for key in controls if key in task["when"]]
    tries = itertools.chain(
        *(_combinations([key], own, thin=False) for key in controls),  # one control is nearly always enough
        _combinations(named, own, thin=len(named) > 1),
        _combinations(controls, own, thin=True),
    )
    return next((changes for changes in tries if _done(task, own, changes)), None)


def _combinations(keys: list[str], own: Scenario, thin: bool) -> Iterator[dict[str, Any]]:
    for values in itertools.product(*(_settings(key, getattr(own, key), thin) for key in keys)):
        yield dict(zip(keys, values, strict=True))


def _settings(key: str, own: Any, thin: bool) -> list[Any]:
    """The page's own value first, then every stop or option, or only some of them."""
    p = PARAMETERS[key]
    if not isinstance(p, Count):
        return [own, *p.options()]
    return [own, *p.stops[:: max(1, len(p.stops) // 25) if thin else 1]]


def _done(task: dict[str, Any], own: Scenario, changes: dict[str, Any]) -> bool:
    try:
        return holds(task["when"], estimate(own.but(**changes)))
    except LessonError:
        return False
