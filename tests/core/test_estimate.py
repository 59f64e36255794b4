"""Scenarios, their refusals, memory and the estimate's own costs."""

import subprocess
import sys
import time
from copy import replace
from math import floor

import pytest

from lessoncore import catalogue
from lessoncore.architecture import Architecture
from lessoncore.assumptions import CALIBRATED, TEXTBOOK
from lessoncore.catalogue import gpu, model
from lessoncore.errors import LessonError
from lessoncore.estimate import estimate
from lessoncore.precision import Precision
from lessoncore.scenario import Scenario
from lessoncore.training import Training, training


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"gpus": 3}, "Possible: 1, 2, 4, 8."),
        ({"gpus": 16}, "NVLink 4 joins at most 8 H100 SXM"),
        ({"gpus": 16}, "Possible: 1, 2, 4, 8."),
        ({"gpus": 16, "gpu": "rtx-4090"}, "PCIe 4.0 joins at most 8 RTX 4090"),
        ({"gpus": 2, "gpu": "mi250x-gcd"}, "use 1 GPU"),
        ({"gpus": 3, "gpu": "gb200"}, "Possible: 1, 2, 4, 8, 16, 32."),
        ({"gpu": "a100-80gb-sxm", "maths": "fp8"}, "It can compute in: bf16, int8."),
        ({"prompt": 10, "cached": 10}, "at most 9 can be cached"),
        ({"weights": "int3"}, "unknown Weights 'int3'"),
        ({"prompt": 2.5}, "a whole number is needed"),
        ({"batch": True}, "a whole number is needed"),
        ({"price": float("nan")}, "0 to 100 is possible"),
        ({"colour": "red"}, "unknown parameter 'colour'"),
    ],
)
def test_impossible_scenarios_say_so(changes: dict[str, object], says: str) -> None:
    with pytest.raises(LessonError) as refused:
        Scenario().but(**changes)
    assert says in str(refused.value)


def test_things_can_be_given_instead_of_their_keys() -> None:
    given = Scenario(gpu=gpu("h100-sxm"), model=model("llama-3.1-8b"), weights=Precision("own", "own", 16))
    assert estimate(given).total_s.value == estimate(Scenario()).total_s.value


def test_only_weights_that_are_multiplied_are_widened() -> None:
    unpack = estimate(Scenario(weights="int4"), CALIBRATED).decode.compute_s.inputs["unpack_s"]
    table, norms = 128_256 * 4096, 65 * 4096
    assert unpack.inputs["weights_read"].value == 8_030_261_248 - table - norms


def test_a_scenario_names_its_assumptions_and_estimate_can_be_given_others() -> None:
    named = estimate(Scenario(assumptions="calibrated"))
    assert named.assumptions is CALIBRATED
    assert named.total_s.value == estimate(Scenario(), CALIBRATED).total_s.value
    assert estimate(Scenario(assumptions="calibrated"), TEXTBOOK).total_s.value == estimate(Scenario()).total_s.value


def test_weights_as_their_checkpoint_has_them() -> None:
    e = estimate(Scenario(model="gpt-oss-120b", weights="stored"))
    parts = model("gpt-oss-120b").parameters
    narrow, wide = parts.experts, parts.total - parts.experts
    assert e.weight_bytes.value == pytest.approx(narrow * 4.25 / 8 + wide * 2, rel=1e-12)


def test_a_prompt_of_one_token_and_an_answer_of_one() -> None:
    e = estimate(Scenario(prompt=1, output=1))
    assert e.decode.work.bytes.kv_read.value == 0.5 * 131_072
    assert e.total_s.value == e.ttft_s.value + e.tpot_s.value


def test_replicas_multiply_what_is_done_and_paid_but_not_how_long_it_takes() -> None:
    one, three = estimate(Scenario()), estimate(Scenario(replicas=3))
    assert three.throughput.value == pytest.approx(3 * one.throughput.value, rel=1e-12)
    assert three.total_s.value == one.total_s.value
    paid = [q.value for e in (one, three) for q in (e.fleet_price, e.input_cost) if q]
    assert paid[2:] == [3 * paid[0], paid[1]]


def test_short_prompts_share_a_prefill_pass() -> None:
    scenario = Scenario(prompt=128, batch=100)
    alone, shared = estimate(scenario.but(batch=1), CALIBRATED), estimate(scenario, CALIBRATED)
    assert shared.packed_prefill.work.flops.projections.inputs["tokens"].value == 64 * 128
    assert shared.prefill_share_s.value < 0.5 * alone.prefill_share_s.value
    assert estimate(scenario).prefill_share_s.value == estimate(scenario).ttft_s.value  # the textbook: one a pass


