"""Curves: one to four figures against a parameter of the scenario, with the present point on them.

What doesn't change while the reader moves along a curve is computed and drawn once and kept.
"""

from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import pairwise
from math import floor, log10
from typing import Any, NamedTuple

from lessoncore import conditions
from lessoncore.assumptions import Assumptions
from lessoncore.declaration import Field, Problem
from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate, estimate
from lessoncore.figures import FIGURES, Figure
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS, Count
from lessoncore.pictures import Picture, in_sizes
from lessoncore.scenario import Scenario
from lessoncore.units import JOINER, show
from lessoncore.views.axes import Axis, Labels, around, bottom_axis, left_axis, left_margin, linear_axis, log_axis
from lessoncore.views.data_table import data_table
from lessoncore.views.dragging import counted, dot, drag_dot, readout_area, readout_point
from lessoncore.views.markup import as_spec
from lessoncore.views.markup import coordinate as at
from lessoncore.views.svg import line, picture, rect, text, text_width
from lessoncore.widgets.fields import COUNT, FIGURES_UP_TO_4, LIMIT, RANGE, UNIT_SCALE, YES_OR_NO, pick

_SAMPLES = 60
# Ten values a decade, of which every third is the double: a curve in octaves passes through all of its points.
_TEN_A_DECADE = (1, 1.28, 1.6, 2, 2.5, 3.2, 4, 5, 6.4, 8)
_ROWS = 10
_TOP = 20.0  # of the first line of text below the picture's upper edge
_LINE = 17.0


class _Sample(NamedTuple):
    """The figures at one value of the parameter; nothing where one isn't known."""

    x: float
    figures: tuple[float | None, ...]
    fits: bool
    told: tuple[bool, ...]  # whether each is said: what doesn't fit into memory has no speed


def _parameter(key: str) -> Count:
    p = PARAMETERS[key]
    assert isinstance(p, Count)
    return p


def _span(values: dict[str, Any]) -> tuple[float, float]:
    """The parameter's lowest and highest value in the picture."""
    p = _parameter(values["x"])
    low, high = values["range"] or (p.low, p.stops[-1])
    # A price of 0 stands for another one, and nothing is at 0 of a logarithmic axis.
    smallest = p.stops[1] if p.decimals or (p.low == 0 and values["x_scale"] == "log") else p.low
    return max(low, smallest), min(high, p.high)


def _at(values: dict[str, Any]) -> list[float]:
    """The values at which the curves are computed: round ones, at most sixty."""
    p, (low, high) = _parameter(values["x"]), _span(values)
    stops = [stop for stop in p.stops if low <= stop <= high]
    if len(p.stops) < 12 or p.decimals:
        return stops
    if values["x_scale"] == "log":
        decades = range(floor(log10(low)), floor(log10(high)) + 1)
        found = {round(step * 10**n) for n in decades for step in _TEN_A_DECADE}
        if len(found) < _SAMPLES / 2:
            found |= {int(stop) for stop in stops}
    else:
        step = next(s * 10**n for n in range(9) for s in (1, 2, 4, 5) if (high - low) / (s * 10**n) <= _SAMPLES - 6)
        found = set(range(step, int(high) + 1, step))
    return sorted({low, high, *(v for v in found if low < v < high)})


def _value(figure: Figure, e: Estimate) -> float | None:
    quantity = figure.of(e)
    return None if quantity is None else quantity.value


def _samples(scenario: Scenario, taken: Assumptions, values: dict[str, Any]) -> tuple[_Sample, ...]:
    """The curves; the parameter's own present value has no part in them, so that dragging asks for the same again."""
    p = _parameter(values["x"])
    base = scenario
    for anywhere in (p.low, p.high):
        try:
            base = scenario.but(**{p.key: anywhere})
            break
        except LessonError:
            continue
    return _samples_of(base, taken, p.key, tuple(_at(values)), tuple(values["figures"]))


@lru_cache(maxsize=8)
def _samples_of(
    base: Scenario, taken: Assumptions, x: str, at_values: tuple[float, ...], figures: tuple[str, ...]
) -> tuple[_Sample, ...]:
    found = []
    last = _last_that_fits(estimate(base, taken), x)
    if last is not None and at_values[0] < last < at_values[-1]:
        at_values = tuple(sorted({*at_values, last}))
    for value in at_values:
        try:
            e = estimate(base.but(**{x: value}), taken)
        except LessonError:  # such as a prompt that is shorter than its cached prefix
            continue
        fits = e.fits if last is None else value <= last
        found.append(_sample(value, e, figures, fits))
    return tuple(found)


