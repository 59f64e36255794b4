"""What things cost: wherever a step shows it, the price can be set and has its source, and the sums agree."""

import re
from html import unescape
from pathlib import Path

import markdown
import pytest
from prose import STEPS
from states import stage_of

from lessoncore.estimate import estimate
from lessoncore.page import Page
from lessoncore.parts import fill
from lessoncore.scenario import Scenario
from lessoncore.units import show
from site_hooks.lesson_markdown import LessonExtension

COSTLY = [
    path
    for path in STEPS
    if path.stem not in ("17-cheat-sheet", "18-playground")
    and re.search(r"(?:input|output|training)_cost", path.read_text(encoding="utf-8"))
]


def test_cost_appears_with_batching_and_stays() -> None:
    assert [path.stem[:2] for path in COSTLY] == ["05", "06", "07", "08", "11", "14", "16"]


@pytest.mark.parametrize("path", COSTLY, ids=lambda path: path.stem)
def test_a_step_with_a_cost_has_its_price_its_source_and_its_month(path: Path) -> None:
    body = path.read_text(encoding="utf-8").split("\n---\n", 1)[1]
    html = markdown.markdown(body, extensions=[LessonExtension(file=path.name)])
    said = unescape(re.sub("<[^>]*>", "", html)).replace("\xa0", " ")
    assert html.count('data-parameter="price"') == 1
    assert "With 3.50 USD/h for a GPU, the middle of what clouds asked for in 2026-05 (mercatus-ai.com" in said
    stage = stage_of(path)
    assert stage is not None
    assert stage["scenario"]["price"] == estimate(Scenario()).price.value  # type: ignore[union-attr]


def test_the_middle_price_keeps_its_source_when_it_is_set_and_another_one_is_the_readers() -> None:
    middle, own = estimate(Scenario(price=3.5)).price, estimate(Scenario(price=2.0)).price
    assert middle is not None
    assert own is not None
    assert {given.source for given in middle.givens()} == {"mercatus-ai.com/blog/cloud-gpu-pricing, on demand, 2026-05"}
    assert own.source == "the request"
    assert "the price that you set" in fill({"kind": "price"}, Page({"price": 2.0})).html


def test_the_price_that_is_shown_is_the_price_that_is_used() -> None:
    """So what is shown for two GPUs is twice what is shown for one, and a cost is the same on every page."""
    for gpu in ("h100-sxm", "h200-sxm", "b200-sxm"):
        price = estimate(Scenario(gpu=gpu)).price
        assert price is not None
        assert float(show(price.value, "USD/h").number) == price.value
    unset, at_it = (estimate(Scenario(batch=8, price=price)).output_cost for price in (0.0, 3.5))
    assert str(unset) == str(at_it)


def test_where_no_source_gives_a_price_the_line_says_so() -> None:
    assert "No source gives a price" in fill({"kind": "price"}, Page({"gpu": "h100-pcie"})).html
