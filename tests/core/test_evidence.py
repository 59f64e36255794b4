"""The error to expect of a figure, and the numbers that pages tell of the model's accuracy."""

import json
import subprocess
import sys
from statistics import median

import pytest

from lessoncore import respond
from lessoncore.assumptions import CALIBRATED, TEXTBOOK
from lessoncore.errors import LessonError
from lessoncore.evidence import Expected, accuracy, expected_error
from lessoncore.evidence.rows import rows_of
from lessoncore.evidence.sets import error
from lessoncore.figures import FIGURES
from lessoncore.scenario import Scenario
from lessoncore.views import bench as views


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
        ("tpot", {"model": "gpt-oss-20b", "weights": "stored"}, "mixtures"),
        ("tpot", {"model": "qwen3-0.6b"}, "small_model"),
        ("tpot", {"model": "llama-3.1-70b", "gpus": 4}, "tensor_parallel"),
        ("throughput", {"batch": 64}, "throughput"),
        ("training_mfu", {}, "training"),
    ],
)
def test_what_a_case_falls_under(figure: str, changes: dict[str, object], effect: str) -> None:
    assert effect in [group.effect.key for group in expected(figure, **changes).groups]


def test_of_several_groups_the_worst_counts_for_each_number() -> None:
    both = expected("tpot", model="llama-3.1-70b", gpus=4, weights="int4")
    assert {group.effect.key for group in both.groups} == {"tensor_parallel", "quantised"}
    assert both.typical.accuracy.median == max(group.accuracy.median for group in both.groups)
    assert both.worst.accuracy.ninetieth == max(group.accuracy.ninetieth for group in both.groups)


def test_a_quantity_is_held_against_measurements_of_that_quantity_alone() -> None:
    ttft = expected("ttft", model="llama-3.1-70b", gpus=4)
    rows = [row for row in rows_of("tensor_parallel") if row.fields["metric"] == "TTFT"]
    dense = [row for row in rows if "mixtral" not in row.fields["model"]]
    found = {group.effect.key: group.accuracy for group in ttft.groups}
    assert found["tensor_parallel"] == accuracy(error(row, "cross-validated") for row in dense)
    assert found["tensor_parallel"].count == 8


def test_what_is_fitted_is_told_by_cross_validation() -> None:
    rows = [row for row in rows_of("ttft_short") if row.scenario.gpus == 1]
    found = expected("ttft", prompt=100)
    assert found.cross_validated
    assert found.typical.accuracy.median == median(abs(error(row, "cross-validated")) for row in rows)
    assert found.typical.accuracy.median > 3 * median(abs(error(row, "calibrated")) for row in rows)
    by_hand = expected_error(Scenario(prompt=100), "ttft", TEXTBOOK)
    assert by_hand
    assert not by_hand.cross_validated


MIXTRAL = {"model": "mixtral-8x7b", "gpu": "h200-sxm", "gpus": 2, "weights": "fp8", "maths": "fp8", "prompt": 2048}


def test_a_case_that_was_measured_and_failed_says_so() -> None:
    found = expected("ttft", **MIXTRAL)
    assert found.rough
    assert [row.id for row in found.same] == ["TR052"]
    said = views.expected(["ttft", "tpot"], Scenario(assumptions="calibrated").but(**MIXTRAL))
    assert "predicted 61% too fast: Mixtral 8x7B fp8, 2 × H200 SXM, prompt 2,048 (TR052)" in said
    assert "Time to first token: take it as an order of magnitude, no more." in said


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("deepseek-v3", ("mixture of experts other than Mixtral", "latent attention (MLA)")),
        ("kimi-k2", ("mixture of experts other than Mixtral", "latent attention (MLA)")),
        ("qwen3.5-397b-a17b", ("mixture of experts other than Mixtral", "linear attention")),
        ("qwen3.5-27b", ("linear attention",)),
        ("nemotron-3-nano", ("mixture of experts other than Mixtral", "linear attention")),
        ("gemma-3-27b", ("sliding windows",)),
        ("mixtral-8x7b", ()),
        ("mistral-7b-v0.1", ()),
        ("llama-3.1-8b", ()),
    ],
)
def test_models_like_which_nothing_was_measured_are_named(model: str, words: tuple[str, ...]) -> None:
    unlike = expected("tpot", model=model).unlike
    assert len(unlike) == len(words)
    assert all(word in found for word, found in zip(words, unlike, strict=True))
    said = views.expected(["ttft"], Scenario(model=model))
    assert ("Nothing like this was measured" in said) == bool(words)


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
            assert found is None or (
                found.groups and 0 < found.typical.accuracy.median <= found.worst.accuracy.ninetieth < 1
            )


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
