"""Axes with round ticks, and labels that find a free place: what pictures with a plot are drawn with."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from math import ceil, floor, log10

from lessoncore.record import Record
from lessoncore.units import JOINER, SCALES, show
from lessoncore.views.svg import line, text, text_width

_STEPS = (1, 2, 5)
_LABEL = 11.0  # size of an axis's labels


def round_down(value: float) -> float:
    """The largest 1, 2 or 5 times a power of ten that isn't above ``value``.

    >>> round_down(0.84), round_down(295), round_down(5)
    (0.5, 200.0, 5.0)
    """
    power = 10.0 ** floor(log10(value) + 1e-9)
    return max(step * power for step in _STEPS if step * power <= value * (1 + 1e-9))


def round_up(value: float) -> float:
    """The smallest 1, 2 or 5 times a power of ten that isn't below ``value``.

    >>> round_up(0.84), round_up(295), round_up(5)
    (1.0, 500.0, 5.0)
    """
    power = 10.0 ** floor(log10(value) + 1e-9)
    return min(step * power for step in (*_STEPS, 10) if step * power >= value * (1 - 1e-9))


def tick_text(value: float, unit: str, scale: str = "") -> str:
    """A tick's label: the number alone where the axis has one ``scale`` and names it, else with its unit.

    >>> tick_text(0.5, "s", "ms"), tick_text(0.5, "s"), tick_text(2e11, "FLOP/s", "TFLOP/s")
    ('500', '500\\xa0ms', '0.2')
    """
    shown = show(value, unit, 4, scale or None)
    number = shown.number.rstrip("0").rstrip(".") if "." in shown.number else shown.number
    if scale or not shown.unit:
        return number
    return f"{number}{'' if shown.unit == '%' else JOINER}{shown.unit}"


def scale_for(high: float, unit: str) -> str:
    """The scale of a unit that suits an axis up to ``high``: the largest with at least two of it.

    >>> scale_for(1.4, "s"), scale_for(12, "s"), scale_for(1e15, "FLOP/s")
    ('ms', 's', 'TFLOP/s')
    """
    return next((name for factor, name in SCALES[unit] if high >= 2 * factor), SCALES[unit][-1][1])


class Axis(Record):
    """Values from ``low`` to ``high`` along a picture's coordinate from ``start`` to ``end``."""

    low: float
    high: float
    start: float
    end: float
    unit: str = ""
    scale: str = ""
    log: bool = False

    @cached_property
    def _length(self) -> float:
        return log10(self.high / self.low) if self.log else self.high - self.low

    def at(self, value: float) -> float:
        """Where a value stands; one beyond the axis stands at its end."""
        low, start = self.low, self.start
        if value <= low:
            return start
        if value >= self.high:
            return self.end
        share = (log10(value / low) if self.log else value - low) / self._length
        return start + share * (self.end - start)

    def ticks(self, apart: float = 0.0) -> list[tuple[float, str]]:
        """Round values with their labels, as many as leave room: labels side by side, or ``apart`` along the axis."""
        choices = [[(v, tick_text(v, self.unit, self.scale)) for v in values] for values in self._choices()]
        return next((ticks for ticks in choices if self._have_room(ticks, apart)), choices[-1])

    def _have_room(self, ticks: list[tuple[float, str]], apart: float) -> bool:
        for (one, said), (after, said_after) in pairwise(ticks):
            needed = apart or (text_width(said, _LABEL) + text_width(said_after, _LABEL)) / 2 + 8
            if abs(self.at(after) - self.at(one)) < needed:
                return False
        return True

    def _choices(self) -> Iterator[list[float]]:
        """Ever fewer round values within the axis."""
        if not self.log:
            step = round_up((self.high - self.low) / 12)
            while step <= self.high - self.low:
                first = ceil(self.low / step - 1e-9)
                yield [n * step for n in range(first, floor(self.high / step + 1e-9) + 1)]
                step = round_up(step * 1.5)
            yield [self.low, self.high]
            return
        decades = range(floor(log10(self.low) - 1e-9), ceil(log10(self.high)) + 1)
        if self.high < 300 * self.low:  # on more decades, the powers of ten alone are easier to read
            yield self._within(step * 10.0**n for n in decades for step in _STEPS)
        for every in range(1, max(2, len(decades))):
            yield self._within(10.0**n for n in decades if n % every == 0)

    def _within(self, values: Iterable[float]) -> list[float]:
        return [v for v in values if self.low * (1 - 1e-9) <= v <= self.high * (1 + 1e-9)]


