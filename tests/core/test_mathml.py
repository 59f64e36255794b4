"""Formulas set as mathematics: every template of the package can be set, and says what it says."""

import xml.etree.ElementTree as ElementTree

import pytest

from lessoncore.errors import LessonError
from lessoncore.estimate import estimate
from lessoncore.figures import FIGURES
from lessoncore.scenario import Scenario
from lessoncore.views.mathml import expression, symbol


def names(template: str) -> str:
    return "".join(ElementTree.fromstring(f"<math>{expression(template, symbol)}</math>").itertext())


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("2 · {a} · {b}²", "2·a·b2"),
        ("{a} / {b} / 3600", "ab3,600"),
        ("{e} · (1 − (1 − {k} / {e})^{t})", "e·(1−(1−ke)t)"),
        ("max(0, ⌊{a} / ({b} · {c})⌋)", "max(0,⌊ab·c⌋)"),
        ("10⁶ · {a}", "106·a"),
    ],
)
def test_a_template_keeps_its_meaning(template: str, said: str) -> None:
    assert names(template) == said


@pytest.mark.parametrize("wrong", ["{a} +", "{a} {b}", "({a}", "{a} % 2", "", "+ {a}"])
def test_what_is_no_formula_is_said(wrong: str) -> None:
    with pytest.raises(LessonError, match="isn't a formula"):
        expression(wrong, symbol)


@pytest.mark.parametrize("gpus", [1, 4])
@pytest.mark.parametrize("assumptions", ["textbook", "calibrated"])
def test_every_step_of_every_figure_can_be_set(gpus: int, assumptions: str) -> None:
    e = estimate(Scenario(gpus=gpus, assumptions=assumptions, cached=100))
    for figure in FIGURES.values():
        quantity = figure.of(e)
        for step in quantity.steps() if quantity else ():
            template = str(step.function.template)  # type: ignore[union-attr]
            ElementTree.fromstring(f"<math>{expression(template, symbol)}</math>")
