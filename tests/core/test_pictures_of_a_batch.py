"""Tank, lanes, GPU row and stack in any scenario: within the frame, no text on another, and the lesson's figures."""

import json
import re
from html import unescape
from typing import Any

import pytest
from any_scenario import scenarios
from hypothesis import given, settings
from hypothesis import strategies as st
from picture_checks import check, draw, drawn, words

from lessoncore import catalogue
from lessoncore.page import Page
from lessoncore.pictures.stack import ALL, MEASURES
from lessoncore.scenario import Scenario

EXTREME: list[dict[str, Any]] = [
    {},
    {"model": "llama-3.1-70b"},
    {"model": "llama-3.1-70b", "gpus": 2, "assumptions": "calibrated"},
    {"model": "llama-3.1-70b", "gpu": "gb200", "gpus": 16, "batch": 4096, "prompt": 131_072},
    {"model": "llama-3.1-70b", "gpu": "gb200", "gpus": 64},
    {"model": "deepseek-v3", "weights": "stored", "gpus": 8, "batch": 512},
    {"batch": 4096, "prompt": 131_072, "output": 16_384},
    {"batch": 4096, "prompt": 1, "output": 1},
    {"batch": 33, "prompt": 16_000},
    {"batch": 16},
    {"batch": 17},
    {"prompt": 131_072, "batch": 3},
    {"prompt": 1, "output": 1},
]
VARIANTS = [
    {"label": "bf16", "with": {"weights": "bf16"}},
    {"label": "fp8 weights, and the arithmetic as well", "with": {"weights": "fp8"}},
    {"label": "int4", "with": {"weights": "int4", "batch": 4096}},
]


def page_of(scenario: Scenario) -> Page:
    page = Page()
    page.own = page.scenario = scenario
    return page


def everything(page: Page) -> list[str]:
    stacks = [
        draw("stack", page, of=[one, other], variants=VARIANTS if one in MEASURES and other in MEASURES else [])
        for one, other in zip(ALL, [*list(ALL)[1:], "decode_bytes"], strict=True)
    ]
    return [
        *(draw(name, page) for name in ("tank", "lanes", "gpus")),
        *stacks,
        draw("stack", page, of=["decode_time"], variants=VARIANTS),
    ]


@pytest.mark.parametrize("changes", EXTREME, ids=str)
def test_extreme_scenarios(changes: dict[str, Any]) -> None:
    for html in everything(Page(changes)):
        check(html)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(scenarios(), st.sampled_from(("textbook", "calibrated")))
def test_any_scenario(scenario: Scenario, assumptions: str) -> None:
    for html in everything(page_of(scenario.but(assumptions=assumptions))):
        check(html)


def shown(name: str, values: dict[str, Any] | None = None, /, **changes: Any) -> str:
    return words(draw(name, Page(changes), **(values or {})))


def test_what_really_takes_the_time_of_a_pass_is_named() -> None:
    """Calibrated, a pass of 8 GPUs starts layers for 2.08 ms, moves bytes for 0.72 and talks for 0.44."""
    eight = {"gpus": 8, "assumptions": "calibrated"}
    lanes = shown("lanes", **eight)
    assert "starting the layers 2.08 ms" in lanes
    assert "waits for the next kernels" in lanes
    assert "waits for the memory" in shown("lanes")
    assert "starting the layers" in shown("stack", {"of": ["decode_time"], "variants": []}, **eight)
    assert "starting the layers" not in shown("stack", {"of": ["decode_time"], "variants": []}, gpus=8)


# -- tank ---------------------------------------------------------------------------------------------


def test_the_tank_says_what_fits() -> None:
    tank = shown("tank")
    assert "It fits: 58.6 GB of 77.0 GB is free" in tank
    assert "Room for 178 more requests of 2,500 tokens" in tank
    assert "85.5 GB = 79.6 GiB" in tank  # what the driver calls 81,559 MiB
    assert "24 requests" in shown("tank", batch=24, prompt=16_000)


def test_the_tank_says_how_much_is_too_much_and_of_what() -> None:
    too_large = shown("tank", model="llama-3.1-70b")
    assert "The weights alone take 141.1 GB; the whole memory is 85.5 GB" in too_large
    assert "67.0 GB over the limit" in too_large
    assert "It doesn’t fit: 12.5 GB too much KV cache" in shown("tank", batch=33, prompt=16_000)
    assert "room for 27 requests of 16,500 tokens, and here are 33" in shown("tank", batch=33, prompt=16_000)
    assert "room for 13 requests" in shown("tank", batch=14, prompt=32_000)


def test_the_tank_of_several_gpus() -> None:
    four = shown("tank", model="llama-3.1-70b", gpus=4)
    assert "Weights · 35.3 GB" in four
    assert "one of 4 slices of 141.1 GB" in four
    assert "17.6 GB" in shown("tank", model="llama-3.1-70b", gpus=8)
    assert "one GPU, × 16" in shown("tank", model="llama-3.1-70b", gpu="gb200", gpus=16)