def linear_axis(low: float, high: float, start: float, end: float, unit: str, scale: str = "") -> Axis:
    """An axis from zero (or below) to a round value from ``high`` on."""
    high = high if high > low else low + 1
    step = round_up((high - min(0.0, low)) / 8)
    return Axis(
        min(0.0, floor(low / step + 1e-9) * step),
        ceil(high / step - 1e-9) * step,
        start,
        end,
        unit,
        scale or scale_for(high, unit),
    )


def log_axis(low: float, high: float, start: float, end: float, unit: str, scale: str = "") -> Axis:
    """A logarithmic axis from a round value below ``low`` to one above ``high``, at least a decade long."""
    low, high = round_down(low), round_up(high)
    return Axis(low, max(high, low * 10), start, end, unit, scale, log=True)


def bottom_axis(x: Axis, top: float, bottom: float, frame: float, name: str) -> str:
    """Grid lines from ``top`` to ``bottom``, labels below them, and the axis's name below those."""
    parts = []
    for value, words in x.ticks():
        place, half = x.at(value), text_width(words, _LABEL) / 2
        parts.append(line(place, top, place, bottom, "lc-grid"))
        parts.append(text(min(max(place, half), frame - half), bottom + 15, words, "lc-soft lc-small", "middle"))
    parts.append(line(x.start, bottom, x.end, bottom, "lc-axis"))
    parts.append(text(x.end, bottom + 31, name, "lc-soft", "end"))
    return "".join(parts)


def left_axis(y: Axis, left: float, right: float) -> str:
    """Grid lines from ``left`` to ``right`` with labels before them."""
    parts = []
    for value, words in y.ticks(apart=24):
        place = y.at(value)
        parts.append(line(left, place, right, place, "lc-grid"))
        parts.append(text(left - 6, place + 4, words, "lc-soft lc-small", "end"))
    return "".join(parts)


def left_margin(y: Axis) -> float:
    """Room that the labels of a left axis need."""
    return max(text_width(words, _LABEL) for _, words in y.ticks(apart=24)) + 8


Place = tuple[float, float, str]  # x, baseline, anchor
Line = tuple[str, str]  # words, class


Box = tuple[float, float, float, float]  # left, top, right, bottom
_CELL = 2.0
_UNREADABLE = 10