def _sample(x: float, e: Estimate, figures: Iterable[str], fits: bool) -> _Sample:
    shown = [FIGURES[key] for key in figures]
    told = tuple(fits or figure.runs(e) for figure in shown)
    return _Sample(x, tuple(_value(figure, e) for figure in shown), fits, told)


def _last_that_fits(e: Estimate, x: str) -> int | None:
    """The largest value of a parameter with which it fits into memory; None where more of it takes no more memory."""
    if x == "batch":
        return int(e.largest_batch.value)
    if x == "prompt":
        return int(e.longest_context.value) - e.scenario.output
    if x == "output":
        return int(e.longest_context.value) - e.scenario.prompt
    return None


# A scenario in which every figure is known.
_SAMPLE = Scenario(price=1.0, gpus=2)


def _unit(figures: list[str]) -> str:
    e = estimate(_SAMPLE)
    return FIGURES[figures[0]].known(e).meaning.unit


class _Style(NamedTuple):
    """How a series looks: the colour of its concept, and a pattern that tells it from others of that colour."""

    concept: str
    nth: int

    @property
    def stroke(self) -> str:
        return f"lc-series lc-stroke-{self.concept} lc-dash-{self.nth}"


def _styles(figures: list[str]) -> list[_Style]:
    e = estimate(_SAMPLE)
    seen: dict[str, int] = {}
    styles = []
    for key in figures:
        quantity = FIGURES[key].of(e)
        concept = (quantity.meaning.concept if quantity else "") or "ink"
        styles.append(_Style(concept, seen.get(concept, 0)))
        seen[concept] = styles[-1].nth + 1
    return styles


