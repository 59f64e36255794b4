"""What holds for every scenario: figures are numbers, derivations are true, more hardware is never slower."""

from copy import replace
from itertools import pairwise
from math import isclose, isfinite

import pytest
from any_scenario import ASSUMPTIONS, MODELS, figures, scenarios
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lessoncore.assumptions import CALIBRATED, TEXTBOOK, Assumptions
from lessoncore.catalogue import gpu
from lessoncore.estimate import Estimate, estimate
from lessoncore.formula import Quantity
from lessoncore.precision import PRECISIONS
from lessoncore.roofline import PassTime
from lessoncore.scenario import Scenario
from lessoncore.symbols import SYMBOLS

pytestmark = pytest.mark.slow  # hundreds of scenarios each

settings.register_profile("lesson", deadline=None, max_examples=100, derandomize=True)
settings.load_profile("lesson")

BITS = {"bf16": 16, "fp8": 8, "int8": 8, "fp4": 4}
# The only figures that may be negative say how much memory is missing.
_MAY_BE_NEGATIVE = {"kv_budget", "memory room"}
_TIMES = ("ttft_s", "tpot_s", "total_s", "request_s", "loaded_tpot_s")


def times(e: Estimate) -> list[float]:
    return [getattr(e, name).value for name in _TIMES]


def never_slower(fast: Estimate, slow: Estimate) -> bool:
    return all(a <= b * (1 + 1e-12) for a, b in zip(times(fast), times(slow), strict=True))


@given(scenarios(), ASSUMPTIONS)
def test_every_figure_is_a_number(scenario: Scenario, taken: Assumptions) -> None:
    for name, q in figures(estimate(scenario, taken)).items():
        assert isfinite(q.value), name
        assert q.value >= 0 or name in _MAY_BE_NEGATIVE, name
    for share in ("decode_share", "attention_share"):
        assert getattr(estimate(scenario, taken), share).value <= 1


@given(scenarios(), ASSUMPTIONS)
def test_every_derivation_gives_its_figure(scenario: Scenario, taken: Assumptions) -> None:
    for name, q in figures(estimate(scenario, taken)).items():
        assert q.recomputed() == q.value, name
        assert q.function or q.source, name


@given(scenarios(), ASSUMPTIONS)
def test_every_given_has_a_source_and_every_input_the_unit_of_its_symbol(
    scenario: Scenario, taken: Assumptions
) -> None:
    for q in figures(estimate(scenario, taken)).values():
        assert all(given_.source for given_ in q.givens())
        for step in q.steps():
            for name, i in step.inputs.items():
                # A batch of one token each is as many tokens.
                units = {SYMBOLS[name].unit, i.meaning.unit}
                assert len(units) == 1 or units == {"", "tokens"}, (step.symbol, name, i.symbol)


@given(scenarios(), ASSUMPTIONS)
def test_totals_are_sums_of_their_parts(scenario: Scenario, taken: Assumptions) -> None:
    e = estimate(scenario, taken)
    for each in (e.prefill, e.decode):
        f, b = each.work.flops, each.work.bytes
        parts = (f.embedding, f.projections, f.attention, f.mlp, f.head)
        assert isclose(f.total.value, sum(part.value for part in parts), rel_tol=1e-12)
        weights = (b.embedding, b.projections, b.mlp, b.head)
        assert isclose(b.weights.value, sum(part.value for part in weights), rel_tol=1e-12)
        assert b.total.value >= b.weights.value + b.kv_read.value + b.kv_write.value - 1e-6 * b.total.value
    fit = e.memory_fit
    used = (fit.weights, fit.kv, fit.runtime, fit.activations, fit.room)
    assert isclose(fit.usable.value, sum(part.value for part in used), rel_tol=1e-9)


@given(scenarios(), ASSUMPTIONS, st.floats(1, 10))
def test_more_bandwidth_or_compute_is_never_slower(scenario: Scenario, taken: Assumptions, factor: float) -> None:
    here = scenario.hardware
    slow = estimate(scenario, taken)
    wider = replace(here, bandwidth=here.bandwidth * factor)
    faster = replace(
        here,
        peak_flops={maths: peak * factor for maths, peak in here.peak_flops.items()},
        vector_flops=here.vector_flops * factor,
    )
    nearer = replace(here, link_bandwidth=here.link_bandwidth * factor)
    for better in (wider, faster, nearer):
        assert never_slower(estimate(replace(scenario, gpu=better), taken), slow)


def unpack_s(one: PassTime) -> float:
    """What widening narrow weights costs the pass."""
    q = one.compute_s.inputs.get("unpack_s")
    return q.value if q else 0.0


