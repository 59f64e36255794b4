"""Every figure of the lesson's table, as it is printed there, comes out of the textbook assumptions."""

import pytest

from lessoncore.estimate import Estimate, estimate
from lessoncore.scenario import Scenario
from lessoncore.training import Training, training


def of(**changes: object) -> Estimate:
    """The running example with some values changed: Llama 3.1 8B in bf16 on one H100, 2,000 tokens in, 500 out."""
    return estimate(Scenario().but(**changes))


def at(context: float, batch: int = 1, **changes: object) -> Estimate:
    """A batch whose decode passes are seen at this context: the rest of the prompt is the answer's first half."""
    return of(prompt=int(context) - 1, output=2, batch=batch, **changes)


def ms(seconds: float, decimals: int = 1) -> str:
    return f"{seconds * 1e3:,.{decimals}f}"


def test_step_1_a_request() -> None:
    e = of()
    assert ms(e.ttft_s.value) == "55.9"
    assert ms(e.tpot_s.value, 2) == "6.10"
    assert f"{e.total_s.value:.2f}" == "3.11"
    assert f"{e.decode_share.value:.0%}" == "98%"
    assert (e.prefill.bound, e.decode.bound) == ("compute", "memory")


def test_step_2_intensity() -> None:
    e = of()
    assert f"{e.ridge.value:.0f}" == "295"
    assert f"{e.prefill.intensity.value:,.0f}" == "2,032"  # the table rounds to 2,030
    assert f"{e.decode.intensity.value:.2f}" == "1.05"


def test_step_3_the_weights_set_a_limit() -> None:
    e = of()
    assert f"{e.weight_bytes.value / 1e9:.2f}" == "16.06"
    full = e.weight_bytes.value / e.bandwidth.value
    assert (ms(full), ms(full / 0.8)) == ("4.8", "6.0")


def test_step_4_a_short_prompt_costs_as_much_and_where_it_turns() -> None:
    e = of(prompt=20)
    assert ms(e.ttft_s.value) == "6.0"
    assert ms(e.prefill.compute_s.value, 2) == "0.54"
    assert e.crossover.value == 221
    assert e.crossover_by_datasheet.value == 295
    assert (of(prompt=221).prefill.bound, of(prompt=222).prefill.bound) == ("memory", "compute")


def test_step_5_a_batch_shares_the_weights() -> None:
    e = of(batch=8)
    assert ms(e.tpot_s.value, 2) == "6.87"
    assert f"{e.tokens_per_s.value:,.0f}" == "1,164"
    assert f"{of().tokens_per_s.value:.0f}" == "164"


@pytest.mark.parametrize(
    ("context", "step", "rate"),
    [(250, "6.78", "9,446"), (500, "7.56", "8,468"), (2250, "13.04", "4,910")],
)
def test_step_6_long_contexts_eat_the_gain(context: int, step: str, rate: str) -> None:
    e = at(context, batch=64)
    assert ms(e.tpot_s.value, 2) == step
    assert f"{e.tokens_per_s.value:,.0f}" == rate


def test_step_7_the_cache_fills_the_memory() -> None:
    e = of()
    assert f"{e.kv_budget.value / 1e9:.1f}" == "58.9"
    assert f"{e.kv_tokens.value:,}" == "449,433"
    assert e.largest_batch.value == 179
    assert of(prompt=16_000).largest_batch.value == 27
    assert of(prompt=32_000).largest_batch.value == 13


def test_step_7_a_batch_at_long_context() -> None:
    e = at(16_250, batch=24)
    assert ms(e.tpot_s.value) == "25.1"
    assert f"{e.tokens_per_s.value:,.0f}" == "957"


def test_step_8_narrow_weights_speed_up_decode_and_narrow_maths_prefill() -> None:
    weights = of(weights="fp8")
    assert ms(weights.tpot_s.value, 2) == "3.11"
    assert ms(weights.ttft_s.value) == "55.9"
    assert ms(of(weights="fp8", maths="fp8").ttft_s.value) == "27.9"


def test_step_9_four_bits() -> None:
    assert ms(of(weights="int4").tpot_s.value, 2) == "1.61"
    # The table says "1.70 with fp16 scales, group 32". A 16-bit scale for each 32 weights is half a bit a weight and
    # gives 1.80; 1.70 is a quarter of a bit: a scale for each 64.
    assert ms(of(weights="int4-g64").tpot_s.value, 2) == "1.70"
    assert ms(of(weights="int4-g32").tpot_s.value, 2) == "1.80"
    assert ms(of(weights="int4").ttft_s.value) == "55.9"


def test_step_10_a_model_too_large() -> None:
    e = of(model="llama-3.1-70b")
    assert f"{e.weight_bytes.value / 1e9:.1f}" == "141.1"
    assert f"{e.memory_bytes.value / 1e9:.1f}" == "85.5"
    assert not e.fits


def test_step_11_it_loads_but_nobody_can_use_it() -> None:
    e = of(model="llama-3.1-70b", weights="fp8")
    assert f"{e.weight_bytes.value / 1e9:.1f}" == "70.6"
    assert f"{e.kv_budget.value / 1e9:.1f}" == "4.4"
    assert f"{e.kv_tokens.value:,}" == "13,473"
    assert e.largest_batch.value == 5
    assert of(model="llama-3.1-70b", weights="fp8", prompt=16_000, output=1).largest_batch.value == 0


@pytest.mark.parametrize(
    ("gpus", "a_gpu", "alone", "together"), [(4, "35.3", "13.2", "14.1"), (8, "17.6", "6.6", "7.7")]
)
def test_step_12_gpus_share_a_model(gpus: int, a_gpu: str, alone: str, together: str) -> None:
    e = of(model="llama-3.1-70b", gpus=gpus)
    assert f"{e.memory_fit.weights.value / 1e9:.1f}" == a_gpu
    assert ms(e.decode.memory_s.value) == alone
    assert ms(e.tpot_s.value) == together


def test_step_13_the_drill() -> None:
    e = of(model="llama-3.1-70b", gpus=2, weights="fp8")
    assert e.memory_fit.weights.value == 70_553_706_496 * 1 / 2


@pytest.mark.parametrize(
    ("tokens", "ttft", "share"),
    [
        (2000, "55.9", "3%"),
        (4000, "115.3", "6%"),
        (8000, "244.7", "12%"),
        (16000, "545.9", "21%"),
        (32000, "1,317.9", "34%"),
        (128000, "10,697.9", "68%"),
    ],
)
def test_step_14_long_prompts(tokens: int, ttft: str, share: str) -> None:
    e = of(prompt=tokens)
    assert ms(e.ttft_s.value) == ttft
    assert f"{e.attention_share.value:.0%}" == share


def test_step_16_training() -> None:
    small, large = training(Training(tokens=15e12)), training(Training(model="llama-3.1-70b"))
    assert f"{small.state_bytes.value / 1e9:.1f}" == "128.5"
    assert f"{large.state_bytes.value / 1e9:,.0f}" == "1,129"
    assert f"{small.flops.value:.1e}" == "7.2e+23"
    assert f"{small.gpu_hours.value:,.0f}"[:4] == "507,"
    assert f"{small.mfu.value:.0%}" == "40%"
