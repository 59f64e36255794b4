"""Numbers as people type them: all fields read them alike, and ask where they can be read in two ways."""

import pytest

from lessoncore.entries import Entry
from lessoncore.errors import LessonError
from lessoncore.parameters import PARAMETERS
from lessoncore.views.target import read_targets

WHOLE = {
    **dict.fromkeys(("12,000", "12000", "12 000", "12\xa0000", "12'000", "12k", "1.2e4", "12,0k"), 12000),
    "2,000": 2000,
    " 4k ": 4000,
    "4000.0": 4000,
    "1,5k": 1500,
    "1,000.0": 1000,
    "1.000,0": 1000,
}
DECIMAL = {
    "2,5": 2.5,
    "1,99": 1.99,
    "1.99": 1.99,
    "2.000": 2.0,
    "0,125": 0.125,
    "12.345": 12.345,
    "2": 2.0,
    "3e-1": 0.3,
}
# Text for a whole number -> what is said.
ASKED = {
    "12.000": "'12.000' can be 12 or 12,000; please write it as one of these",
    "2.500": "'2.500' can be 2.5 or 2,500",
    "2,5": "'2,5' isn't a whole number but 2.5",
    "4,00": "'4,00' isn't a whole number but 4",
    "1,2,3": "'1,2,3' isn't a number",
    "1.2.3": "'1.2.3' isn't a number",
    "4 0": "'4 0' isn't a number",
    "12.000 000": "isn't a number",
    "1e400": "isn't a number",
}


@pytest.mark.parametrize(("text", "number"), WHOLE.items())
def test_a_whole_number(text: str, number: int) -> None:
    assert PARAMETERS["prompt"].parse(text) == number
    assert Entry("requests", "Requests", 1, 20_000).read(text) == number
    assert read_targets({"users": text})[0].users == number


@pytest.mark.parametrize(("text", "number"), DECIMAL.items())
def test_a_price(text: str, number: float) -> None:
    assert PARAMETERS["price"].parse(text) == number
    assert Entry("price", "Price", 0, 100, whole=False).read(text) == number
    assert read_targets({"cost": text})[0].cost == pytest.approx(number)


@pytest.mark.parametrize(("text", "said"), ASKED.items())
def test_what_is_no_whole_number_is_asked_about(text: str, said: str) -> None:
    with pytest.raises(LessonError, match="Possible: a whole number from 1 to 10,485,760") as problem:
        PARAMETERS["prompt"].parse(text)
    assert said in str(problem.value)
    with pytest.raises(LessonError, match="A whole number from 1 to 20,000 is needed"):
        Entry("requests", "Requests", 1, 20_000).read(text)
    if text != "4 0":  # a bare number with a unit: "4" and "0"
        assert read_targets({"users": text})[1]


def test_a_point_before_three_digits_is_asked_about_where_both_are_possible() -> None:
    with pytest.raises(LessonError, match=r"'1\.000' can be 1 or 1,000"):
        PARAMETERS["rate"].parse("1.000")
    assert "can be 1.5 or 1,500" in read_targets({"tpot": "1.500"})[1]["tpot"]
    assert read_targets({"ttft": "1.500 s"})[0].ttft_s == 1.5  # no one waits 25 minutes


def test_a_price_beyond_the_range_is_never_made_to_fit() -> None:
    with pytest.raises(LessonError, match="0 to 100 is possible, but 1,995"):
        PARAMETERS["price"].parse("1,995")


def test_what_is_shown_of_a_number_is_what_was_read() -> None:
    for text in DECIMAL:
        number = PARAMETERS["price"].parse(text)
        assert PARAMETERS["price"].parse(PARAMETERS["price"].text(number)) == number  # type: ignore[arg-type]
    assert Entry("rate", "Rate", 0.1, 1000, whole=False).as_read("2,5") == "2.5"
    assert Entry("rate", "Rate", 0.1, 1000, whole=False).as_read("2.5") == ""