@given(scenarios(), ASSUMPTIONS, st.sampled_from(list(PRECISIONS)), st.sampled_from(list(PRECISIONS)))
def test_narrower_weights_are_smaller_and_slower_by_their_unpacking_at_most(
    scenario: Scenario, taken: Assumptions, one: str, other: str
) -> None:
    """The exception is physical: weights as wide as the arithmetic needn't be widened, narrower ones must be.

    That costs a few operations for each weight that is read. It outweighs the bytes that are saved when the pass isn't
    bound by memory, or hardly: fp8 arithmetic with nvfp4 weights in the prefill of a long prompt.
    """
    wide, narrow = sorted((one, other), key=lambda key: -PRECISIONS[key].bytes)
    slow, fast = (estimate(scenario.but(weights=key), taken) for key in (wide, narrow))
    assert fast.memory_used.value <= slow.memory_used.value
    for a, b in ((fast.prefill, slow.prefill), (fast.decode, slow.decode)):
        more = max(0.0, unpack_s(a) - unpack_s(b))
        assert a.time_s.value <= (b.time_s.value + more) * (1 + 1e-12)
    if unpack_s(fast.decode) <= unpack_s(slow.decode):
        assert never_slower(fast, slow)


@given(scenarios(), ASSUMPTIONS, st.data())
def test_narrower_arithmetic_is_never_slower_where_its_peak_is_not_lower(
    scenario: Scenario, taken: Assumptions, data: st.DataObject
) -> None:
    """The exception is physical: a B300 has next to no int8 units, so int8 is slower there than bf16."""
    peaks = scenario.hardware.peak_flops
    pair = st.sampled_from(
        [(wide, narrow) for wide in peaks for narrow in peaks if BITS[narrow] < BITS[wide]] or [None]
    )
    chosen = data.draw(pair)
    assume(chosen is not None)
    assert chosen
    wide, narrow = chosen
    slow, fast = (estimate(scenario.but(maths=maths), taken) for maths in (wide, narrow))
    if peaks[narrow] >= peaks[wide]:
        assert never_slower(fast, slow)
    else:
        assert (scenario.gpu, narrow) in {("b300-sxm", "int8"), ("gb300", "int8")}
        assert fast.prefill.compute_s.value > slow.prefill.compute_s.value


@given(scenarios(kv="bf16"), ASSUMPTIONS)
def test_a_narrower_cache_is_never_slower_and_never_larger(scenario: Scenario, taken: Assumptions) -> None:
    slow, fast = (estimate(scenario.but(kv=key), taken) for key in ("bf16", "fp8"))
    assert never_slower(fast, slow)
    assert fast.memory_used.value <= slow.memory_used.value


def test_a_format_without_a_higher_peak_is_as_fast_as_16_bits() -> None:
    for key in ("bf16", "int8"):
        e = estimate(Scenario(gpu="mi250x-gcd", maths=key), CALIBRATED)
        assert e.ttft_s.value == estimate(Scenario(gpu="mi250x-gcd"), CALIBRATED).ttft_s.value


