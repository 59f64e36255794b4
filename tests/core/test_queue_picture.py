"""The queue of a scenario: its figures, and its picture in any scenario."""

import json
import math
import re
from html import unescape
from typing import Any

import pytest
from going_on import answered
from picture_checks import check, draw, drawn, words

from lessoncore.estimate import estimate
from lessoncore.figures import FIGURES
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS, Count
from lessoncore.pictures import picture
from lessoncore.respond import respond
from lessoncore.scenario import Scenario
from lessoncore.serving.served import AHEAD, REQUESTS, SLO, _served_of, curve, most_requests_per_s

STEP: dict[str, Any] = {"batch": 64, "rate": 3.0}
EXTREME: list[dict[str, Any]] = [
    STEP,
    STEP | {"rate": 0.1},
    STEP | {"rate": 6.0},
    STEP | {"rate": 7.0},
    STEP | {"rate": 1000.0},
    STEP | {"rate": 6.0, "replicas": 2},
    STEP | {"rate": 0.1, "replicas": 1024},
    {"batch": 1},
    {"batch": 4096, "rate": 20.0},
    {"batch": 8, "rate": 3.0},
    {"batch": 64, "prompt": 1, "output": 1, "rate": 1000.0},
    {"batch": 64, "prompt": 131_072, "output": 16_384},
    {"model": "llama-3.1-70b", "gpus": 4, "batch": 32},
    {"model": "llama-3.1-70b"},
    {"batch": 64, "weights": "fp8", "maths": "fp8", "rate": 12.0},
    {"batch": 64, "cached": 1999, "assumptions": "calibrated"},
]


def shown(key: str, **changes: Any) -> str:
    return str(FIGURES[key].shown(estimate(Scenario(**STEP).but(**changes)))).replace("\xa0", " ")


def test_the_same_seed_gives_the_lessons_figures() -> None:
    assert [shown(key) for key in ("ttft_mean", "ttft_p50", "ttft_p99")] == ["85.0 ms", "52.4 ms", "446.5 ms"]
    assert [shown(key) for key in ("ttft_p99_low", "ttft_p99_high")] == ["361.6 ms", "951.4 ms"]
    assert [shown(key) for key in ("tpot_p99", "slo_share", "waiting_share")] == ["14.1 ms", "99%", "20%"]
    assert shown("served_gpu_tokens_per_s") == "1,480 tokens/s"
    assert shown("offline_gpu_tokens_per_s") == "3,053 tokens/s"
    assert shown("counted") == "384"


def test_a_percentile_rests_on_enough_requests_to_bound_it() -> None:
    served = estimate(Scenario(**STEP)).served
    assert served is not None
    assert served.result.ttft.requests == 384 == REQUESTS - 2 * (REQUESTS // 10)
    assert served.ttft_p99_high_s is not None
    assert "384 of 480 requests counted, seed 1" in served.ttft_p99_s.source


def test_a_lone_request_is_that_of_step_1() -> None:
    alone = estimate(Scenario(batch=1, rate=0.1))
    assert alone.served is not None
    assert alone.served.result.tpot.p50.value_s == pytest.approx(alone.tpot_s.value, rel=0.01)


def test_rate_changes_nothing_but_the_queue() -> None:
    one, other = estimate(Scenario(rate=1.0)), estimate(Scenario(rate=9.0))
    assert one.total_s.value == other.total_s.value
    assert one.throughput.value == other.throughput.value


def test_without_memory_for_requests_nothing_is_known() -> None:
    assert shown("ttft_p99", model="llama-3.1-70b") == "not known"
    assert "There is no memory for requests" in words(draw("queue", Page({"model": "llama-3.1-70b"}), drag=True))


def test_the_curve_rises_and_is_the_same_for_any_load_and_copies() -> None:
    e = estimate(Scenario(**STEP))
    points = curve(e.scenario, e.assumptions)
    assert curve(e.scenario.but(rate=9.0, replicas=5, price=2.0), e.assumptions) is points
    p99 = [point.times[1] for point in points]
    assert p99 == sorted(p99)
    assert p99[0] < SLO.ttft_s < p99[-1]
    most = most_requests_per_s(e.scenario, e.assumptions)
    assert points[0].rate < most < points[-1].rate
    assert max(point.gpu_tokens_per_s for point in points) == pytest.approx(3053, rel=0.02)  # offline


@pytest.mark.slow
@pytest.mark.parametrize("changes", EXTREME, ids=str)
def test_extreme_scenarios(changes: dict[str, Any]) -> None:
    check(draw("queue", Page(changes), drag=True))


def test_the_picture_says_what_the_tiles_say() -> None:
    said = words(draw("queue", Page(STEP), drag=True))
    for figure in (
        "52.4 ms",
        "446.5 ms",
        "14.1 ms",
        "1,480 tokens/s",
        "3,053 tokens/s",
        "SLO 500 ms",
        "knee: at most 6.3",
    ):
        assert figure in said


def test_the_film_runs_through_the_simulation() -> None:
    html = draw("queue", Page(STEP), drag=True)
    found = re.search(r'data-film="([^"]*)"', html)
    assert found
    data = json.loads(unescape(found[1]))
    assert data["captions"][0][0] == 0
    assert data["captions"][-1][2].startswith("on average")
    assert [share for share, *_ in data["captions"]] == sorted(share for share, *_ in data["captions"])


def test_the_load_can_be_dragged() -> None:
    for svg in drawn(draw("queue", Page(STEP), drag=True)).values():
        dots = [g for g in svg.iter("g") if g.get("data-drag") == "rate"]
        assert len(dots) == 1
        assert dots[0].get("aria-valuenow") == "3"
    assert "data-drag" not in draw("queue", Page(STEP), drag=False)
    assert picture("queue").verify({"drag": True}, Page(STEP), ["batch"])
    assert not picture("queue").verify({"drag": True}, Page(STEP), ["rate", "batch"])


def test_what_the_step_says_of_its_tasks() -> None:
    def keeps(**changes: Any) -> bool:
        served = estimate(Scenario(**STEP).but(**changes)).served
        assert served is not None
        return served.ttft_p99_s.value <= SLO.ttft_s and served.tpot_p99_s.value <= SLO.tpot_s

    assert keeps()
    assert not keeps(rate=6.0)
    assert not keeps(rate=6.0, batch=256)  # a larger batch doesn't help
    assert keeps(rate=6.0, replicas=2)
    assert keeps(rate=6.0, weights="fp8", maths="fp8")  # and would do on one GPU


@pytest.mark.slow
def test_while_a_page_waits_the_other_stops_of_its_sliders_are_simulated() -> None:
    request = {"scenario": STEP, "parts": [{"kind": "ahead", "controls": ["rate", "replicas", "batch"]}]}
    assert answered(request, respond)["parts"] == [{"html": ""}]
    before = _served_of.cache_info().misses
    for key, most in AHEAD.items():
        slider = PARAMETERS[key]
        assert isinstance(slider, Count)
        own = getattr(Scenario(**STEP), key)
        nearest = sorted(slider.stops, key=lambda value, own=own: abs(math.log(value / own)))[:most]
        assert len(nearest) == most
        assert all(estimate(Scenario(**STEP | {key: value})).served for value in nearest)
    assert _served_of.cache_info().misses == before
