"""What the calibrated set must reach on published measurements, and that anyone can find its constants again."""

import fit as fitting
import pytest
from accuracy import by_effect, cross_validated

from lessoncore.assumptions import CALIBRATED, TEXTBOOK
from lessoncore.evidence import EFFECTS, Row, accuracy, rows, sets

DATA = rows()
TABLE = by_effect(DATA, lambda row: row.error(CALIBRATED))


@pytest.mark.parametrize(
    ("effect", "most"),
    [
        ("decode_bs1", 0.05),
        ("batching", 0.05),
        ("tensor_parallel", 0.08),
        ("quantised", 0.10),
        ("long_context", 0.08),
        ("ttft_short", 0.12),
        ("ttft_long", 0.07),
        ("throughput", 0.10),
        ("training", 0.10),
        ("all", 0.08),
    ],
)
def test_the_median_error_of_an_effect(effect: str, most: float) -> None:
    assert TABLE[effect].median <= most


def test_three_quarters_of_all_rows_are_within_15_per_cent() -> None:
    assert TABLE["all"].within_15 >= 0.75


def test_calibration_is_worth_it_in_all_and_for_nearly_every_effect() -> None:
    textbook = by_effect(DATA, lambda row: row.error(TEXTBOOK))
    better = [effect for effect in EFFECTS if TABLE[effect].median < textbook[effect].median]
    assert len(better) == len(EFFECTS)


def test_every_row_shows_an_effect_and_has_a_source() -> None:
    assert all(row.effects and row.fields["source"] for row in DATA)
    assert len(DATA) == 261


def test_no_row_that_was_set_aside_is_among_them() -> None:
    assert "clean" not in DATA[0].fields
    assert not {"LC094", "TT005", "DS001"} & {row.id for row in DATA}


def test_a_recomputed_row_is_the_predicted_row() -> None:
    constants = {name: fitting._now(name) for name in fitting.START}
    for row in DATA[::7]:
        again = fitting.recomputation(row)(constants)
        assert again == pytest.approx(row.predicted_s(CALIBRATED), rel=1e-12)


def test_summing_errors_up() -> None:
    found = accuracy([0.1, -0.2, 0.0, 0.4])
    assert (found.count, found.within_15) == (4, 0.5)
    assert found.median == pytest.approx(0.15)
    assert found.ninetieth == pytest.approx(0.34)


@pytest.mark.slow
def test_the_fit_finds_the_constants_again() -> None:
    found = fitting.minimised(fitting.loss_on(DATA))
    for name, value in found.items():
        assert value == pytest.approx(fitting._now(name), rel=0.1), name


def test_without_a_source_its_rows_are_still_predicted() -> None:
    table = by_effect(DATA, lambda row: sets.error(row, "cross-validated"))
    assert table["all"].median <= 0.10
    assert table["all"].within_15 >= 0.65


@pytest.mark.slow
def test_what_is_kept_of_it_for_the_accuracy_page_is_up_to_date() -> None:
    source = "https://github.com/NVIDIA/TensorRT-LLM"  # most rows; `make evidence` does all, which takes long
    without = cross_validated(DATA, source)[source]
    for row in DATA:
        if row.source == source:
            assert sets.error(row, "cross-validated") == pytest.approx(row.error(without), abs=0.003), row.id


def test_one_project_is_one_source() -> None:
    assert len({row.source for row in DATA}) == 8
    assert Row({"source": "https://github.com/a/b/blob/main/c.md (commit 1)"}).source == "https://github.com/a/b"