@given(scenarios(), ASSUMPTIONS)
def test_a_larger_batch_never_writes_fewer_tokens_until_memory_ends(scenario: Scenario, taken: Assumptions) -> None:
    most = min(4_096, int(estimate(scenario, taken).largest_batch.value))
    assume(most >= 2)
    sizes = sorted({1, 2, most // 3 + 1, most // 2 + 1, most})
    rates = [estimate(scenario.but(batch=size), taken) for size in sizes]
    for smaller, larger in pairwise(rates):
        assert larger.tokens_per_s.value >= smaller.tokens_per_s.value * (1 - 1e-12)
        assert larger.throughput.value >= smaller.throughput.value * (1 - 1e-12)


@given(scenarios(), ASSUMPTIONS)
def test_the_largest_batch_fits_and_one_more_does_not(scenario: Scenario, taken: Assumptions) -> None:
    most = int(estimate(scenario, taken).largest_batch.value)
    if 1 <= most <= 4_096:
        assert estimate(scenario.but(batch=most), taken).fits
    if most + 1 <= 4_096:
        assert not estimate(scenario.but(batch=most + 1), taken).fits


@given(scenarios(cached=0), ASSUMPTIONS)
def test_the_longest_context_fits_and_one_token_more_does_not(scenario: Scenario, taken: Assumptions) -> None:
    longest = int(estimate(scenario, taken).longest_context.value)
    if 2 <= longest <= 131_072:
        assert estimate(scenario.but(prompt=longest - 1, output=1), taken).fits
    if 1 <= longest < 131_072:
        assert not estimate(scenario.but(prompt=longest, output=1), taken).fits


@given(scenarios(), ASSUMPTIONS)
def test_fits_says_the_same_everywhere(scenario: Scenario, taken: Assumptions) -> None:
    e = estimate(scenario, taken)
    assume(abs(e.memory_fit.room.value) > 1)  # rounding
    assert e.fits == e.memory_fit.fits == (e.largest_batch.value >= scenario.batch)
    assert len(e.advice()) == 1 if e.fits and e.too_long else bool(e.advice()) != e.fits


@given(scenarios(cached=0, model="llama-3.1-8b"), ASSUMPTIONS)
def test_work_grows_as_it_should(scenario: Scenario, taken: Assumptions) -> None:
    assume(scenario.prompt <= 65_536)
    once, twice = (
        estimate(scenario.but(prompt=n), taken).prefill.work.flops for n in (scenario.prompt, 2 * scenario.prompt)
    )
    assert twice.mlp.value == 2 * once.mlp.value
    assert twice.attention.value == 4 * once.attention.value
    e, double = estimate(scenario, taken), estimate(scenario.but(batch=min(4096, 2 * scenario.batch)), taken)
    assert double.decode.work.bytes.weights.value >= e.decode.work.bytes.weights.value
    assert double.kv_bytes.value >= e.kv_bytes.value


@given(scenarios(gpus=1, cached=0))
def test_the_textbook_scales_with_the_hardware(scenario: Scenario) -> None:
    here = scenario.hardware
    twice = replace(
        here,
        bandwidth=2 * here.bandwidth,
        peak_flops={maths: 2 * peak for maths, peak in here.peak_flops.items()},
    )
    e, half = estimate(scenario), estimate(replace(scenario, gpu=twice))
    assert isclose(half.total_s.value, e.total_s.value / 2, rel_tol=1e-12)
    assert half.ridge.value == e.ridge.value


@given(scenarios(), ASSUMPTIONS)
def test_a_cached_prefix_never_slows_the_prompt_down(scenario: Scenario, taken: Assumptions) -> None:
    """The exception is physical: layers with a state read it back, which a few tokens may not repay."""
    cold, warm = (estimate(each, taken) for each in (scenario.but(cached=0), scenario))
    assert warm.prefill.flops.value <= cold.prefill.flops.value
    assert warm.prefill.compute_s.value <= cold.prefill.compute_s.value
    model, gpus = scenario.architecture, scenario.gpus
    reached = taken.memory_efficiency * scenario.hardware.bandwidth
    state_s = model.state_bytes(gpus) / reached if scenario.cached else 0.0
    assert warm.ttft_s.value <= (cold.ttft_s.value + state_s) * (1 + 1e-12)


@given(scenarios(model="qwen3.5-35b-a3b", prompt=3, cached=1), ASSUMPTIONS)
def test_a_state_is_read_back_with_a_cached_prefix(scenario: Scenario, taken: Assumptions) -> None:
    cold, warm = (estimate(each, taken).prefill.work.bytes for each in (scenario.but(cached=0), scenario))
    of_states = scenario.gpus * scenario.architecture.state_bytes(scenario.gpus)
    one_token = warm.kv_write.value / 2
    assert cold.kv_read.value == 0
    assert isclose(warm.kv_read.value, of_states + one_token)


@given(scenarios(), ASSUMPTIONS)
def test_a_request_is_its_input_and_its_output(scenario: Scenario, taken: Assumptions) -> None:
    e = estimate(scenario.but(price=2.5), taken)
    assert e.request_cost
    assert e.fleet_price
    busy = e.requests_per_s.value * 3600 * e.request_cost.value
    assert isclose(busy, e.fleet_price.value, rel_tol=1e-9)  # what requests pay is what the GPUs cost


def test_the_extremes_are_fine() -> None:
    for model in MODELS:
        for prompt, output, batch in ((1, 1, 1), (131_072, 16_384, 4_096), (1, 16_384, 1), (131_072, 1, 1)):
            for taken in (TEXTBOOK, CALIBRATED):
                e = estimate(Scenario(model=model, prompt=prompt, output=output, batch=batch), taken)
                assert all(isfinite(q.value) for q in figures(e).values())


def test_the_calibrated_neutral_terms_are_the_textbook() -> None:
    neutral = replace(TEXTBOOK, attention_efficiency=TEXTBOOK.compute_efficiency)
    for changes in ({}, {"gpus": 4}, {"prompt": 20}, {"batch": 64}):
        scenario = Scenario().but(**changes)
        pairs = zip(times(estimate(scenario)), times(estimate(scenario, neutral)), strict=True)
        assert all(isclose(a, b, rel_tol=1e-12) for a, b in pairs)


def test_narrow_weights_cost_arithmetic_where_its_rate_is_known() -> None:
    scenario = Scenario(weights="int4")
    with_rate = estimate(scenario, CALIBRATED).decode.compute_s.value
    unknown = replace(gpu("h100-sxm"), vector_flops=0.0)
    without = estimate(replace(scenario, gpu=unknown), CALIBRATED)
    assert without.decode.compute_s.value < with_rate
    unpack: Quantity = without.decode.compute_s.inputs["unpack_s"]
    assert unpack.value == 0
    assert "no rate" in unpack.source
