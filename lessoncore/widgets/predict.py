"""Predict, then see: one question before the answer shows, answered on a slider or by a choice."""

import zlib
from decimal import Decimal
from typing import Any

from lessoncore.conditions import holds
from lessoncore.declaration import Field, Problem
from lessoncore.errors import LessonError
from lessoncore.figures import figure
from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.views.markup import attribute, escape
from lessoncore.widgets.fields import CHOICES, FIGURE, GAPS, NUMBER, SCENARIO, SLIDER, TEXT
from lessoncore.widgets.kinds import Kind


def _name(values: dict[str, Any]) -> str:
    about = (
        values["figure"].replace("_", "-")
        if values["slider"]
        else f"{zlib.crc32(values['question'].encode('utf-8', 'surrogatepass')):08x}"
    )
    return f"guess-{about}"


def _build(values: dict[str, Any], page: Page) -> str:
    name = _name(values)
    guess, answer = (_slider if values["slider"] else _choices)(values, name)
    return (
        f'<section class="lc-box lc-predict" aria-labelledby="{name}-question"><p class="lc-box__title">Guess first</p>'
        f'<p id="{name}-question">{escape(values["question"])}</p>{guess}'
        f'<details class="lc-predict__answer" data-gives="{name}"><summary>See the answer</summary>'
        f"{live(answer, page, extra='aria-live="polite"')}</details></section>"
    )


def _slider(values: dict[str, Any], name: str) -> tuple[str, dict[str, Any]]:
    slider = values["slider"]
    joiner = "" if slider["unit"] in ("%", "") else "\N{NO-BREAK SPACE}"
    start = f"{slider['start']:g}"
    answer = {
        "kind": "answer",
        "figure": values["figure"],
        "scale": slider["unit"],
        "input": name,
        "close": values["close"],
        "gaps": values["gaps"],
        "between": [slider["min"], slider["max"]],
    } | ({"with": values["with"]} if values["with"] else {})
    guess = (
        f'<div class="lc-predict__guess"><input type="range" min="{slider["min"]:g}" max="{slider["max"]:g}"'
        f' value="{start}" step="{_step(slider)}" data-input="{name}" data-unit="{attribute(joiner + slider["unit"])}"'
        f' aria-labelledby="{name}-question" autocomplete="off">'
        f'<output class="lc-predict__value" data-echo="{name}">{start}{joiner}{escape(slider["unit"])}</output></div>'
    )
    return guess, answer


def _step(slider: dict[str, Any]) -> str:
    """A hundred positions or more, on round numbers, and the start is one of them: else a browser would move it.

    >>> _step({"min": 0, "max": 600, "start": 10}), _step({"min": 0, "max": 60, "start": 48.8})
    ('5', '0.2')
    """
    low, start, rough = (Decimal(f"{slider[key]:g}") for key in ("min", "start", "max"))
    rough = (rough - low) / 100
    for power in range(rough.adjusted(), rough.adjusted() - 6, -1):
        for digit in (5, 2, 1):
            step = Decimal(digit).scaleb(power)
            if step <= rough and (start - low) % step == 0:
                return f"{step.normalize():f}"
    return "any"


def _choices(values: dict[str, Any], name: str) -> tuple[str, dict[str, Any]]:
    shown = [{key: value for key, value in choice.items() if key != "when"} for choice in values["choices"]]
    answer = {"kind": "choice", "input": name, "choices": shown}
    if values["figure"]:
        answer["figure"] = values["figure"]
    if values["with"]:
        answer["with"] = values["with"]
    options = "".join(
        f'<label class="lc-choice"><input type="radio" name="{name}" value="{n}" data-input="{name}"'
        f' autocomplete="off"><span>{escape(choice["text"])}</span></label>'
        for n, choice in enumerate(shown)
    )
    return f'<div class="lc-choices" role="radiogroup" aria-labelledby="{name}-question">{options}</div>', answer


def _verify(values: dict[str, Any], page: Page) -> list[Problem]:
    if bool(values["slider"]) == bool(values["choices"]):
        both = "not both" if values["slider"] else "one of them is missing"
        return [Problem(None, f"a question has either 'slider' or 'choices': {both}.")]
    return _verify_slider(values, page) if values["slider"] else _verify_choices(values, page)