class Labels:
    """Puts labels where they fit: within the frame, and off what is there already.

    What is taken is kept as a grid: an integer for each row, a bit for each cell.
    """

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self._rows = [0] * (ceil(height / _CELL) + 1)
        self._words = list(self._rows)  # those of them that labels take

    def copy(self) -> "Labels":
        """The same places taken, to go on from."""
        other = Labels(self.width, self.height)
        other._rows, other._words = list(self._rows), list(self._words)
        return other

    def _cells(self, box: Box) -> tuple[int, int, int]:
        """A box within the frame: its first row, the row after its last, and the bits of its columns."""
        left, top, right, bottom = box
        first = max(0, floor(left / _CELL))
        count = ceil(min(right, self.width) / _CELL) - first
        bits = ((1 << count) - 1) << first if count > 0 else 0
        return max(0, floor(top / _CELL)), min(len(self._rows), ceil(bottom / _CELL)), bits

    def block(self, left: float, top: float, right: float, bottom: float, written: bool = False) -> None:
        """Keep labels off a box, and all the more if it is ``written`` over."""
        first, end, bits = self._cells((left, top, right, bottom))
        for row in range(first, end):
            self._rows[row] |= bits
            if written:
                self._words[row] |= bits

    def block_path(self, points: Iterable[tuple[float, float]], margin: float = 3.0) -> None:
        """Keep labels off a line through ``points``."""
        for (ax, ay), (bx, by) in pairwise(points):
            steps = max(1, ceil(min(abs(bx - ax), abs(by - ay)) / 4))
            across, down = (bx - ax) / steps, (by - ay) / steps
            for i in range(steps):
                x, y = ax + across * i, ay + down * i
                left, right = (x, x + across) if across >= 0 else (x + across, x)
                top, bottom = (y, y + down) if down >= 0 else (y + down, y)
                self.block(left, top - margin, right, bottom + margin)

    def _overlap(self, box: Box, most: int) -> int:
        """Cells of a box that are taken; counted no further than ``most``, for then the box isn't wanted.

        Words over an area can be read, words over words can't: these count as many.
        """
        first, end, bits = self._cells(box)
        taken = 0
        for row, words in zip(self._rows[first:end], self._words[first:end], strict=True):
            if there := row & bits:
                taken += there.bit_count()
                if written := words & bits:
                    taken += _UNREADABLE * written.bit_count()
                if taken >= most:
                    break
        return taken

    def place(self, lines: list[Line], places: Iterable[Place], must: bool = False) -> str:
        """Write ``lines`` below each other at the first of ``places`` that is free; a must stands in any case."""
        width = max(text_width(words, _LABEL if "lc-small" in cls else 12.0) for words, cls in lines)
        below = 14.0 * (len(lines) - 1) + 3
        places = list(places)
        least = self._freest(places, width, below)
        if must and least[0]:
            least = min(least, self._freest(self._anywhere(*places[0][:2]), width, below))
        overlap, (x, y, anchor), box = least
        if overlap and not must:
            return ""
        self.block(*box, written=True)
        return "".join(text(x, y + 14 * i, words, f"lc-halo {cls}", anchor) for i, (words, cls) in enumerate(lines))

    def _freest(self, places: Iterable[Place], width: float, below: float) -> tuple[int, Place, Box]:
        """The first of the places that is free, moved into the frame, or the one with the least in the way."""
        least: tuple[int, Place, Box] | None = None
        most = ceil(self.width * self.height) * _UNREADABLE
        for x, y, anchor in places:
            left = x - {"middle": width / 2, "end": width}.get(anchor, 0.0)
            dx = max(0.0, -left) - max(0.0, left + width - self.width)
            dy = max(0.0, 11 - y) - max(0.0, y + below - self.height)
            box = (left + dx, y + dy - 11, left + dx + width, y + dy + below)
            overlap = self._overlap(box, most)
            if least is None or overlap < most:
                least = overlap, (x + dx, y + dy, anchor), box
                most = overlap
            if overlap == 0:
                break
        assert least is not None, "a label needs a place"
        return least

    def _anywhere(self, x: float, y: float) -> list[Place]:
        """Places all over the frame, those near a point first."""
        found = [
            (abs(left - x) + abs(top - y), left, top)
            for left in range(0, int(self.width), 24)
            for top in range(11, int(self.height), 14)
        ]
        return [(left, top, "start") for _, left, top in sorted(found)]


def around(x: float, y: float, gap: float = 12.0) -> list[Place]:
    """Places for a label of two lines around a point, the nearest first, ever farther away."""
    places: list[Place] = []
    for far in (1.0, 1.6, 2.6, 4.0, 6.0, 8.5, 11.5):
        reach = gap * far
        places += [
            (x + reach, y + reach + 8, "start"),
            (x - reach, y + reach + 8, "end"),
            (x, y + reach + 12, "middle"),
            (x + reach, y - reach - 10, "start"),
            (x - reach, y - reach - 10, "end"),
            (x + 1.7 * reach, y + 8, "start"),
            (x - 1.7 * reach, y + 8, "end"),
            (x + 1.7 * reach, y - 8, "start"),
            (x - 1.7 * reach, y - 8, "end"),
        ]
    return places
