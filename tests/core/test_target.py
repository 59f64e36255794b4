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
from lessoncore.target import COUNTS, FORMATS, State, Targets, failed, neutral, price_of, ranked, search
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
        price = price_of(gpu)
        try:
            e = estimate(
                scenario.but(gpu=gpu, gpus=gpus, weights=weights, maths=maths, price=price.low if price else 0.0)
            )
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


def test_prices_are_compared_at_their_low_end_and_shown_as_a_range() -> None:
    page = Page(MODEL)
    found = sought(OWN, page)
    priced = [row for row in ranked(found.state) if row.price]  # type: ignore[arg-type]
    for row in priced:
        assert row.best
        assert row.best.scenario.price == catalogue.gpu(row.gpu).price_low
    said = PIECES["result"](found, page)
    assert "In order of the low end of what a GPU costs" in said
    by_gpu = {row.gpu: row for row in priced}
    for gpu, words in (("mi325x", "from"), ("h100-sxm", " to ")):
        low = by_gpu[gpu].best.hourly  # type: ignore[union-attr]
        assert f'data-head="USD/h">{words if gpu == "mi325x" else f"{low:.2f}{words}"}' in said


def test_only_a_floor_is_no_range() -> None:
    e = estimate(Scenario(gpu="mi325x"))
    assert e.price
    assert e.price.value == 1.95
    assert "from 1.95, no upper end" in e.price.source


def test_a_price_typed_for_another_gpu_counts_and_comes_along() -> None:
    page = Page(MODEL, inputs={"target.do": "find", "target.tpot": "30 ms", "target.price.l40s": "0,05"})
    found = sought({}, page)
    best = ranked(found.state)[0]  # type: ignore[arg-type]
    assert best.gpu == "l40s"
    assert best.price == (0.05, 0.05, True)
    assert "&quot;price&quot;:&quot;0.05&quot;" in PIECES["result"](found, page)
    written = '<data value="0.05" data-typed="0,05" data-read="target.price.l40s"></data>'
    assert written in PIECES["status"](found, page)


def test_a_wrong_price_is_named_with_its_gpu() -> None:
    page = Page(MODEL, inputs={"target.do": "find", "target.tpot": "30 ms", "target.price.l40s": "1,000"})
    said = PIECES["status"](sought({}, page), page)
    assert "L40S: A number from 0.01 to 100 is needed, but &#x27;1,000&#x27; was given." in said
    assert 'data-of="target.price.l40s"' in said


def test_gpus_that_only_lack_a_price_are_named_together() -> None:
    page = Page(MODEL)
    said = PIECES["result"](sought({"cost": "50"}, page), page)
    assert said.count("No source gives a price for") == 1
    assert "no source gives its price" not in said


def test_what_needs_too_many_copies_is_nearer_than_what_does_not_fit() -> None:
    targets = Targets(users=1_000_000)
    row = next(row for row in _searched(Scenario(model="llama-3.1-70b"), targets).rows if row.gpu == "tpu-v5e")
    assert row.short
    assert [miss.what for miss in row.short.misses] == ["copies"]
    assert estimate(row.short.scenario).fits
    page = Page({"model": "llama-3.1-70b"})
    said = PIECES["result"](sought({"users": "1000000"}, page), page)
    assert "copies would be needed, and at most 1,024 are possible" in said


def test_everything_that_meets_the_targets_can_be_seen() -> None:
    page = Page({"model": "llama-3.1-8b"})
    found = sought({"tpot": "100 ms"}, page)
    said = PIECES["result"](found, page)
    met = ranked(found.state)  # type: ignore[arg-type]
    assert len(met) > 8
    assert said.count('<tr><th scope="row">') == len(met)


def test_copies_are_named_as_such() -> None:
    page = Page({"model": "llama-3.1-8b"})
    assert " copies of 1 × " in PIECES["result"](sought({"users": "5000"}, page), page)


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