def test_requests_are_slices_while_they_can_be_told_apart() -> None:
    def cuts(batch: int) -> int:
        wide = drawn(draw("tank", Page({"batch": batch, "prompt": 16_000})))["wide"]
        return sum(line.get("class") == "lc-cut" for line in wide.iter("line"))

    assert cuts(24) == 24 + 1  # and one below the runtime
    assert cuts(4000) == 1 + 1


# -- lanes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "figures"),
    [
        ({"batch": 8}, ["6.87 ms", "1,164 tokens/s", "alone it would be 164", "7.10 ×"]),
        ({"batch": 64, "prompt": 2249, "output": 2}, ["13.0 ms", "4,910 tokens/s", "49 more"]),
        ({"batch": 24, "prompt": 16_249, "output": 2}, ["25.1 ms", "957 tokens/s"]),
    ],
)
def test_lanes_show_the_figures_of_the_lesson(changes: dict[str, Any], figures: list[str]) -> None:
    said = shown("lanes", **changes)
    assert [figure for figure in figures if figure not in said] == []


def test_lanes_say_when_the_memory_has_no_room_for_them() -> None:
    assert "as if it fitted: memory has room for 179 of 230" in shown("lanes", batch=230)
    assert "has no room for one" in shown("lanes", model="llama-3.1-70b")


def test_lanes_are_drawn_to_scale() -> None:
    page = Page({"batch": 8})
    decode = page.estimate().decode
    wide = drawn(draw("lanes", page))["wide"]
    kv = [r for r in wide.iter("rect") if r.get("class") == "lc-fill-kv"]
    weights = next(
        r for r in wide.iter("rect") if r.get("class") == "lc-fill-weights" and float(r.get("height", 0)) > 50
    )
    share = decode.work.bytes.weights.value / decode.bytes_moved.value
    assert float(weights.get("width", 0)) / 432 == pytest.approx(share, abs=0.002)
    starts = {round(float(r.get("x", 0)), 1) for r in kv}
    assert len(starts) >= 8  # a step for each conversation


def test_the_film_of_the_lanes_lasts_its_passes() -> None:
    e = Page({"batch": 8}).estimate()
    data = re.search(r'data-film="([^"]*)"', draw("lanes", Page({"batch": 8})))
    assert data
    film = json.loads(unescape(data[1]))
    assert film["seconds"] == pytest.approx(8 * 150 * e.tpot_s.value)
    assert film["captions"][0] == [0, "pass 1 of 8", "token 247 of 500"]
    assert film["captions"][-1][1:] == ["pass 8 of 8", "token 254 of 500"]


# -- GPUs ---------------------------------------------------------------------------------------------


def test_the_gpus_show_the_figures_of_the_lesson() -> None:
    said = shown("gpus", model="llama-3.1-70b", gpus=4)
    for figure in ("35.3 GB", "13.2 ms", "14.1 ms", "17.6 GB", "6.62 ms", "7.71 ms", "ideal 8 ×", "doesn’t fit"):
        assert figure in said


def test_a_layer_adds_up_to_the_pass() -> None:
    from lessoncore.pictures.gpus import layer

    e = Page({"model": "llama-3.1-70b", "gpus": 4}).estimate()
    attention, mlp, sync = layer(e)
    of_layers = 80 * (attention + mlp + 2 * sync)
    assert of_layers < e.tpot_s.value
    assert of_layers == pytest.approx(e.tpot_s.value, rel=0.04)  # the rest is the input table and the head


def test_gpus_that_cannot_be_are_left_out() -> None:
    unlinked = next(key for key in catalogue.keys("gpus") if not catalogue.gpu(key).link_bandwidth)
    assert "2 GPUs" not in shown("gpus", gpu=unlinked)
    assert "64 GPUs" in shown("gpus", model="llama-3.1-70b", gpu="gb200", gpus=64)


# -- stack --------------------------------------------------------------------------------------------


def test_fewer_bytes_and_the_same_work() -> None:
    said = shown("stack", {"of": ["decode_time", "prefill_time"], "variants": VARIANTS[:2]})
    for figure in ("6.10 ms", "3.11 ms", "1.96 × faster", "55.9 ms", "the same"):
        assert figure in said
    int4 = shown("stack", {"of": ["decode_time"], "variants": [{"label": "int4", "with": {"weights": "int4"}}]})
    assert "1.61 ms" in int4


def test_a_parameter_in_training() -> None:
    said = shown("stack", {"of": ["training_memory", "training_flops"], "variants": []})
    for figure in ("2 B", "16 B", "8 × larger", "16.1 GB against 128.5 GB", "16.1 GFLOP", "48.2 GFLOP"):
        assert figure in said
    large = shown("stack", {"of": ["training_memory"], "variants": []}, model="llama-3.1-70b")
    assert "141.1 GB against 1,129 GB" in large


def test_a_variant_that_the_readers_gpu_cannot_do_is_named() -> None:
    variants = [{"label": "bf16", "with": {}}, {"label": "fp8 maths", "with": {"maths": "fp8"}}]
    html = draw("stack", Page({"gpu": "a100-80gb-sxm"}), of=["prefill_time"], variants=variants)
    check(html)
    assert "no fp8 arithmetic" in words(html)