def test_a_price_that_nobody_knows_is_left_out() -> None:
    e = estimate(Scenario(gpu="tpu-v5e"))
    assert (e.price, e.input_cost, e.output_cost, e.request_cost, e.fleet_price) == (None,) * 5
    assert (e.input_energy, e.output_energy) == (None, None)


@pytest.mark.parametrize("key", catalogue.keys("models"))
def test_each_gpu_keeps_what_its_share_of_each_layer_leaves_there(key: str) -> None:
    """Heads are divided or copied and windows end layer by layer; states are divided by heads of their own."""
    for gpus in (1, 2, 4, 8, 16, 32, 64):
        try:
            scenario = Scenario(gpu="gb200", model=key, gpus=gpus, prompt=100_000, output=500, batch=3)
        except LessonError:  # heads that can't be shared
            continue
        e, m = estimate(scenario), model(key)

        def on_a_gpu(context: float, m: Architecture = m, gpus: int = gpus) -> float:
            return m.kv_bytes(context, 2, gpus) + m.state_bytes(gpus)

        assert e.memory_fit.kv.value == pytest.approx(3 * on_a_gpu(100_500), rel=1e-12)
        assert e.memory_used.value - e.weight_bytes.value == pytest.approx(3 * gpus * on_a_gpu(100_500), rel=1e-9)
        read, written = e.decode.work.bytes.kv_read.value, e.decode.work.bytes.kv_write.value
        assert read == pytest.approx(3 * gpus * on_a_gpu(100_249), rel=1e-12)
        assert written == pytest.approx(3 * gpus * m.kv_bytes(1, 2, gpus), rel=1e-12)
        assert e.decode.bytes_moved.value == e.decode.work.bytes.weights.value + read + written
        room = e.kv_budget.value / gpus
        assert e.largest_batch.value == max(0, floor(room / on_a_gpu(100_500)))
        longest = int(e.longest_context.value)
        if 0 < longest < 2**40 - 1:  # that is "any"
            assert 3 * on_a_gpu(longest) <= room < 3 * on_a_gpu(longest + 1)


@pytest.mark.parametrize(
    ("changes", "prefill", "decode"),
    [
        ({}, "compute", "memory"),
        ({"prompt": 20}, "memory", "memory"),
        ({"batch": 1000, "prompt": 1, "output": 1}, "memory", "compute"),
        ({"gpus": 8}, "compute", "memory"),
        # A pass of a small model on many GPUs waits for its all-reduces most of the time.
        ({"gpus": 8, "model": "llama-3.2-1b", "prompt": 20}, "communication", "communication"),
        ({"gpus": 8, "assumptions": "calibrated"}, "communication", "launch"),
        ({"model": "llama-3.2-1b", "prompt": 20, "assumptions": "calibrated"}, "launch", "launch"),
        ({"model": "llama-3.1-70b", "gpus": 4, "assumptions": "calibrated"}, "compute", "memory"),
    ],
)
def test_what_bounds_a_phase_is_what_takes_longest(changes: dict[str, object], prefill: str, decode: str) -> None:
    e = estimate(Scenario().but(**changes))
    assert (e.prefill.bound, e.decode.bound) == (prefill, decode)
    for one in (e.prefill, e.decode):
        assert one.bound_words == f"{one.bound}-bound"
        given = {"compute": one.compute_s, "memory": one.memory_s}
        given |= {"communication": one.communication_s} if one.communication_s else {}
        given |= {"launch": one.launch_s} if one.launch_s else {}
        assert given[one.bound].value == max(q.value for q in given.values())


def test_a_term_of_the_readers_own_can_be_the_bound() -> None:
    slow = replace(TEXTBOOK, own_term_s=lambda one_pass: 1.0)
    assert estimate(Scenario(), slow).decode.bound_words == "bound by your own code"


def test_advice_names_ways_that_work() -> None:
    e = estimate(Scenario(model="llama-3.1-70b", weights="fp8", prompt=16_000))
    assert e.advice()[1:] == [
        "With this many requests, prompt and answer together may have 13,473 tokens.",
        "It fits on 2 GPUs.",
        "It fits with weights in int4, group 128.",
        "It fits with the KV cache in fp8.",
    ]
    for changes in ({"gpus": 2}, {"weights": "int4-g128"}, {"kv": "fp8"}, {"prompt": 12_973}):
        assert estimate(e.scenario.but(**changes)).fits


