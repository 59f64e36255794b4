"""Every task of the lesson can be done with the controls that its page offers."""

from typing import Any

import pytest
from solving import STEPS, solution, tasks_of

TASKS = [
    pytest.param(stage, task, id=f"{path.stem}-{n}")
    for path in STEPS
    for n, (stage, task) in enumerate(tasks_of(path), start=1)
]


@pytest.mark.parametrize(("stage", "task"), TASKS)
def test_a_task_can_be_done(stage: dict[str, Any], task: dict[str, Any]) -> None:
    assert solution(stage, task) is not None, task["text"]
