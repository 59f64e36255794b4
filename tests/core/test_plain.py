"""The formulas in one line say what the sums by part say."""

import pytest

from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate, estimate
from lessoncore.figures import FIGURES
from lessoncore.plain import PLAIN, plain
from lessoncore.scenario import Scenario

SCENARIOS = [
    Scenario(),
    Scenario(model="llama-3.1-70b", weights="int4-g32", kv="fp8", prompt=16_000, output=20, batch=7),
    Scenario(model="qwen3-32b", weights="fp8", maths="fp8", prompt=1),
]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.model)
@pytest.mark.parametrize("key", [key for key in PLAIN if key in FIGURES])
def test_a_formula_in_one_line_gives_the_sum_of_the_parts(key: str, scenario: Scenario) -> None:
    e = estimate(scenario)
    assert plain(key, e).value == pytest.approx(FIGURES[key].known(e).value, rel=1e-12)


def test_a_model_with_other_layers_or_experts_has_no_such_formula() -> None:
    for model in ("gpt-oss-20b", "mixtral-8x7b", "gemma-3-27b"):
        with pytest.raises(LessonError, match="isn't a plain transformer"):
            plain("prefill_flops", estimate(Scenario(model=model)))
    with pytest.raises(LessonError, match="one GPU has no all-reduce"):
        plain("all_reduce", estimate(Scenario()))


def test_a_token_of_a_training_run_is_not_a_token_of_a_pass() -> None:
    q = plain("training_flops", estimate(Scenario()))
    assert {given.meaning.letter for given in q.givens(counted=False)} == {"P", "n_train"}


# Where a batch turns compute-bound.


def bound(e: Estimate, batch: int) -> str:
    return estimate(e.scenario.but(batch=batch)).decode.bound


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario(prompt=200, output=100),
        Scenario(prompt=1, output=1),
        Scenario(prompt=500, output=20, kv="fp8", weights="fp8", maths="fp8"),
    ],
    ids=("context of 250", "hardly any context", "fp8"),
)
def test_a_batch_is_memory_bound_just_up_to_its_crossover(scenario: Scenario) -> None:
    e = estimate(scenario)
    assert e.batch_crossover is not None
    turn = int(e.batch_crossover.value)
    assert (bound(e, turn), bound(e, turn + 1)) == ("memory", "compute")


def test_it_is_worked_out_by_hand() -> None:
    """5.993 ms of weights ÷ (27.05 µs + 0.22 µs of arithmetic − 12.23 µs of cache for each request) = 398."""
    crossover = estimate(Scenario(prompt=200, output=100)).batch_crossover
    assert crossover is not None
    assert crossover.value == 398


def test_with_long_contexts_no_batch_is_compute_bound() -> None:
    e = estimate(Scenario(prompt=2000))
    assert e.batch_crossover is None
    assert bound(e, 4096) == "memory"


@pytest.mark.parametrize(
    "changes", [{"model": "mixtral-8x7b"}, {"model": "gemma-3-27b"}, {"gpus": 2}, {"assumptions": "calibrated"}]
)
def test_where_more_than_that_counts_there_is_no_such_number(changes: dict[str, object]) -> None:
    assert estimate(Scenario(prompt=10, output=10).but(**changes)).batch_crossover is None
