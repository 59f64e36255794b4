"""Two scenarios side by side."""

from typing import Any

from lessoncore.declaration import Field, Problem
from lessoncore.errors import LessonError
from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.widgets.fields import FIGURES_UP_TO_8, VARIANT
from lessoncore.widgets.kinds import Kind


def _build(values: dict[str, Any], page: Page) -> str:
    part = {"kind": "comparison", **{key: values[key] for key in ("left", "right", "figures")}}
    return (
        '<section class="lc-box lc-compare" aria-label="Side by side">'
        '<p class="lc-box__title">Side by side</p>' + live(part, page) + "</section>"
    )


def _verify(values: dict[str, Any], page: Page) -> list[Problem]:
    problems = []
    for side in ("left", "right"):
        try:
            page.estimate(values[side]["with"], own=True)
        except LessonError as error:
            problems.append(Problem(side, f"{side}: {error}"))
    if values["left"]["with"] == values["right"]["with"]:
        problems.append(Problem("right", "right: both sides are the same scenario."))
    return problems


COMPARISON = Kind(
    name="comparison",
    summary="Two scenarios side by side: the figures of both, the difference in words, the better one marked.",
    fields=(
        Field("left", VARIANT, "What is changed in the page's scenario on the left."),
        Field("right", VARIANT, "What is changed on the right; the difference is told from the left."),
        Field("figures", FIGURES_UP_TO_8, "The figures that are compared, one below the other."),
    ),
    build=_build,
    verify=_verify,
    example="""\
kind: comparison
left: {label: bf16 weights, with: {weights: bf16}}
right: {label: fp8 weights, with: {weights: fp8}}
figures: [ttft, tpot, weight_bytes]
""",
)
