"""Try it: tasks that tick themselves when the reader has brought the scenario there."""

from typing import Any

from lessoncore.conditions import holds
from lessoncore.declaration import Field, Problem
from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.views.markup import escape
from lessoncore.widgets.fields import TASKS
from lessoncore.widgets.kinds import Kind


def _build(values: dict[str, Any], page: Page) -> str:
    items = "".join(_task(n, task, page) for n, task in enumerate(values["tasks"], start=1))
    return (
        '<section class="lc-box lc-tasks" aria-label="Try it"><p class="lc-box__title">Try it</p>'
        f'<ul class="lc-tasks__list">{items}</ul></section>'
    )


def _task(n: int, task: dict[str, Any], page: Page) -> str:
    tick = live({"kind": "task", "when": task["when"]}, page, tag="span", cls="lc-task__tick")
    return (
        f'<li class="lc-task" data-task="{n}">{tick}<div><span class="lc-task__text">{escape(task["text"])}</span>'
        '<span class="lc-task__state">not done yet</span>'
        f'<p class="lc-task__done">{escape(task["done"])}</p></div></li>'
    )


def _verify(values: dict[str, Any], page: Page) -> list[Problem]:
    return [
        Problem("tasks", f"task {n} is done before the reader has done anything: {task['when']} holds from the start.")
        for n, task in enumerate(values["tasks"], start=1)
        if holds(task["when"], page.estimate(own=True))
    ]


TASKS_KIND = Kind(
    name="tasks",
    summary="One to three tasks, each with a condition on figures that ticks it off.",
    fields=(Field("tasks", TASKS, "The tasks: text, when it is done, and what to learn from it."),),
    build=_build,
    example="""\
kind: tasks
tasks:
  - text: Bring the whole answer under one second without touching the prompt.
    when: {total: "< 1 s", prompt: "= 2000"}
    done: Only a shorter answer does it.
""",
    verify=_verify,
)
