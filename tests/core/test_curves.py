"""Curves in every scenario: neat, true to the engine at every point that can be read, and draggable."""

from typing import Any

import pytest
from any_scenario import scenarios
from drawn import assert_neat, checked, draw, handles, readout, stops, text_boxes
from hypothesis import given, settings
from hypothesis import strategies as st

from lessoncore.assumptions import TEXTBOOK
from lessoncore.estimate import estimate
from lessoncore.page import Page
from lessoncore.pictures import picture
from lessoncore.pictures.curves import _at, _samples
from lessoncore.scenario import Scenario

STEP_14: dict[str, Any] = {
    "x": "prompt",
    "figures": ["prefill_products_time", "prefill_attention_time"],
    "stacked": True,
    "range": [1, 32_000],
    "unit": "ms",
}
TTFT: dict[str, Any] = {"x": "prompt", "figures": ["ttft"], "range": [1, 32_000], "unit": "ms"}
KINDS: list[dict[str, Any]] = [
    TTFT,
    STEP_14,
    {"x": "prompt", "figures": ["ttft"], "x_scale": "log", "y_scale": "log", "limit": {"at": "500 ms", "label": "SLO"}},
    {"x": "batch", "figures": ["tokens_per_s", "user_tokens_per_s"], "x_scale": "log", "y_scale": "log"},
    {"x": "output", "figures": ["ttft", "tpot", "total", "decode"]},
    {"x": "gpus", "figures": ["tpot"]},
    {"x": "cached", "figures": ["ttft"]},
    {"x": "price", "figures": ["input_cost", "output_cost"], "range": [0, 10]},
    {
        "x": "batch",
        "figures": ["weight_bytes", "kv_bytes"],
        "stacked": True,
        "limit": {"at": "80 GB", "label": "memory"},
    },
    {"x": "batch", "figures": ["kv_budget"]},
]


def page(scenario: Scenario | None = None, **changes: object) -> Page:
    shown = Page(changes)
    shown.scenario = scenario or shown.scenario
    return shown


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(scenario=scenarios(), given=st.sampled_from(KINDS), assumptions=st.sampled_from(("textbook", "calibrated")))
def test_any_scenario_is_neat(scenario: Scenario, given: dict[str, Any], assumptions: str) -> None:
    drawn = draw(checked("curves", **given), page(scenario.but(assumptions=assumptions)))
    assert_neat(drawn["wide"])
    assert_neat(drawn["narrow"])


@pytest.mark.parametrize("given", KINDS)
def test_a_curve_has_at_most_sixty_points(given: dict[str, Any]) -> None:
    values = checked("curves", **given)
    assert 2 <= len(_at(values)) <= 60
    assert all(s.figures[0] is not None for s in _samples(Scenario(), TEXTBOOK, values))


@pytest.mark.parametrize("given", [TTFT, STEP_14])
def test_it_tells_the_figures_of_step_14(given: dict[str, Any]) -> None:
    drawn = draw(checked("curves", **given), page())
    for size in ("wide", "narrow"):
        told = readout(drawn[size])
        for tokens, ttft in ((2000, "55.9"), (4000, "115.3"), (8000, "244.7"), (16_000, "545.9"), (32_000, "1,318")):
            assert told[f"{tokens:,} tokens"].endswith(f"{ttft} ms")


def test_128000_tokens_on_a_logarithmic_axis() -> None:
    values = checked("curves", x="prompt", figures=["ttft", "prefill_attention_time"], x_scale="log", unit="ms")
    assert readout(draw(values, page())["wide"])["128,000 tokens"].split("\n")[1] == "10,698 ms"


def test_stacked_times_add_up_to_the_prefill_pass() -> None:
    for assumptions in ("textbook", "calibrated"):
        e = estimate(Scenario(prompt=16_000, assumptions=assumptions))
        parts = e.prefill_products_s.value + e.prefill_attention_s.value
        assert parts == pytest.approx(e.prefill.compute_s.value)


@pytest.mark.parametrize("prompt", [1, 1700, 2000, 32_000, 131_072])
def test_the_present_point_stands_on_the_curve_and_is_named(prompt: int) -> None:
    shown = page(prompt=prompt)
    drawn = draw(checked("curves", **TTFT), shown)
    words = " ".join(box.words for box in text_boxes(drawn["wide"]))
    assert f"{prompt:,}\xa0token" in words
    assert ("beyond the axis" in words) == (prompt > 32_000)
    [handle] = handles(drawn["wide"])
    assert [stops(handle)[i][1] for i in (0, -1)] == ["1", "32,000"]
    assert handle.get("aria-valuenow") == str(prompt)


