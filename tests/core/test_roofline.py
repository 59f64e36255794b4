"""The roofline in every scenario: neat, true to the engine, and with a dot that can be dragged all along its trail."""

from itertools import pairwise

import pytest
from any_scenario import scenarios
from drawn import assert_neat, checked, draw, handles, stops, text_boxes
from hypothesis import given, settings
from hypothesis import strategies as st

from lessoncore.page import Page
from lessoncore.pictures import picture
from lessoncore.scenario import Scenario

PLAIN = checked("roofline", drag="prompt")


def page(scenario: Scenario | None = None, **changes: object) -> Page:
    shown = Page(changes)
    shown.scenario = scenario or shown.scenario
    return shown


@settings(max_examples=60, deadline=None)
@given(
    scenario=scenarios(),
    assumptions=st.sampled_from(("textbook", "calibrated")),
    passes=st.sampled_from((["prefill"], ["decode"], ["prefill", "decode"])),
    drag=st.booleans(),
    precisions=st.sampled_from(([], ["bf16", "fp8"])),
)
def test_any_scenario_is_neat(
    scenario: Scenario, assumptions: str, passes: list[str], drag: bool, precisions: list[str]
) -> None:
    dragged = [key for key, name in (("prompt", "prefill"), ("batch", "decode")) if drag and name in passes]
    values = checked("roofline", passes=passes, **({"precisions": precisions} if precisions else {})) | {
        "drag": dragged
    }
    drawn = draw(values, page(scenario.but(assumptions=assumptions)))
    for size in ("wide", "narrow"):
        assert_neat(drawn[size])
        for handle in handles(drawn[size]):
            places = stops(handle)
            assert all(b[0] >= a[0] - 40 for a, b in pairwise(places))


@pytest.mark.parametrize("prompt", [1, 2, 20, 221, 295, 300, 2000, 131_072])
@pytest.mark.parametrize("batch", [1, 8, 64, 300, 4096])
def test_the_running_example_is_neat(prompt: int, batch: int) -> None:
    values = checked("roofline", drag=["prompt", "batch"], precisions=["bf16", "fp8"])
    drawn = draw(values, page(prompt=prompt, batch=batch))
    assert_neat(drawn["wide"])
    assert_neat(drawn["narrow"])


def test_it_shows_the_figures_of_step_2() -> None:
    drawn = draw(PLAIN, page())
    for size in ("wide", "narrow"):
        words = " | ".join(box.words for box in text_boxes(drawn[size])).replace("\xa0", " ")
        for figure in (
            "ridge: 295 FLOP/B",
            "2,032 FLOP/B",
            "1.05 FLOP/B",
            "2,000 tokens",
            "594 TFLOP/s",
            "989 TFLOP/s",
        ):
            assert figure in words, (size, figure)
        assert "memory-bound" in words
        assert "waiting for arithmetic" in words
    told = "".join(drawn["table"].itertext()).replace("\xa0", " ")
    assert "2,032 FLOP/B" in told
    assert "1.05 FLOP/B" in told
    assert "Left of the ridge at 295" in str(drawn["wide"].findtext("desc"))


def test_the_dot_stands_at_the_stop_of_its_value() -> None:
    for prompt in (1, 20, 200, 2000, 20_000):
        [handle] = handles(draw(PLAIN, page(prompt=prompt))["wide"])
        x = float(str(handle.get("transform")).partition("(")[2].split()[0])
        place = {value: place for place, value in stops(handle)}[f"{prompt:,}"]
        assert x == pytest.approx(place, abs=4)
        assert handle.get("aria-valuenow") == str(prompt)


def test_the_trail_goes_from_one_token_to_the_longest_prompt() -> None:
    [handle] = handles(draw(PLAIN, page())["narrow"])
    values = [value for _, value in stops(handle)]
    assert (values[0], values[-1]) == ("1", "131,072")
    places = [place for place, _ in stops(handle)]
    assert places == sorted(places)


def test_nothing_but_the_dot_moves_when_it_is_dragged() -> None:
    def still(prompt: int) -> list[tuple[str, float]]:
        boxes = text_boxes(draw(PLAIN, page(prompt=prompt))["wide"])
        return [(box.words, box.left) for box in boxes if "FLOP/B ·" not in box.words and "fill:" not in box.words]

    assert [box for box in still(50) if "decode:" not in box[0]] == [
        box for box in still(5000) if "decode:" not in box[0]
    ]


@pytest.mark.parametrize(
    ("given", "controls", "words"),
    [
        ({"drag": "prompt"}, ["output"], "must be among the controls"),
        ({"drag": "batch", "passes": ["prefill"]}, ["batch"], "decode must be among the passes"),
        ({"precisions": ["fp4"]}, [], "has no fp4 arithmetic"),
    ],
)
def test_mistakes_are_named(given: dict[str, object], controls: list[str], words: str) -> None:
    problems = picture("roofline").verify(checked("roofline", **given), page(), controls)
    assert words in " ".join(problem.message for problem in problems)
