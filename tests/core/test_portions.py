"""Long calculations go on in portions, and a page of ours never waits for more than one."""

from collections.abc import Iterator

import pytest

from lessoncore.errors import LessonError
from lessoncore.page import Page


def _count(to: int) -> Iterator[int]:
    yield from range(1, to + 1)


def test_while_building_a_calculation_ends_before_it_is_shown() -> None:
    assert Page().portion("to five", lambda: _count(5)) == (5, True)


def test_in_the_browser_the_first_call_only_begins_and_each_further_one_goes_on() -> None:
    page = Page(patience_s=0.0)
    states = [page.portion("to three", lambda: _count(3)) for _ in range(5)]
    assert states == [(None, False), (1, False), (2, False), (3, False), (3, True)]


def test_another_key_is_another_calculation_and_the_first_one_is_still_known() -> None:
    page = Page(patience_s=0.0)
    page.portion("a", lambda: _count(9))
    page.portion("a", lambda: _count(9))
    assert page.portion("b", lambda: _count(9)) == (None, False)
    assert page.portion("a", lambda: _count(9)) == (2, False)


def test_an_error_is_raised_each_time_and_ends_nothing_else() -> None:
    def fails() -> Iterator[int]:
        yield 1
        raise LessonError("no room.")

    for _ in range(2):
        with pytest.raises(LessonError, match="no room"):
            Page().portion("fails", fails)
