"""Predictions against measurements: a plot for each quantity, a dot for each measurement.

Both axes are logarithmic and the same, so a dot on the diagonal is a prediction that is exactly right. The axes hold
the predictions of every set, so that they stay where they are when a reader compares the sets. The page's script
(docs/assets/dots.js) finds the dot nearest to a pointer or a key; it knows neither the numbers nor the words.
"""

import json
from dataclasses import dataclass
from functools import cache, lru_cache

from lessoncore.evidence.accuracy import accuracy
from lessoncore.evidence.chosen import Chosen
from lessoncore.evidence.quantities import MEASURES, Measure, measure
from lessoncore.evidence.rows import Row, all_rows
from lessoncore.evidence.said import percent
from lessoncore.evidence.sets import SETS, error
from lessoncore.evidence.words import amount, engine, off, set_up
from lessoncore.views.axes import left_axis, left_margin, log_axis
from lessoncore.views.labels import plural
from lessoncore.views.markup import attribute, escape
from lessoncore.views.markup import coordinate as at
from lessoncore.views.svg import line, picture, text, text_width

_CLOSE, _FAR = 0.15, 2.0  # what is shaded, and what the dashed lines stand for


@dataclass(frozen=True, slots=True)
class _Size:
    name: str
    width: float
    height: float
    r: float


_SMALL = _Size("one", 320, 284, 3.4)
_WIDE = _Size("wide", 640, 400, 4.2)
_NARROW = _Size("narrow", 340, 300, 3.6)
_TOP, _BELOW = 56.0, 36.0


@cache
def _span(key: str) -> tuple[float, float]:
    """The lowest and the highest value of a quantity, measured or predicted by any set."""
    values = [
        MEASURES[key].value(row.measured_s * (1 + off))
        for row in all_rows()
        if measure(row).key == key
        for off in (0.0, *(error(row, by) for by in SETS))
    ]
    return min(values) / 1.1, max(values) * 1.1


def _predicted(row: Row, by: str) -> float:
    return measure(row).value(row.measured_s * (1 + error(row, by)))