def test_training_recomputation_costs_time_and_saves_memory() -> None:
    keeps, again = (training(Training(recompute=what), CALIBRATED) for what in ("attention", "everything"))
    assert again.training_rate.value < keeps.training_rate.value
    assert again.activation_bytes.value == keeps.activation_bytes.value / 17


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"all_gpus": 6, "gpus": 4}, "groups of 4 GPUs can't make up 6"),
        (
            {"all_gpus": 7, "gpus": 7},
            "can't share the 32 query heads of Llama 3.1 8B evenly. Possible: 1, 2, 4, 8.",
        ),
        ({"all_gpus": 64, "gpus": 16}, "NVLink 4 joins at most 8 H100 SXM"),
        ({"sequence": 10**18}, "sequence must be from 1 to 16,777,216, but is 1000000000000000000."),
        ({"micro_batch": 10**9}, "micro_batch must be from 1 to 1,000,000"),
        ({"recompute": "twice"}, "unknown recomputation 'twice'"),
        ({"tokens": 0}, "tokens must be from 1 to 1e+18"),
        ({"tokens": float("nan")}, "tokens must be from 1 to 1e+18"),
        ({"all_gpus": 8.5}, "all_gpus must be a whole number"),
        ({"gpu": "tpu-v9"}, "unknown GPU 'tpu-v9'"),
    ],
)
def test_impossible_training_says_so(changes: dict[str, object], says: str) -> None:
    with pytest.raises(LessonError) as refused:
        Training(**changes)  # type: ignore[arg-type]
    assert says in str(refused.value)


def test_the_all_reduces_of_training_have_the_latency_of_those_of_inference() -> None:
    """4 GPUs: 4 µs and 0.35 µs for each, as in a pass; over PCIe 12 µs and 2 µs."""
    for key, latency in (("h100-sxm", 4e-6 + 4 * 0.35e-6), ("l40s", 12e-6 + 4 * 2e-6)):
        t = training(Training(gpu=key, gpus=4, sequence=1), CALIBRATED)
        e = estimate(Scenario(gpu=key, gpus=4), CALIBRATED)
        of_training = t.step_s.inputs["communication_s"].inputs["all_reduce_s"].inputs["all_reduce_latency_s"]
        assert e.decode.communication_s
        of_a_pass = e.decode.communication_s.inputs["all_reduce_s"].inputs["all_reduce_latency_s"]
        assert of_training.value == of_a_pass.value == pytest.approx(latency)
        assert all(len(given.source) > 20 for given in of_training.givens() if given.symbol != "gpus")


def test_a_link_over_pcie_is_not_taken_for_nvlink() -> None:
    e = estimate(Scenario(gpu="l40s", gpus=4))
    assert e.decode.communication_s
    said = " ".join(given.source for given in e.decode.communication_s.givens())
    assert "NVLink" not in said
    assert "over PCIe" in said


def test_training_figures_recompute() -> None:
    t = training(Training(gpus=2, recompute="everything", price=2.0), CALIBRATED)
    for q in (t.state_bytes, t.gpu_bytes, t.flops, t.training_rate, t.step_s, t.mfu, t.gpu_hours, t.run_s, t.cost):
        assert q is not None
        assert q.recomputed() == q.value > 0


def test_an_estimate_takes_less_than_a_millisecond() -> None:
    scenario = Scenario()
    best = min(_seconds(scenario) for _ in range(20))
    assert best < 1e-3


def _seconds(scenario: Scenario) -> float:
    start = time.perf_counter()
    e = estimate(scenario, CALIBRATED)
    assert e.total_s.value > 0
    assert e.fits
    return time.perf_counter() - start


def test_the_core_imports_nothing_that_a_page_rarely_needs() -> None:
    asked = "import sys, lessoncore.estimate; lessoncore.estimate.estimate(lessoncore.estimate.Scenario()).total_s"
    loaded = subprocess.run(
        [sys.executable, "-S", "-c", f"{asked}; print(*sys.modules)"], capture_output=True, text=True, check=True
    ).stdout.split()
    rare = {"training", "price", "rates", "advice", "__main__"}
    assert not {f"lessoncore.{name}" for name in rare} & set(loaded)
    assert not {"argparse", "decimal", "statistics", "random", "typing_extensions"} & set(loaded)
