"""Predict, then see: one question before the answer shows."""

from html import escape
from typing import Any

from lessoncore.declaration import Field, Problem
from lessoncore.errors import LessonError
from lessoncore.figures import figure
from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.views.markup import attribute
from lessoncore.widgets.fields import FIGURE, GAPS, NUMBER, SLIDER, TEXT
from lessoncore.widgets.kinds import Kind


def _name(values: dict[str, Any]) -> str:
    return f"guess-{values['figure'].replace('_', '-')}"


def _build(values: dict[str, Any], page: Page) -> str:
    slider, name = values["slider"], _name(values)
    joiner = "" if slider["unit"] == "%" else "\N{NO-BREAK SPACE}"
    start = f"{slider['start']:g}"
    answer = {
        "kind": "answer",
        "figure": values["figure"],
        "scale": slider["unit"],
        "input": name,
        "close": values["close"],
        "gaps": values["gaps"],
    }
    return (
        '<section class="lc-box lc-predict" aria-label="Guess first"><p class="lc-box__title">Guess first</p>'
        f'<p id="{name}-question">{escape(values["question"])}</p>'
        f'<div class="lc-predict__guess"><input type="range" min="{slider["min"]:g}" max="{slider["max"]:g}"'
        f' value="{start}" step="any" data-input="{name}" data-unit="{attribute(joiner + slider["unit"])}"'
        f' aria-labelledby="{name}-question" autocomplete="off">'
        f'<output class="lc-predict__value" data-echo="{name}">{start}{joiner}{escape(slider["unit"])}</output></div>'
        f'<details class="lc-predict__answer" data-gives="{name}"><summary>See the answer</summary>'
        f"{live(answer, page, extra='aria-live="polite"')}</details></section>"
    ).replace('step="any"', f'step="{_step(slider)}"')


def _step(slider: dict[str, Any]) -> str:
    """A hundred positions, on round numbers."""
    rough = (slider["max"] - slider["min"]) / 100
    power = 10.0 ** (len(f"{rough:.0f}") - 1) if rough >= 1 else 0.1
    return f"{max(power, round(rough / power) * power):g}" if rough >= 0.1 else f"{rough:g}"


def _verify(values: dict[str, Any], page: Page) -> list[Problem]:
    slider, problems = values["slider"], []
    if not slider["min"] <= slider["start"] <= slider["max"] or slider["min"] == slider["max"]:
        problems.append(Problem("slider", "slider: needs min <= start <= max, and min below max."))
    try:
        shown = figure(values["figure"]).shown(page.estimate(own=True), scale=slider["unit"])
    except LessonError as error:
        return [*problems, Problem("slider", f"slider: {error}")]
    if not slider["min"] <= float(shown.number.strip(">").replace(",", "")) <= slider["max"]:
        problems.append(Problem("slider", f"slider: the answer, {shown}, lies outside min and max."))
    return problems


PREDICT = Kind(
    name="predict",
    summary="A question with a slider; the answer names the gap and the likely misconception.",
    fields=(
        Field("question", TEXT, "What the reader is asked."),
        Field("figure", FIGURE, "The figure that answers it, for the page's own scenario."),
        Field("slider", SLIDER, "The range of the guess, where it starts, and its unit."),
        Field("close", NUMBER, "A guess within this many units counts as close.", 5),
        Field("gaps", GAPS, "What to say when the guess was less, or more, than the answer."),
    ),
    build=_build,
    example="""\
kind: predict
question: How much of the time goes into the answer?
figure: decode_share
slider: {min: 0, max: 100, start: 40, unit: "%"}
gaps:
  - when: less
    say: Each token of the answer needs a pass of its own.
""",
    verify=_verify,
)