class _Plot:
    """The plot of one quantity in one size."""

    def __init__(self, of: Measure, rows: list[Row], by: str, size: _Size) -> None:
        self.of, self.by, self.size = of, by, size
        self.rows = sorted(rows, key=lambda row: (of.value(row.measured_s), row.id))
        low, high = _span(of.key)
        self.bottom = size.height - _BELOW
        self.y = log_axis(low, high, self.bottom, _TOP, of.unit, of.scale)
        self.left = left_margin(self.y)
        self.x = log_axis(low, high, self.left, size.width - 6, of.unit, of.scale)

    def draw(self, key: str) -> str:
        found = accuracy(error(row, self.by) for row in self.rows)
        said = self._summary()
        words = (
            f"{said} Above the diagonal a prediction is {self.of.more}, below it {self.of.less}. "
            f"{percent(found.within_15, 1)} of the dots are within 15%."
        )
        unit = f", {self.of.scale}" if self.of.scale else ""
        drawn = (
            text(0, 13, self.of.label, "lc-strong lc-lead")
            + text(0, 30, said, "lc-readout lc-soft")
            + text(0, 45, "\N{NO-BREAK SPACE}", "lc-readout lc-strong")
            + self._guides()
            + self._bottom_axis(f"Measured{unit}")
            + left_axis(self.y, self.left, self.x.end)
            + self._corners()
            + self._dots()
            + f'<circle class="lc-pick-ring" r="{at(self.size.r + 4)}"/>'
        )
        body = f'<g aria-hidden="true">{drawn}</g>{self._area(said)}'
        return picture(self.size.name, self.size.width, self.size.height, self.of.label, words, body, key, "group")

    def _summary(self) -> str:
        n = len(self.rows)
        median = accuracy(error(row, self.by) for row in self.rows).median
        return f"{n} {plural(n, 'measurement')}, " + (f"half within {percent(median)}." if n > 1 else "one dot.")

    def _place(self, row: Row) -> tuple[float, float]:
        return self.x.at(self.of.value(row.measured_s)), self.y.at(_predicted(row, self.by))

    def _dots(self) -> str:
        circles = "".join(f'<circle cx="{at(x)}" cy="{at(y)}"/>' for x, y in map(self._place, self.rows))
        return f'<g class="lc-dots lc-fill-{self.of.concept}" style="--r:{at(self.size.r)}px">{circles}</g>'

    def _along(self, factor: float) -> list[tuple[float, float]]:
        """The line of all predictions that are ``factor`` times what was measured, within the plot."""
        low, high = self.x.low, self.x.high
        start, end = max(low, low / factor), min(high, high / factor)
        return [(self.x.at(v), self.y.at(v * factor)) for v in (start, end)]

    def _guides(self) -> str:
        slow, fast = (1 + _CLOSE, 1 - _CLOSE)
        upper, lower = (1 / fast, 1 / slow) if self.of.rate else (slow, fast)
        corner, start = (self.x.end, self.y.end), (self.x.start, self.y.start)
        band = [start, *self._along(upper), corner, *reversed(self._along(lower))]
        shaded = " ".join(f"{at(x)},{at(y)}" for x, y in band)
        lines = [(1.0, "lc-axis"), (_FAR, "lc-limit-plain"), (1 / _FAR, "lc-limit-plain")]
        return f'<polygon points="{shaded}" class="lc-measurements__band"/>' + "".join(
            line(*a, *b, cls) for factor, cls in lines for a, b in [self._along(factor)]
        )

    def _bottom_axis(self, name: str) -> str:
        parts, last = [], self.left - 20
        for value, words in self.x.ticks():
            place, half = self.x.at(value), text_width(words, 11) / 2
            parts.append(line(place, _TOP, place, self.bottom, "lc-grid"))
            centre = min(max(place, half), self.size.width - half)
            if centre - half > last:
                parts.append(text(centre, self.bottom + 15, words, "lc-soft lc-small", "middle"))
                last = centre + half
        parts.append(line(self.x.start, self.bottom, self.x.end, self.bottom, "lc-axis"))
        parts.append(text(self.x.end, self.bottom + 31, name, "lc-soft lc-small", "end"))
        return "".join(parts)

    def _corners(self) -> str:
        """What the two sides of the diagonal mean."""
        up = text(self.left + 6, _TOP + 15, f"predicted {self.of.more}", "lc-halo lc-soft lc-small")
        down = text(self.x.end - 6, self.bottom - 8, f"predicted {self.of.less}", "lc-halo lc-soft lc-small", "end")
        return up + down

    def _area(self, said: str) -> str:
        points = ",".join(self._point(row) for row in self.rows)
        return (
            f'<rect x="{at(self.left)}" y="{at(_TOP)}" width="{at(self.x.end - self.left)}"'
            f' height="{at(self.bottom - _TOP)}" class="lc-dots-area" tabindex="0" role="slider" aria-readonly="true"'
            f' aria-label="{attribute(self.of.label)}: measurements" aria-valuemin="0"'
            f' aria-valuemax="{len(self.rows) - 1}" aria-valuenow="0" aria-valuetext="{attribute(said)}"'
            f' data-dots="{attribute(f"[{points}]")}"/>'
        )

    def _point(self, row: Row) -> str:
        x, y = self._place(row)
        prediction, far = amount(_predicted(row, self.by), self.of), off(error(row, self.by), self.of)
        one = f"{set_up(row)}, {engine(row)}"
        other = f"{amount(self.of.value(row.measured_s), self.of)}, predicted {prediction}: {far}"
        return f"[{at(x)},{at(y)},{json.dumps([row.id, one, other], ensure_ascii=False)[1:]}"


@lru_cache(maxsize=16)
def scatter(chosen: Chosen, key: str) -> str:
    """The plots of what was chosen: all quantities side by side, or a larger one of a single quantity."""
    rows = chosen.rows()
    groups = {of.key: [row for row in rows if measure(row).key == of.key] for of in MEASURES.values()}
    shown = {name: group for name, group in groups.items() if group}
    if not shown:
        return '<p class="lc-measurements__none">No measurement is about all of this. Let one of the filters go.</p>'
    if len(shown) == 1:
        [(name, group)] = shown.items()
        plots = [_Plot(MEASURES[name], group, chosen.by, size).draw(key) for size in (_WIDE, _NARROW)]
        return f'<div class="lc-measurements__plots lc-measurements__plots--one">{"".join(plots)}</div>'
    drawn = "".join(
        f"<div>{_Plot(MEASURES[name], group, chosen.by, _SMALL).draw(f'{key}-{name}')}</div>"
        for name, group in shown.items()
    )
    return f'<div class="lc-measurements__plots">{drawn}</div>'


def summary(chosen: Chosen) -> str:
    """How far off each set is on what was chosen."""
    rows = chosen.rows()
    if not rows:
        return "<p>No measurement is left.</p>"
    parts = []
    for by, words in SETS.items():
        found = accuracy(error(row, by) for row in rows)
        within = f"half within {percent(found.median)}, nine in ten within {percent(found.ninetieth)}"
        parts.append(
            f"<li{' class=lc-measurements__by' if by == chosen.by else ''}><b>{escape(words)}:</b> {within}</li>"
        )
    n = len(rows)
    return f"<p>{n} {plural(n, 'measurement')}</p><ul>{''.join(parts)}</ul>"
