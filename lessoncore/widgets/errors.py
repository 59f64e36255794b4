"""How far off the model is: a table by effect, or measured servers under load beside the simulation of them."""

from typing import Any

from lessoncore.declaration import Field
from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.views.measurements import TABLES
from lessoncore.widgets.fields import pick
from lessoncore.widgets.kinds import Kind

_NAMES = {
    "effects": "Errors by effect",
    "queues": "Servers under load, measured and simulated",
    "closed-loop": "A closed loop, measured and simulated",
}


def _build(values: dict[str, Any], page: Page) -> str:
    name = _NAMES[values["of"]]
    return (
        f'<div class="lc-errors lc-scroll" tabindex="0" role="group" aria-label="{name}">'
        + live({"kind": "errors", "of": values["of"]}, page)
        + "</div>"
    )


ERRORS = Kind(
    name="errors",
    summary="How far off the model is: by effect, or for servers under load.",
    fields=(
        Field(
            "of",
            pick(*TABLES),
            "The errors by effect, servers that are asked at random, or one that is asked by more and more users.",
            "effects",
        ),
    ),
    build=_build,
    example="kind: errors\nof: effects\n",
    more=("kind: errors\nof: closed-loop\n",),
)
