"""A pass of the simulation takes exactly what the estimate says, and a run of passes the sum of them."""

from math import isclose

import pytest
from any_scenario import ASSUMPTIONS, MODELS, scenarios
from hypothesis import given, settings
from hypothesis import strategies as st

from lessoncore.assumptions import CALIBRATED, TEXTBOOK, Assumptions
from lessoncore.catalogue import model
from lessoncore.estimate import estimate
from lessoncore.forward import prefill_pass
from lessoncore.scenario import Scenario
from lessoncore.serving import AtOnce, Fixed, Load, Server, simulate
from lessoncore.serving.costs import DecodeRun, PassCosts
from lessoncore.serving.linear import PiecewiseLinear, sum_of_larger
from lessoncore.sheet import Sheet

settings.register_profile("lesson", deadline=None, max_examples=100, derandomize=True)
settings.load_profile("lesson")
EXACT = 1e-12


def decode_s(costs: PassCosts, batch: int, context: int) -> float:
    attention = batch * costs.decode_attention_flops.at(context)
    return costs.pass_s(batch, batch, attention, batch * costs.kv_bytes.at(context - 1), prefilling=False)


@given(scenarios(), ASSUMPTIONS, st.integers(1, 140_000))
def test_a_decode_pass_takes_what_the_estimate_says(scenario: Scenario, taken: Assumptions, context: int) -> None:
    expected = estimate(scenario, taken).decode_at(context).time_s.value
    assert isclose(decode_s(PassCosts(scenario, taken), scenario.batch, context), expected, rel_tol=EXACT)


@given(scenarios(), ASSUMPTIONS, st.integers(1, 8))
def test_a_prefill_pass_takes_what_the_estimate_says(scenario: Scenario, taken: Assumptions, prompts: int) -> None:
    costs = PassCosts(scenario, taken)
    new, cached = scenario.prompt - scenario.cached, scenario.cached
    attention = prompts * costs.prefill_attention_flops(new, cached)
    kv = prompts * costs.kv_bytes.at(cached) if cached else 0.0
    expected = prefill_pass(Sheet(scenario, taken), prompts).time_s.value
    assert isclose(costs.pass_s(prompts * new, prompts, attention, kv, prefilling=True), expected, rel_tol=EXACT)


@given(scenarios(), ASSUMPTIONS)
def test_the_room_for_the_cache_is_the_estimates(scenario: Scenario, taken: Assumptions) -> None:
    assert PassCosts(scenario, taken).kv_room == estimate(scenario, taken).kv_budget.value


@pytest.mark.parametrize("key", MODELS)
def test_straight_pieces_are_the_models_own_functions(key: str) -> None:
    costs = PassCosts(Scenario(model=key))
    m = model(key)
    for tokens in (1, 2, 127, 128, 129, 511, 512, 513, 1023, 1024, 1025, 4095, 4096, 4097, 4098, 100_000):
        assert costs.decode_attention_flops.at(tokens) == m.decode_attention_flops(tokens)
        assert costs.kv_bytes.at(tokens) == m.kv_bytes(tokens, 2) + m.state_bytes()
        slope = m.kv_bytes(tokens + 1, 2) - m.kv_bytes(tokens, 2)
        assert costs.kv_bytes.slope(tokens) == slope


def test_knots_at_several_places() -> None:
    def kept(tokens: int) -> float:
        return min(tokens, 10) + 3 * min(tokens, 20) + tokens

    pieces = PiecewiseLinear(kept, knots=(10, 20))
    for tokens in range(40):
        assert pieces.at(tokens) == kept(tokens)
        assert pieces.slope(tokens) == kept(tokens + 1) - kept(tokens)


@given(st.floats(0, 1), st.floats(0, 1e-2), st.floats(0, 1), st.floats(0, 1e-2), st.integers(1, 600))
def test_the_sum_of_the_larger_line(a: float, da: float, b: float, db: float, count: int) -> None:
    plain = sum(max(a + k * da, b + k * db) for k in range(count))
    assert isclose(sum_of_larger(a, da, b, db, count), plain, rel_tol=1e-9, abs_tol=1e-12)


