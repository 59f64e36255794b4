"""Axes: few, round ticks that leave each other room, whatever the range; labels that don't collide."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from lessoncore.views.axes import Labels, around, linear_axis, log_axis
from lessoncore.views.svg import text_width

SIZES = st.floats(1e-6, 1e18)


@given(high=SIZES, width=st.sampled_from((250.0, 600.0)))
def test_a_linear_axis_has_round_ticks_with_room(high: float, width: float) -> None:
    axis = linear_axis(0, high, 40, 40 + width, "tokens")
    ticks = axis.ticks()
    assert axis.high >= high * (1 - 1e-9)
    assert 2 <= len(ticks) <= 13
    for (one, said), (after, said_after) in pairwise(ticks):
        if len(ticks) > 2:
            assert axis.at(after) - axis.at(one) >= (text_width(said, 11) + text_width(said_after, 11)) / 2


@given(low=SIZES, decades=st.floats(0, 12), width=st.sampled_from((250.0, 600.0)))
def test_a_log_axis_has_ticks_at_powers_of_ten(low: float, decades: float, width: float) -> None:
    axis = log_axis(low, low * 10**decades, 40, 40 + width, "tokens")
    assert axis.low <= low * (1 + 1e-9)
    assert axis.high >= low * 10**decades * (1 - 1e-9)
    assert axis.high >= 9.9 * axis.low
    assert axis.ticks()
    assert all(40 <= axis.at(value) <= 40.1 + width for value, _ in axis.ticks())


def test_ticks_of_time_carry_their_units() -> None:
    assert [words for _, words in log_axis(0.006, 11, 0, 400, "s").ticks()] == [
        "10\xa0ms",
        "100\xa0ms",
        "1\xa0s",
        "10\xa0s",
    ]
    assert [words for _, words in linear_axis(0, 1.3, 0, 400, "s").ticks()][:3] == ["0", "200", "400"]


def test_a_label_goes_where_room_is() -> None:
    labels = Labels(200, 100)
    first = labels.place([("here", "")], around(100, 50))
    assert labels.place([("here", "")], around(100, 50)) not in ("", first)
    labels.block(0, 0, 200, 100)
    assert labels.place([("nowhere", "")], around(100, 50)) == ""
    assert ">must<" in labels.place([("must", "")], around(100, 50), must=True)


def test_a_label_stays_off_a_line() -> None:
    labels = Labels(200, 100)
    labels.block_path([(0, 100), (200, 0)])
    assert labels.place([("on it", "")], [(90, 54, "start")]) == ""
    assert labels.place([("beside it", "")], [(120, 80, "start")])
