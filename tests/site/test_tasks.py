"""Every task of the lesson can be done with the controls that its page offers."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lessoncore.conditions import holds
from lessoncore.errors import LessonError
from lessoncore.estimate import estimate
from lessoncore.parameters import PARAMETERS, Count
from lessoncore.scenario import Scenario
from site_hooks.lesson_markdown import LessonExtension

STEPS = sorted((Path(__file__).parents[2] / "docs" / "steps").glob("*.md"))


def tasks() -> Iterator[Any]:
    for path in STEPS:
        text = path.read_text().split("\n---\n", 1)[-1]
        reading = LessonExtension(file=path.name).check(text)
        for widget in reading.widgets.values():
            if widget.kind.name == "tasks" and reading.stage:
                for n, task in enumerate(widget.values["tasks"], start=1):
                    yield pytest.param(reading.stage.values, task, id=f"{path.stem}-{n}")


def settings_of(key: str, own: Any, thin: bool) -> list[Any]:
    """What a reader would try: the page's own value first, then every stop or option, or only some of them."""
    p = PARAMETERS[key]
    if not isinstance(p, Count):
        return [own, *p.options()]
    return [own, *p.stops[:: max(1, len(p.stops) // 25) if thin else 1]]


@pytest.mark.parametrize(("stage", "task"), list(tasks()))
def test_a_task_can_be_done(stage: dict[str, Any], task: dict[str, Any]) -> None:
    own = Scenario().but(**stage["scenario"])
    controls = stage["controls"]
    named = [key for key in controls if key in task["when"]]
    tries = itertools.chain(
        *(_combinations([key], own, thin=False) for key in controls),  # one control is nearly always enough
        _combinations(named, own, thin=len(named) > 1),
        _combinations(controls, own, thin=True),
    )
    assert any(_done(task, own, changes) for changes in tries), task["text"]


def _combinations(keys: list[str], own: Scenario, thin: bool) -> Iterator[dict[str, Any]]:
    for values in itertools.product(*(settings_of(key, getattr(own, key), thin) for key in keys)):
        yield dict(zip(keys, values, strict=True))


def _done(task: dict[str, Any], own: Scenario, changes: dict[str, Any]) -> bool:
    try:
        return holds(task["when"], estimate(own.but(**changes)))
    except LessonError:
        return False