MIXTRAL = {"model": "mixtral-8x7b", "gpu": "a100-80gb-sxm", "gpus": 2}


@pytest.mark.parametrize("x", ["batch", "prompt", "output"])
def test_a_curve_is_dotted_from_where_memory_ends_and_says_so(x: str) -> None:
    shown = page(**(MIXTRAL | ({} if x == "batch" else {"batch": 64})))
    e = shown.estimate()
    longest = int(e.longest_context.value)
    last = {"batch": int(e.largest_batch.value), "prompt": longest - 500, "output": longest - 2000}[x]
    assert estimate(shown.scenario.but(**{x: last})).fits
    assert not estimate(shown.scenario.but(**{x: last + 1})).fits
    drawn = draw(checked("curves", x=x, figures=["tpot"], x_scale="log"), shown)
    for svg in (drawn["wide"], drawn["narrow"]):
        assert f"beyond {last:,}" in " ".join(box.words for box in text_boxes(svg))
        curves = [path for path in svg.iter() if "lc-series" in path.get("class", "")]
        assert ["lc-unfit" in path.get("class", "") for path in curves] == [False, True]
        told = readout(svg)
        assert any(where.startswith(f"{last:,} ") and "doesn’t fit" not in where for where in told)
        beyond = [where for where in told if int(where.partition(" ")[0].replace(",", "")) > last]
        assert beyond
        assert all(where.endswith("doesn’t fit") for where in beyond)
        assert {where for where, words in told.items() if words.endswith("–")} == {*beyond}, "it has no speed"


def test_where_all_fits_or_nothing_does() -> None:
    values = checked("curves", x="batch", figures=["tpot"], range=[1, 100])
    assert "fit" not in " ".join(box.words for box in text_boxes(draw(values, page())["wide"]))
    svg = draw(values, page(model="llama-3.1-405b"))["wide"]
    assert "it doesn’t fit into memory" in " ".join(box.words for box in text_boxes(svg))
    assert [path.get("class") for path in svg.iter() if "lc-series" in path.get("class", "")] == [
        "lc-series lc-stroke-weights lc-dash-0 lc-unfit"
    ]
    more = draw(checked("curves", x="gpus", figures=["tpot"], x_scale="log"), page(model="llama-3.1-70b"))["wide"]
    assert "it fits from 2\xa0GPUs on" in " ".join(box.words for box in text_boxes(more))


def test_the_catalogues_price_is_where_the_dot_stands() -> None:
    drawn = draw(checked("curves", x="price", figures=["output_cost"]), page())
    [handle] = handles(drawn["wide"])
    assert handle.get("aria-valuenow") == "3.5"  # the middle of the catalogue's range


def test_a_figure_that_is_not_known_is_said_so() -> None:
    values = checked("curves", x="prompt", figures=["input_cost"])
    drawn = draw(values, page(gpu="tpu-v5p"))
    words = " ".join(box.words for box in text_boxes(drawn["narrow"]))
    assert "not known" in words


@pytest.mark.parametrize(
    ("given", "controls", "words"),
    [
        ({"x": "prompt", "figures": ["ttft"]}, ["output"], "must be among the controls, or say drag: false"),
        ({"x": "prompt", "figures": ["ttft", "weight_bytes"]}, ["prompt"], "need the same unit"),
        ({"x": "prompt", "figures": ["ttft"], "unit": "GB"}, ["prompt"], "'GB' is no scale of s"),
        ({"x": "prompt", "figures": ["ttft"], "limit": {"at": "5 GB", "label": "SLO"}}, ["prompt"], "the unit can be"),
        ({"x": "gpus", "figures": ["ttft"], "range": [70, 90]}, ["gpus"], "the range holds nothing"),
        (
            {"x": "prompt", "figures": ["ttft", "tpot"], "stacked": True, "y_scale": "log"},
            ["prompt"],
            "a linear y axis",
        ),
    ],
)
def test_mistakes_are_named(given: dict[str, Any], controls: list[str], words: str) -> None:
    problems = picture("curves").verify(checked("curves", **given), page(), controls)
    assert words in " ".join(problem.message for problem in problems)


def test_a_parameter_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(AssertionError, match="GPU isn't a number"):
        checked("curves", x="gpu", figures=["ttft"])