class _Curves:
    """The picture in one size, as far as it doesn't depend on the parameter's present value."""

    size = ""
    width = 0.0
    plot_height = 0.0

    def __init__(self, samples: tuple[_Sample, ...], values: dict[str, Any], key: str) -> None:
        self.samples, self.values, self.key = samples, values, key
        self.p = _parameter(values["x"])
        self.figures = [FIGURES[name] for name in values["figures"]]
        self.unit = _unit(values["figures"])
        self.styles = _styles(values["figures"])
        self.stacked = values["stacked"] and len(self.figures) > 1
        self.rows = len(self.figures) + self.stacked if len(self.figures) > 1 else 0
        self.top = _TOP + 6 + (_LINE * self.rows + 12 if self.rows else 0)
        self.bottom = self.top + self.plot_height
        self.height = self.bottom + 38
        self.limit = self._limit()
        self.y = self._y_axis()
        self.left = max(24.0, left_margin(self.y))
        low, high = _span(values)
        make = log_axis if values["x_scale"] == "log" else linear_axis
        shown = make(low, high, self.left, self.width - 20, "")
        # The curve fills the width: only a linear axis from zero goes on to a round value.
        self.x = Axis(low if shown.log else min(low, shown.low), high, shown.start, shown.end, "", "", shown.log)
        self.unfit = self._unfit()
        self.labels = Labels(self.width, self.height)
        self.still = self._draw_still()

    # -- axes -----------------------------------------------------------------------------------------

    def _limit(self) -> float | None:
        if not self.values["limit"]:
            return None
        return conditions.bound(self.values["limit"]["at"], self.unit)

    def _unfit(self) -> tuple[float, float, list[str]] | None:
        """Where along the axis it doesn't fit into memory, and that in words, a line each."""
        fitting = [s for s in self.samples if s.fits]
        if not self.samples or len(fitting) == len(self.samples):
            return None
        if not fitting:
            return self.x.start, self.x.end, ["it doesn’t fit", "into memory"]
        if self.samples[0].fits:
            last = fitting[-1].x
            return self.x.at(last), self.x.end, [f"beyond {counted(self.p, last)}", "it doesn’t fit"]
        return self.x.start, self.x.at(fitting[0].x), ["it fits from", f"{counted(self.p, fitting[0].x)} on"]

    def heights(self, sample: _Sample) -> list[float | None]:
        """Where the series stand on the axis: their values, or their sums when stacked."""
        if not self.stacked:
            return list(sample.figures)
        total, sums = 0.0, []
        for value in sample.figures:
            total += value or 0.0
            sums.append(total)
        return list(sums)

    def _y_axis(self) -> Axis:
        known = [h for s in self.samples for h in self.heights(s) if h is not None]
        if self.limit is not None:
            known.append(self.limit)
        log = self.values["y_scale"] == "log"
        if log:
            known = [h for h in known if h > 0]
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        if log:
            return log_axis(low or 0.1, high or 1.0, self.bottom, self.top, self.unit, self.values["unit"])
        return linear_axis(min(low, 0.0), high, self.bottom, self.top, self.unit, self.values["unit"])

    @property
    def scale(self) -> str | None:
        """The scale of all values that are written out, or nothing where each has its own."""
        return self.values["unit"] or None

    def shown(self, n: int, value: float | None, told: bool = True) -> str:
        """A value of a series as a reader sees it."""
        if not told:
            return "–"
        if value is None:
            return "not known"
        shown = show(value, self.unit, self.figures[n].digits, self.scale)
        tiny = self.scale and shown.number.startswith("0.00")  # in a scale that doesn't suit it
        return f"<0.01{JOINER}{shown.unit}" if tiny else str(shown)

    def said(self, sample: _Sample) -> list[str]:
        """What the readout says of a sample, a line each."""
        each = [self.shown(n, *value) for n, value in enumerate(zip(sample.figures, sample.told, strict=True))]
        where = self._where(sample)
        if not self.rows:
            return [f"{where}: {each[0]}"]
        total = [self.shown(0, self.heights(sample)[-1], all(sample.told))] if self.stacked else []
        return [where, *each, *total]

    def _where(self, sample: _Sample) -> str:
        return counted(self.p, sample.x) + ("" if sample.fits else ", doesn’t fit")

    def y_at(self, height: float | None) -> float:
        """A height in the picture; what can't stand on the axis stands at its foot."""
        if height is None or (self.y.log and height <= 0):
            return self.y.start
        return self.y.at(height)

    # -- what doesn't move ----------------------------------------------------------------------------

    def _draw_still(self) -> str:
        name = self.p.label + (f", {self.p.unit}" if self.p.unit and self.p.unit not in self.p.label.lower() else "")
        series = [self._points(n) for n in range(len(self.figures))]
        parts = [
            self._patterns(),
            bottom_axis(self.x, self.top, self.bottom, self.width, name),
            left_axis(self.y, self.left, self.x.end),
            self._areas(series) if self.stacked else "",
        ]
        if not self.stacked:
            for style, points in zip(self.styles, series, strict=True):
                parts += [self._curve(run, style) for run in points]
        for runs in series:
            for run in runs:
                self.labels.block_path(run)
                for (ax, ay), (bx, by) in pairwise(run) if self.stacked else ():
                    self.labels.block(ax, min(ay, by), bx, self.bottom)
        self.labels.block(0, 0, self.width, self.top, written=True)
        self.labels.block(0, self.bottom, self.width, self.height, written=True)
        self.labels.block(0, 0, self.left, self.height, written=True)
        parts.append(self._limit_line())
        parts.append(self._end_of_memory())
        parts.append(self._names())
        return "".join(parts)

    def _points(self, n: int) -> list[list[tuple[float, float]]]:
        """The series as runs of points, broken where it isn't known."""
        runs: list[list[tuple[float, float]]] = [[]]
        for sample in self.samples:
            height = self.heights(sample)[n]
            if height is None or (self.y.log and height <= 0):
                runs.append([])
            else:
                runs[-1].append((self.x.at(sample.x), self.y.at(height)))
        return [run for run in runs if run]

    def _curve(self, run: list[tuple[float, float]], style: _Style) -> str:
        """A run as a line, dotted where it doesn't fit."""
        if self.unfit is None:
            return f'<path d="{_path(run)}" class="{style.stroke}"/>'
        start, end, _ = self.unfit
        edges = [x for x in (start, end) if self.x.start < x < self.x.end]
        beyond = [point for point in run if start <= point[0] <= end]
        fitting = [point for point in run if point[0] in edges or not start <= point[0] <= end]
        return "".join(
            f'<path d="{_path(points)}" class="{style.stroke}{more}"/>'
            for points, more in ((fitting, ""), (beyond, " lc-unfit"))
            if len(points) > 1
        )

    def _end_of_memory(self) -> str:
        """A line where memory ends, with words."""
        if self.unfit is None:
            return ""
        start, end, words = self.unfit
        edge = end if start == self.x.start else start
        inside = self.x.start < edge < self.x.end
        if inside:
            self.labels.block(edge - 2, self.top, edge + 2, self.bottom)
        places = [
            (edge + dx, y, anchor)
            for y in (self.top + 14, self.bottom - 22, self.top + 40)
            for dx, anchor in ((6, "start"), (-6, "end"))
        ]
        return (
            rect(start, self.top, end - start, self.bottom - self.top, "lc-beyond")
            + (line(edge, self.top, edge, self.bottom, "lc-limit") if inside else "")
            + self.labels.place([(one, "lc-over lc-strong") for one in words], places, must=True)
        )

    def _fill(self, style: _Style) -> str:
        """A filled area's attributes: solid, or hatched for the second of a colour."""
        if style.nth == 0:
            return f'class="lc-filled lc-fill-{style.concept}"'
        return f'fill="url(#{self.key}-{self.size}-{style.concept}-{style.nth})"'

    def _patterns(self) -> str:
        if not self.stacked:
            return ""
        drawn = []
        for style in self.styles:
            if style.nth:
                drawn.append(
                    f'<pattern id="{self.key}-{self.size}-{style.concept}-{style.nth}" width="6" height="6"'
                    f' patternUnits="userSpaceOnUse" patternTransform="rotate({45 * style.nth})">'
                    f'<path d="M0 1.5h6" class="lc-hatch lc-stroke-{style.concept}"/></pattern>'
                )
        return "".join(drawn)

    def _areas(self, series: list[list[list[tuple[float, float]]]]) -> str:
        drawn = []
        floor_y = self.y.at(max(0.0, self.y.low))
        below = [(self.x.start, floor_y), (self.x.end, floor_y)]
        for style, runs in zip(self.styles, series, strict=True):
            above = [point for run in runs for point in run]
            if not above:
                continue
            if below[0][0] == self.x.start and len(below) == 2:
                below = [(above[0][0], floor_y), (above[-1][0], floor_y)]
            drawn.append(f'<path d="{_path([*above, *reversed(below)])}Z" {self._fill(style)}/>')
            drawn.append(self._curve(above, style._replace(nth=0)))
            below = above
        return "".join(drawn)

    def _limit_line(self) -> str:
        if self.limit is None:
            return ""
        y = self.y_at(self.limit)
        words = f"{self.values['limit']['label']} {self.values['limit']['at']}"
        self.labels.block(self.left, y - 2, self.x.end, y + 2)
        places = [
            (x, y + dy, anchor) for dy in (-6, 16) for x, anchor in ((self.left + 6, "start"), (self.x.end, "end"))
        ]
        return (
            rect(self.left, self.top, self.x.end - self.left, y - self.top, "lc-beyond")
            + line(self.left, y, self.x.end, y, "lc-limit")
            + self.labels.place([(words, "lc-over lc-strong")], places, must=True)
        )

    def _names(self) -> str:
        """What the axis shows, and each series by its name with its mark; their values stand beside them."""
        unit = self.y.scale
        if not self.rows:
            name = self.figures[0].label
            return text(0, _TOP - 7, f"{name}, {unit}" if unit else name, "lc-soft")
        parts = [text(0, self.top - 9, unit, "lc-soft lc-small")]
        for n, (figure, style) in enumerate(zip(self.figures, self.styles, strict=True)):
            y = _TOP - 7 + _LINE * (n + 1)
            parts.append(
                f'<rect x="0" y="{at(y - 9)}" width="22" height="10" {self._fill(style)}/>'
                if self.stacked
                else line(0, y - 4, 22, y - 4, style.stroke)
            )
            parts.append(text(28, y, figure.label))
        if self.stacked:
            parts.append(text(28, _TOP - 7 + _LINE * self.rows, "together", "lc-strong"))
        return "".join(parts)

    # -- what moves -----------------------------------------------------------------------------------

    def draw(self, present: _Sample) -> str:
        """The picture with the present point on it."""
        p, inside = self.p, self.x.low <= present.x <= self.x.high
        x = self.x.at(present.x)
        heights = self.heights(present)
        places = [self.y_at(height) for height in heights]
        labels = self.labels.copy()
        concept = [style.concept for style in self.styles]
        top = min(range(len(places)), key=lambda n: places[n]) if not self.stacked else len(places) - 1
        marks = line(x, min(places), x, self.bottom, "lc-mark")
        marks += "".join(
            dot(x, y, concept[n], 4.5) for n, y in enumerate(places) if n != top and heights[n] is not None
        )
        draggable = self.values["drag"] and self._stops
        handle = "" if draggable or heights[top] is None else dot(x, places[top], concept[top])
        if draggable:
            said = self._one(self.said(present))
            handle = drag_dot(x, places[top], p, present.x, said, self._stops, concept[top])
        labels.block(x - 24, places[top] - 10, x + 24, places[top] + 10)
        label = self._present_label(present, inside)
        named = labels.place(label, around(x, places[top]), must=True)
        body = f'<g aria-hidden="true">{self.still}{marks}{named}</g>{self._reading(present)}{handle}'
        return picture(self.size, self.width, self.height, self._title(), self._words(present), body, self.key, "group")

    def _present_label(self, present: _Sample, inside: bool) -> list[tuple[str, str]]:
        where = self._where(present)
        value = self.shown(0, self.heights(present)[-1], all(present.told)) if self.stacked or not self.rows else ""
        if not inside:
            where += ", beyond the axis"
        if value:
            return [(value, "lc-strong"), (where, "lc-small lc-soft")]
        return [(where, "lc-small lc-strong")]

    @cached_property
    def _stops(self) -> list[tuple[float, float]]:
        known = {sample.x for sample in self.samples}
        low, high = (self.samples[0].x, self.samples[-1].x) if self.samples else (0.0, -1.0)
        all_known = len(self.p.stops) >= 12
        return [(self.x.at(s), s) for s in self.p.stops if low <= s <= high and (all_known or s in known)]

    @cached_property
    def _readings(self) -> list[tuple[float, str]]:
        return [self._point(sample) for sample in self.samples]

    def _point(self, sample: _Sample) -> tuple[float, str]:
        """What can be read at a sample, with its place."""
        x = self.x.at(sample.x)
        return x, readout_point(x, "\n".join(self.said(sample)), [self.y_at(height) for height in self.heights(sample)])

    def _reading(self, present: _Sample) -> str:
        """The readout's words, at first those of the present; its line and marks, which show where a reader points."""
        said = self.said(present)
        marks = "".join(f'<circle r="4.5" class="lc-readout-dot lc-stroke-{style.concept}"/>' for style in self.styles)
        if self.rows:
            widest = max(text_width(words) for words in said[1:])
            column = min(40 + max(text_width(figure.label) for figure in self.figures), self.width - widest)
            words = text(0, _TOP - 7, said[0], "lc-readout lc-strong") + "".join(
                text(column, _TOP - 7 + _LINE * n, value, "lc-readout lc-strong") for n, value in enumerate(said[1:], 1)
            )
        else:
            words = text(self.width, _TOP - 7, "", "lc-readout lc-strong", "end")
        points = self._readings
        if self.x.low <= present.x <= self.x.high:
            points = sorted({*points, self._point(present)})
        area = readout_area(
            (self.left, self.top, self.x.end, self.bottom), self._title(), self._one(said), [data for _, data in points]
        )
        return f'<g aria-hidden="true">{words}{line(0, self.top, 0, self.bottom, "lc-readout-line")}{marks}</g>{area}'

    def _one(self, said: list[str]) -> str:
        """The readout's lines as one sentence."""
        return f"{said[0]}: {self._listed(said)}" if self.rows else said[0]

    def _listed(self, said: list[str]) -> str:
        names = [figure.label for figure in self.figures] + (["together"] if self.stacked else [])
        return ", ".join(f"{name} {value}" for name, value in zip(names, said[1:], strict=True))

    def _title(self) -> str:
        return f"{' and '.join(figure.label for figure in self.figures)} against {self.p.label.lower()}"

    def _words(self, present: _Sample) -> str:
        if not self.samples:
            return "Nothing is known for this scenario."
        words = " ".join(self.unfit[2]) if self.unfit else ""
        ends = f" {words[0].upper()}{words[1:]}." if words else ""
        return (
            f"From {self._one(self.said(self.samples[0]))} to {self._one(self.said(self.samples[-1]))}.{ends} "
            f"Now {self._one(self.said(present))}."
        )

    def table(self) -> str:
        """The curves at a few values."""
        step = max(1, len(self.samples) // _ROWS)
        chosen = [*self.samples[:-1:step], *self.samples[-1:]]
        rows = [
            [self._where(s), *(self.shown(n, *v) for n, v in enumerate(zip(s.figures, s.told, strict=True)))]
            for s in chosen
        ]
        return data_table([self.p.label, *(figure.label for figure in self.figures)], rows)


def _path(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{at(x)} {at(y)}" for x, y in points)


class _Wide(_Curves):
    size = "wide"
    width = 640.0
    plot_height = 230.0


class _Narrow(_Curves):
    size = "narrow"
    width = 340.0
    plot_height = 230.0


_kept: dict[tuple[tuple[_Sample, ...], str, str], tuple[list[_Curves], str]] = {}


def _still(samples: tuple[_Sample, ...], values: dict[str, Any], key: str) -> tuple[list[_Curves], str]:
    """What doesn't move in the picture, kept for as long as the samples stay the same; and its table."""
    name = (samples, as_spec(values), key)
    if name not in _kept:
        if len(_kept) >= 8:
            del _kept[next(iter(_kept))]  # the oldest: all at once would take as long as several pictures
        drawn = [size(samples, values, key) for size in in_sizes(values, _Wide, _Narrow)]
        _kept[name] = (drawn, drawn[0].table())
    return _kept[name]


def _draw(values: dict[str, Any], page: Page, key: str) -> str:
    e = page.estimate()
    still, table = _still(_samples(page.scenario, e.assumptions, values), values, key)
    x = getattr(e.scenario, values["x"])
    if values["x"] == "price" and not x and e.price:  # the catalogue's
        x = e.price.value
    present = _sample(x, e, values["figures"], e.fits)
    return "".join(one.draw(present) for one in still) + table


def _verify(values: dict[str, Any], page: Page, controls: list[str]) -> list[Problem]:
    def problem(words: str) -> Problem:
        return Problem("picture", f"curves: {words}")

    problems = []
    if values["drag"] and values["x"] not in controls:
        problems.append(problem(f"'{values['x']}' is dragged, so it must be among the controls, or say drag: false."))
    e = estimate(page.own.but(price=page.own.price or 1.0))
    units = {key: FIGURES[key].known(e).meaning.unit for key in values["figures"]}
    if len(set(units.values())) > 1:
        said = ", ".join(f"{key} in {unit or 'no unit'}" for key, unit in units.items())
        problems.append(problem(f"all figures need the same unit, but there are {said}."))
    low, high = _span(values)
    if low >= high:
        problems.append(problem(f"the range holds nothing of {_parameter(values['x']).label}."))
    unit = units[values["figures"][0]]
    try:
        if values["unit"]:
            show(1.0, unit, scale=values["unit"])
        if values["limit"]:
            conditions.bound(values["limit"]["at"], unit)
    except LessonError as error:
        problems.append(problem(str(error)))
    if values["stacked"] and values["y_scale"] == "log":
        problems.append(problem("what is stacked needs a linear y axis."))
    return problems


PICTURE = Picture(
    name="curves",
    summary="Figures against a parameter: curves with the present point, which can be dragged, and a readout.",
    fields=(
        Field("x", COUNT, "The parameter along the horizontal axis."),
        Field("figures", FIGURES_UP_TO_4, "One to four figures of the same unit."),
        Field("range", RANGE, "The parameter's lowest and highest value in the picture, if not all.", []),
        Field("x_scale", pick("linear", "log"), "The horizontal axis.", "linear"),
        Field("y_scale", pick("linear", "log"), "The vertical axis.", "linear"),
        Field("unit", UNIT_SCALE, "The unit of all values, such as ms; otherwise one that fits.", ""),
        Field("stacked", YES_OR_NO, "Whether the figures stand on each other, as parts of a whole.", False),
        Field("limit", LIMIT, "A horizontal line with a label.", {}),
        Field("drag", YES_OR_NO, "Whether the present point can be dragged.", True),
    ),
    draw=_draw,
    example="picture: {kind: curves, x: prompt, figures: [ttft], range: [1, 32000]}\n",
    verify=_verify,
)
