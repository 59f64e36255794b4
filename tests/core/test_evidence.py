"""The error to expect of a figure, and the numbers that pages tell of the model's accuracy."""

import json
import subprocess
import sys

import pytest

from lessoncore import respond
from lessoncore.assumptions import CALIBRATED, TEXTBOOK
from lessoncore.errors import LessonError
from lessoncore.evidence import EFFECTS, Expected, accuracy_of, expected_error
from lessoncore.figures import FIGURES
from lessoncore.scenario import Scenario


def expected(of: str, **changes: object) -> Expected:
    found = expected_error(Scenario().but(**changes), of, CALIBRATED)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("figure", "changes", "effect"),
    [
        ("ttft", {"prompt": 100}, "ttft_short"),
        ("ttft", {"prompt": 4000}, "ttft_long"),
        ("ttft", {"prompt": 4000, "cached": 3900}, "ttft_short"),
        ("tpot", {}, "decode_bs1"),
        ("tpot", {"prompt": 16_000}, "long_context"),
        ("tpot", {"batch": 32}, "batching"),
        ("tpot", {"weights": "int4-g32"}, "quantised"),
        ("tpot", {"weights": "fp8", "maths": "fp8"}, "decode_bs1"),
        ("tpot", {"model": "gpt-oss-20b", "weights": "stored"}, "quantised"),
        ("tpot", {"model": "qwen3-0.6b"}, "small_model"),
        ("tpot", {"model": "llama-3.1-70b", "gpus": 4}, "tensor_parallel"),
        ("throughput", {"batch": 64}, "throughput"),
        ("training_mfu", {}, "training"),
    ],
)
def test_what_a_case_falls_under(figure: str, changes: dict[str, object], effect: str) -> None:
    assert expected(figure, **changes).effect.key == effect


def test_of_several_effects_the_least_accurate_counts() -> None:
    both = expected("tpot", model="llama-3.1-70b", gpus=4, weights="int4")
    medians = {key: accuracy_of(key, CALIBRATED).median for key in ("quantised", "tensor_parallel")}
    assert both.accuracy.median == max(medians.values())


def test_the_scenarios_own_assumptions_are_meant_unless_others_are_named() -> None:
    own = expected_error(Scenario(assumptions="calibrated"), "tpot")
    assert own == expected_error(Scenario(), "tpot", CALIBRATED) != expected_error(Scenario(), "tpot", TEXTBOOK)


def test_nothing_is_said_of_figures_that_nobody_measured() -> None:
    assert expected_error(Scenario(), "weight_bytes") is None
    with pytest.raises(LessonError, match="Did you mean 'ttft'"):
        expected_error(Scenario(), "tttft")


def test_a_case_beyond_what_was_measured_is_named() -> None:
    assert expected("ttft", prompt=4000).beyond == ()
    assert expected("ttft", prompt=100_000, gpu="mi300x").beyond == (
        "none of them was taken on MI300X",
        "measured were prompts of 2,048 to 28,650 tokens, and this has 100,000",
    )


def test_every_figure_has_an_expected_error_or_none_in_any_scenario() -> None:
    for changes in ({}, {"gpus": 8, "batch": 4096}, {"gpu": "l4", "weights": "int4"}, {"prompt": 1, "output": 1}):
        for key in FIGURES:
            found = expected_error(Scenario().but(**changes), key)
            assert found is None or (found.effect.key in EFFECTS and 0 < found.accuracy.median < 1)


def error_part(**spec: object) -> dict[str, object]:
    request = {"id": 1, "state": {"assumptions": "calibrated"}, "parts": [{"kind": "error", **spec}]}
    reply: dict[str, object] = json.loads(respond(json.dumps(request)))
    return reply


def test_an_error_in_a_sentence_follows_the_pages_assumptions() -> None:
    assert error_part(effect="decode_bs1", of="median")["parts"] == [{"html": "4.6%"}]
    assert error_part(effect="decode_bs1", of="median", assumptions="textbook")["parts"] == [{"html": "9.3%"}]
    assert error_part(effect="all", of="rows")["parts"] == [{"html": "261"}]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"effect": "decode", "of": "median"}, "unknown effect 'decode'. Did you mean 'decode_bs1'?"),
        ({"effect": "all", "of": "mean"}, "unknown number of an error 'mean'. Did you mean 'median'?"),
        ({"effect": "all", "of": "p90", "assumptions": "<b>"}, "unknown set of predictions '<b>'"),
        ({"effect": ["all"], "of": "p90"}, "needs 'effect' as text"),
    ],
)
def test_a_wrong_request_gets_a_sentence(spec: dict[str, object], said: str) -> None:
    assert said in str(error_part(**spec)["error"])


def test_starting_lessoncore_loads_no_measurement() -> None:
    code = "import sys, lessoncore; print([name for name in sys.modules if 'evidence' in name or name == 'csv'])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