def _verify_slider(values: dict[str, Any], page: Page) -> list[Problem]:
    slider = values["slider"]
    problems: list[Problem] = []
    if not values["figure"]:
        return [*problems, Problem("slider", "slider: needs a 'figure', the number that answers the question.")]
    if not slider["min"] <= slider["start"] <= slider["max"] or slider["min"] == slider["max"]:
        problems.append(Problem("slider", "slider: needs min <= start <= max, and min below max."))
    try:
        shown = figure(values["figure"]).shown(page.estimate(values["with"], own=True), scale=slider["unit"])
    except LessonError as error:
        return [*problems, Problem("slider", f"slider: {error}")]
    if not slider["min"] <= float(shown.number.strip(">").replace(",", "")) <= slider["max"]:
        problems.append(Problem("slider", f"slider: the answer, {shown}, lies outside min and max."))
    return problems


def _verify_choices(values: dict[str, Any], page: Page) -> list[Problem]:
    problems = [
        Problem("choices", f"choices: option {n} is wrong, so it needs 'say', what to tell whoever picks it.")
        for n, choice in enumerate(values["choices"], start=1)
        if not choice.get("right") and not choice.get("say")
    ]
    if sum(bool(choice.get("right")) for choice in values["choices"]) != 1:
        problems.append(Problem("choices", "choices: exactly one of them must have 'right: true'."))
    try:
        estimate = page.estimate(values["with"], own=True)
        if values["figure"]:
            figure(values["figure"]).known(estimate)
    except LessonError as error:
        return [*problems, Problem("with", str(error))]
    for n, choice in enumerate(values["choices"], start=1):
        if "when" in choice and holds(choice["when"], estimate) is not bool(choice.get("right")):
            said, found = ("right", "doesn't hold") if choice.get("right") else ("wrong", "holds")
            problems.append(
                Problem("choices", f"choices: option {n} is said to be {said}, but {choice['when']} {found}.")
            )
    return problems


def _asks(values: dict[str, Any]) -> dict[str, Any] | None:
    if not values["figure"]:
        return None
    return {"figure": values["figure"]} | ({"with": values["with"]} if values["with"] else {})


PREDICT = Kind(
    name="predict",
    summary="A question with a slider or a choice; the answer names the gap and the likely misconception.",
    fields=(
        Field("question", TEXT, "What the reader is asked."),
        Field(
            "figure",
            FIGURE,
            "The figure that answers it. Needed with a slider, shown beside the answer to a choice.",
            "",
        ),
        Field("slider", SLIDER, "The range of the guess, where it starts, and its unit.", {}),
        Field("close", NUMBER, "A guess on the slider within this many units counts as close.", 5),
        Field("gaps", GAPS, "What to say when the guess on the slider was less, or more, than the answer.", []),
        Field("choices", CHOICES, "Instead of a slider: what the reader can choose from, and what to say to each.", []),
        Field("with", SCENARIO, "What is different from the page's own scenario in the question.", {}),
    ),
    build=_build,
    asks=_asks,
    example="""\
kind: predict
question: How much of the time goes into the answer?
figure: decode_share
slider: {min: 0, max: 100, start: 40, unit: "%"}
gaps:
  - when: less
    say: Each token of the answer needs a pass of its own.
""",
    more=(
        """\
kind: predict
question: The prompt grows from 2,000 to 4,000 tokens. What happens to the time to first token?
figure: ttft
with: {prompt: 4000}
choices:
  - text: It stays the same.
    say: Each token of the prompt is work of its own, even if all are worked on at once.
    when: {ttft: "<= 60 ms"}
  - text: A little more than twice the time.
    right: true
    say: Twice the tokens, twice the matrix products; attention grows faster than that.
    when: {ttft: "> 111 ms"}
  - text: Four times the time.
    say: Only attention grows that fast, and at this length it is a small part of the work.
    when: {ttft: "> 200 ms"}
""",
    ),
    verify=_verify,
)