@st.composite
def runs(draw: st.DrawFn) -> tuple[Scenario, Assumptions, DecodeRun, int, int]:
    """A run within one straight piece of every model, some of them where arithmetic overtakes memory."""
    scenario = draw(scenarios(cached=0))
    taken = draw(ASSUMPTIONS)
    costs = PassCosts(scenario, taken)
    passes = draw(st.integers(1, 40))
    context = draw(st.integers(2, 80)) + (max(costs.knots) + 1 if costs.knots else 0)
    n = scenario.batch
    run = DecodeRun(
        costs,
        n,
        n * costs.decode_attention_flops.at(context),
        n * costs.decode_attention_flops.slope(context),
        n * costs.kv_bytes.at(context - 1),
        n * costs.kv_bytes.slope(context - 1),
    )
    return scenario, taken, run, context, passes


@given(runs())
def test_a_run_of_decode_passes_is_the_sum_of_them(case: tuple[Scenario, Assumptions, DecodeRun, int, int]) -> None:
    scenario, taken, run, context, passes = case
    e = estimate(scenario, taken)
    one_by_one = sum(e.decode_at(context + k).time_s.value for k in range(passes))
    assert isclose(run.seconds(passes), one_by_one, rel_tol=1e-11)


def test_a_run_in_which_arithmetic_overtakes_memory() -> None:
    batch = 3000
    scenario = Scenario(model="deepseek-v3", batch=batch)  # latent attention computes much on what it reads
    for taken in (TEXTBOOK, CALIBRATED):
        costs = PassCosts(scenario, taken)
        e = estimate(scenario, taken)
        roofs = [e.decode_at(context).roof for context in (1000, 60_000)]
        assert roofs == ["memory", "compute"], "this scenario no longer shows the overtaking"
        attention, kv = costs.decode_attention_flops, costs.kv_bytes
        run = DecodeRun(
            costs,
            batch,
            batch * attention.at(1000),
            batch * attention.slope(1000),
            batch * kv.at(999),
            batch * kv.slope(999),
        )
        for passes in (1, 2, 500, 59_000):
            plain = sum(decode_s(costs, batch, 1000 + k) for k in range(passes))
            assert isclose(run.seconds(passes), plain, rel_tol=1e-10)


@given(runs(), st.floats(0, 1))
def test_the_pass_in_which_a_time_lies(case: tuple[Scenario, Assumptions, DecodeRun, int, int], share: float) -> None:
    _, _, run, _, passes = case
    seconds = share * run.seconds(passes)
    found = run.passes_until(seconds, passes)
    assert 1 <= found <= passes
    assert run.seconds(found) >= seconds
    assert found == 1 or run.seconds(found - 1) < seconds


@pytest.mark.parametrize("taken", [TEXTBOOK, CALIBRATED], ids=lambda taken: taken.key)
@pytest.mark.parametrize("chunked", [False, True], ids=["prefill first", "chunked"])
def test_a_request_alone_takes_what_the_lesson_says_all_along(chunked: bool, taken: Assumptions) -> None:
    e = estimate(Scenario(), taken)
    one = simulate(Server(Scenario(), chunked=chunked), Load(AtOnce(), Fixed(2000, 500), requests=1), taken)
    assert isclose(one.ttft.mean_s, e.ttft_s.value, rel_tol=EXACT)
    assert one.ttft.mean_waiting_s == 0
    # The estimate takes the pass at half the answer for the mean one; half a token is left.
    assert isclose(one.tpot.mean_s, e.decode_at(2000 + 250.5).time_s.value, rel_tol=1e-9)
    assert isclose(one.end_to_end.mean_s, e.total_s.value, rel_tol=1e-5)


@pytest.mark.parametrize(
    "changes", [{}, {"gpu": "gb200", "model": "llama-3.1-70b", "gpus": 16}, {"model": "gemma-3-27b", "gpus": 4}]
)
def test_as_many_fit_as_the_estimate_says(changes: dict[str, object]) -> None:
    scenario = Scenario().but(**changes, prompt=20_000)
    server = Server(scenario, reserves_answers=True, batch_limit=4096)
    result = simulate(server, Load(AtOnce(), Fixed(20_000, 500), requests=600))
    assert result.largest_batch == estimate(scenario).largest_batch.value
