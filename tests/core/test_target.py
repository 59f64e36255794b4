"""What would it take: the search against trying everything, and its words against the figures."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lessoncore import catalogue
from lessoncore.assumptions import ASSUMPTIONS
from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate, estimate
from lessoncore.page import Page
from lessoncore.scenario import Scenario
from lessoncore.target import COUNTS, FORMATS, State, Targets, failed, neutral, ranked, search
from lessoncore.views.target import PIECES, read_targets, sought


def _searched(scenario: Scenario, targets: Targets) -> State:
    *_, last = search(neutral(scenario, targets), targets, ASSUMPTIONS[scenario.assumptions])
    return last


def _meets(e: Estimate, t: Targets) -> bool:
    return (
        e.fits
        and (t.ttft_s is None or e.ttft_s.value <= t.ttft_s)
        and (t.tpot_s is None or e.tpot_s.value <= t.tpot_s)
        and (t.cost is None or (e.output_cost is not None and e.output_cost.value <= t.cost))
    )


@settings(max_examples=8, deadline=None)
@given(
    st.sampled_from(["llama-3.1-8b", "llama-3.1-70b", "qwen3-30b-a3b", "deepseek-v3"]),
    st.sampled_from([0.05, 0.3, 2.0, None]),
    st.sampled_from([0.002, 0.01, 0.03, None]),
    st.sampled_from([0.2, 3.0, None]),
    st.sampled_from([1, 16]),
)
def test_nothing_cheaper_meets_the_targets(
    model: str, ttft_s: float | None, tpot_s: float | None, cost: float | None, batch: int
) -> None:
    scenario, targets = Scenario(model=model, batch=batch), Targets(ttft_s, tpot_s, cost)
    cheapest = None
    for gpu, gpus, (weights, maths) in product(catalogue.keys("gpus"), COUNTS, FORMATS):
        try:
            e = estimate(scenario.but(gpu=gpu, gpus=gpus, weights=weights, maths=maths))
        except LessonError:
            continue
        if e.fleet_price and _meets(e, targets):
            cheapest = min(cheapest or 1e9, e.fleet_price.value)
    met = [row.best for row in ranked(_searched(scenario, targets)) if row.best and row.best.hourly is not None]
    assert (met[0].hourly if met else None) == cheapest
    assert all(_meets(estimate(found.scenario), targets) for found in met)


@pytest.mark.parametrize("users", [1, 7, 500, 20_000])
def test_the_users_are_served_by_what_is_found(users: int) -> None:
    targets = Targets(tpot_s=0.03, users=users)
    row = ranked(_searched(Scenario(model="llama-3.1-70b"), targets))[0]
    assert row.best
    s = row.best.scenario
    assert s.batch * s.replicas >= users
    assert _meets(estimate(s), targets)


def test_every_gpu_is_either_found_or_fails_with_a_reason_that_holds() -> None:
    targets = Targets(ttft_s=0.3, tpot_s=0.01, bits=8)
    state = _searched(Scenario(model="llama-3.1-70b", prompt=4000), targets)
    assert len(ranked(state)) + len(failed(state)) == state.total == len(catalogue.keys("gpus"))
    assert failed(state)
    for row in failed(state):
        assert row.short
        for miss in row.short.misses:
            assert miss.words or miss.value > miss.wanted
            e = estimate(row.short.scenario)
            if miss.what == "tpot":
                assert miss.value == e.tpot_s.value
            if miss.what == "memory":
                assert not e.fits


def test_a_gpu_without_fp8_says_so_and_narrow_weights_can_be_left_out() -> None:
    row = next(r for r in _searched(Scenario(), Targets(tpot_s=0.05, bits=8)).rows if r.gpu == "a100-80gb-sxm")
    assert row.lacks == ("fp8",)
    assert row.best
    assert row.best.scenario.weights in ("bf16", "int8")


MODEL = {"model": "llama-3.1-70b"}
OWN = {"tpot": "11 ms", "users": "30"}


def test_the_search_goes_on_in_portions_and_says_how_far_it_is() -> None:
    seen = []
    while not (s := sought(OWN, page := Page(MODEL, patience_s=0.0))).finished:
        assert sought(OWN, page) is s  # by one portion a reply
        seen.append(PIECES["status"](s, page))
    assert "0 of 27 GPUs" in seen[0]
    assert any("13 of 27 GPUs" in words for words in seen)
    assert "meet TPOT ≤\xa011\xa0ms, 30 users at once." in PIECES["status"](s, page)


def test_taking_the_answer_does_not_start_another_search() -> None:
    found = ranked(sought(OWN, Page(MODEL)).state)[0].best  # type: ignore[arg-type]
    assert found
    keys = ("gpu", "gpus", "weights", "maths", "batch", "replicas")
    page = Page(MODEL, {key: str(getattr(found.scenario, key)) for key in keys}, patience_s=0.0)
    assert sought(OWN, page).finished
    assert "the page is set to it" in PIECES["result"](sought(OWN, page), page)


def test_a_price_of_the_readers_own_counts_for_their_gpu() -> None:
    page = Page({"gpu": "l40s", "price": 0.01})
    best = ranked(sought({"tpot": "30 ms", "bits": "16"}, page).state)[0]  # type: ignore[arg-type]
    assert best.gpu == "l40s"


@pytest.mark.parametrize(
    ("field", "text", "says"),
    [
        ("ttft", "0", "more than 0 is needed"),
        ("tpot", "-3 ms", "more than 0 is needed"),
        ("users", "2.5", "a whole number up to"),
        ("users", "1e9", "a whole number up to"),
        ("ttft", "soon", "isn't a number"),
        ("cost", "5 ms", "unit of a time"),
    ],
)
def test_wrong_targets_are_told(field: str, text: str, says: str) -> None:
    targets, problems = read_targets({field: text})
    assert says in problems[field]
    assert targets[:4] == (None, None, None, None)
