"""The roofline: what a pass reaches against how much it computes for each byte, both on logarithmic axes.

Left of the ridge a pass waits for memory, right of it for arithmetic. The trail of a pass, from its smallest to
its largest, and a dot on it for the present scenario; the dot can be dragged.
"""

from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from lessoncore.assumptions import Assumptions
from lessoncore.declaration import Field, Problem
from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate, estimate
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS, Count
from lessoncore.pictures import Picture, in_sizes
from lessoncore.roofline import PassTime, attainable_flops
from lessoncore.scenario import Scenario
from lessoncore.units import show
from lessoncore.views.axes import Axis, Labels, around, bottom_axis, left_axis, log_axis
from lessoncore.views.data_table import data_table
from lessoncore.views.dragging import counted, dot, drag_dot
from lessoncore.views.markup import as_spec
from lessoncore.views.markup import coordinate as at
from lessoncore.views.svg import line, picture, rect, text, text_width
from lessoncore.widgets.fields import MATHS, some_of

_CONCEPT = {"prefill": "compute", "decode": "weights"}
_GROWS_WITH = {"prefill": "prompt", "decode": "batch"}
# What a pass doesn't depend on, so that its trail is computed once.
_PLAIN = {"replicas": 1, "price": 0.0}
_ELSE = {"prefill": {"output": 1, "batch": 1}, "decode": {}}
_PER_DECADE = {"prefill": (1, 1.8, 3.2, 5.6), "decode": (1, 3.2)}


class _Point(NamedTuple):
    """A pass on its trail: the parameter's value, and where it stands."""

    value: int
    intensity: float
    rate: float
    roof: str


def _grows_with(name: str) -> Count:
    """The parameter that a pass grows with."""
    p = PARAMETERS[_GROWS_WITH[name]]
    assert isinstance(p, Count)
    return p


def _pass(e: Estimate, name: str) -> PassTime:
    return e.prefill if name == "prefill" else e.decode


def _rate(e: Estimate, name: str) -> float:
    return (e.prefill_rate if name == "prefill" else e.decode_rate).value


def _trail(scenario: Scenario, taken: Assumptions, name: str) -> tuple[_Point, ...]:
    """The pass from its smallest to its largest, with the values around which it changes roofs."""
    p = _grows_with(name)
    return _trail_of(scenario.but(**_PLAIN, **_ELSE[name], **{p.key: int(p.stops[-1])}), taken, name, p)


@lru_cache(maxsize=8)
def _trail_of(base: Scenario, taken: Assumptions, name: str, p: Count) -> tuple[_Point, ...]:
    def point(value: int) -> _Point:
        e = estimate(base.but(**{p.key: value}), taken)
        one = _pass(e, name)
        return _Point(value, one.intensity.value, _rate(e, name), one.roof)

    low = base.cached + 1 if p.key == "prompt" else p.low
    values = {round(step * 10**n) for n in range(7) for step in _PER_DECADE[name]}
    high = int(p.stops[-1])
    points = [point(v) for v in sorted({low, high, *(v for v in values if low < v < high)})]
    for before, after in pairwise(tuple(points)):
        if before.roof != after.roof:
            while after.value - before.value > max(1, before.value // 50):
                middle = point((before.value + after.value) // 2)
                before, after = (middle, after) if middle.roof == before.roof else (before, middle)
            points += [before, after]
    return tuple(sorted(set(points)))


def _between(points: tuple[_Point, ...], x: Axis, p: Count) -> list[tuple[float, float]]:
    """The places of the parameter's stops, as finely as a slider has them, between the points of a trail."""
    places: list[tuple[float, float]] = []
    if len(points) == 1:
        return [(x.at(points[0].intensity), points[0].value)]
    i = 0
    for stop in p.stops:
        if not points[0].value <= stop <= points[-1].value:
            continue
        while points[i + 1].value < stop:
            i += 1
        before, after = points[i], points[i + 1]
        share = (stop - before.value) / (after.value - before.value)
        places.append((x.at(before.intensity + share * (after.intensity - before.intensity)), stop))
    return places


class _Still(NamedTuple):
    """What doesn't move while a dot is dragged: the drawing, the places that it takes, and the stops of the dots."""

    drawing: str
    labels: Labels
    stops: dict[str, list[tuple[float, float]]]


_kept: dict[tuple[object, ...], _Still] = {}


class _Roofline:
    """The picture in one size; the two sizes differ in where things stand."""

    size = ""
    width = 0.0
    height = 0.0
    left = 46.0
    band = (22.0, 24.0)
    bottom = 0.0
    compact = False
    words = (("memory-bound", "waiting for memory"), ("compute-bound", "waiting for arithmetic"))

    def __init__(self, e: Estimate, values: dict[str, Any], key: str) -> None:
        self.e, self.values, self.key = e, values, key
        self.right = self.width - 8
        self.top = self.band[0] + self.band[1]
        self.trails = {
            name: _trail(e.scenario, e.assumptions, name) for name in values["passes"] if self._has_trail(name)
        }
        self.peaks = self._peaks()
        self.x, self.y = self._axes()
        self.labels = Labels(self.width, self.height)
        for box in (
            (0, 0, self.width, self.top),
            (0, self.bottom, self.width, self.height),
            (0, 0, self.left, self.height),
        ):
            self.labels.block(*box)

    def _has_trail(self, name: str) -> bool:
        return name == "prefill" or "batch" in self.values["drag"]

    def _peaks(self) -> dict[str, float]:
        """The roofs to draw, the scenario's own last; formats that the GPU doesn't have are left out."""
        own, has = self.e.scenario.maths, self.e.scenario.hardware.peak_flops
        return {maths: has[maths] for maths in (*self.values["precisions"], own) if maths in has and maths != own} | {
            own: has[own]
        }

    def _axes(self) -> tuple[Axis, Axis]:
        e = self.e
        passes = [_pass(e, name) for name in self.values["passes"]]
        ends = [end for trail in self.trails.values() for end in (trail[0], trail[-1])]
        along = [p.intensity for p in ends] + [p.intensity.value for p in passes]
        up = [p.rate for p in ends] + [_rate(e, name) for name in self.values["passes"]]
        x = log_axis(
            min(along) * 0.8, max(1.1 * max(along), 20 * e.ridge.value), self.left, self.right, "FLOP/B", "FLOP/B"
        )
        low = min(*up, attainable_flops(e.peak_flops.value, x.low, e.bandwidth.value)) * 0.6
        y = log_axis(low, 1.5 * max(self.peaks.values()), self.bottom, self.top, "FLOP/s", "TFLOP/s")
        return x, y

    def draw(self) -> str:
        e = self.e
        ridge = show(e.ridge.value, "FLOP/B")
        description = f"Left of the ridge at {ridge} a pass waits for memory, right of it for arithmetic. " + " ".join(
            f"{self._sentence(name)}" for name in self.values["passes"]
        )
        still = self._still()
        self.labels = still.labels.copy()
        dots, named = self._dots(still.stops)
        role = "group" if self.values["drag"] else "img"
        body = (
            f'<g aria-hidden="true">{still.drawing}{named}</g>{dots}'
            if role == "group"
            else still.drawing + dots + named
        )
        return picture(self.size, self.width, self.height, "Roofline", description, body, self.key, role)

    def _still(self) -> _Still:
        """Draw what doesn't move, or take what was drawn last for the same GPU, trails and axes."""
        of = self.e.scenario
        name = (
            *(self.size, self.key, as_spec(self.values), of.gpu, of.maths, self.e.assumptions),
            *(self.x, self.y, *self.trails.items()),
        )
        if name not in _kept:
            for trail in self.trails.values():
                self.labels.block_path(self._places(trail), 5)
            if len(_kept) >= 16:
                del _kept[next(iter(_kept))]  # the oldest: all at once would take as long as several pictures
            drawing = (
                self._regions()
                + bottom_axis(self.x, self.top, self.bottom, self.width, "Intensity: FLOP for each byte that is moved")
                + left_axis(self.y, self.left, self.right)
                + text(0, 12, "Arithmetic reached on each GPU, TFLOP/s", "lc-soft")
                + self._roofs()
                + self._ridge()
                + "".join(self._trail(name) for name in self.trails)
            )
            stops = {name: _between(trail, self.x, _grows_with(name)) for name, trail in self.trails.items()}
            _kept[name] = _Still(drawing, self.labels, stops)
        return _kept[name]

    def _sentence(self, name: str) -> str:
        one = _pass(self.e, name)
        return (
            f"The {name} pass of {self.amount(name)} does {show(one.intensity.value, 'FLOP/B')}, reaches "
            f"{show(_rate(self.e, name), 'FLOP/s', 2)} and is {one.bound_words}."
        )

    def amount(self, name: str) -> str:
        e, p = self.e, _grows_with(name)
        new = e.scenario.prompt - e.scenario.cached
        return counted(p, new if name == "prefill" else e.scenario.batch)

    # -- what doesn't move ----------------------------------------------------------------------------

    def _regions(self) -> str:
        """Which side of the ridge waits for what: the two regions, and their names above them."""
        top, high = self.band
        ridge = self.x.at(self.e.ridge.value)
        parts = []
        for (name, because), concept, a, b in zip(
            self.words, ("weights", "compute"), (self.left, ridge), (ridge, self.right), strict=True
        ):
            parts.append(rect(a, self.top, b - a, self.bottom - self.top, f"lc-tint lc-fill-{concept}"))
            parts.append(rect(a, top, b - a, high, f"lc-fill-{concept}"))
            one_line = f"{name}: {because}"
            if high < 30:
                said = next((w for w in (one_line, name, name.split("-")[0]) if text_width(w) < b - a - 6), "")
                parts.append(text((a + b) / 2, top + 16, said, f"lc-on-{concept}", "middle") if said else "")
                continue
            for i, words in enumerate((name, because)):
                said = next((w for w in (words, words.split("-")[0]) if text_width(w, 11 + (not i)) < b - a - 4), "")
                cls = f"lc-on-{concept}{' lc-small' if i else ''}"
                parts.append(text((a + b) / 2, top + 15 + 14 * i, said, cls, "middle") if said else "")
        return "".join(parts)

    def _roof(self, peak: float, bandwidth: float) -> list[tuple[float, float]]:
        ridge = min(max(peak / bandwidth, self.x.low), self.x.high)
        places = (self.x.low, ridge, self.x.high)
        return [(self.x.at(i), self.y.at(attainable_flops(peak, i, bandwidth))) for i in places]

    def _roofs(self) -> str:
        e = self.e
        bandwidth, taken = e.bandwidth.value, e.assumptions
        own = e.scenario.maths
        parts, names = [], []
        for maths, peak in self.peaks.items():
            roof = self._roof(peak, bandwidth)
            parts.append(_path(roof, "lc-roof" if maths == own else "lc-roof lc-roof--other"))
            self.labels.block_path(roof)
            said = f"{maths}: {show(peak, 'FLOP/s', 2)}"
            if maths == own:
                said = f"{self.e.scenario.hardware.label}, {said}"
            names.append((said, roof[2][1], "lc-small lc-strong" if maths == own else "lc-small lc-soft"))
        efficiency, _ = taken.efficiency(own, e.scenario.hardware)
        reached = self._roof(efficiency * e.peak_flops.value, taken.memory_efficiency * bandwidth)
        parts.append(_path(reached, "lc-roof lc-roof--reached"))
        self.labels.block_path(reached)
        for said, y, cls in names:
            shorter = said.rpartition(", ")[2]
            parts.append(
                self.labels.place([(said, cls)], [(self.right - 4, y - 8, "end")])
                or self.labels.place(
                    [(shorter, cls)], [(self.right - 4, y - 8, "end"), (self.right - 4, y + 18, "end")]
                )
            )
        middle = self._on_slope(0.42)
        slope = show(bandwidth, "B/s")
        parts.append(
            self.labels.place(
                [(f"memory: {slope}", "lc-small lc-strong")],
                [(middle[0] - 10 - n, middle[1] - 8 - n * 4, "end") for n in range(5)],
            )
        )
        share = f"reached: {show(efficiency, 'share')}"
        parts.append(self.labels.place([(share, "lc-small lc-soft")], [(self.right - 4, reached[2][1] + 18, "end")]))
        return "".join(parts)

    def _on_slope(self, share: float) -> tuple[float, float]:
        """A point of the roof's slope, at a share of its visible length."""
        (ax, ay), (bx, by), _ = self._roof(self.e.peak_flops.value, self.e.bandwidth.value)
        return ax + share * (bx - ax), ay + share * (by - ay)

    def _ridge(self) -> str:
        ridge = self.e.ridge.value
        x, y = self.x.at(ridge), self.y.at(self.e.peak_flops.value)
        said = f"ridge: {show(ridge, 'FLOP/B')}"
        side, anchor = (8, "start") if x + 8 + text_width(said) < self.width else (-8, "end")
        return (
            line(x, self.top, x, self.bottom, "lc-mark")
            + f'<path d="M{at(x)} {at(y - 6)}l6 6l-6 6l-6 -6z" class="lc-ridge"/>'
            + self.labels.place([(said, "lc-strong")], [(x + side, self.bottom - 8, anchor)], must=True)
        )

    # -- the passes -----------------------------------------------------------------------------------

    def _places(self, trail: tuple[_Point, ...]) -> list[tuple[float, float]]:
        return [(self.x.at(p.intensity), self.y.at(p.rate)) for p in trail]

    def _trail(self, name: str) -> str:
        trail = self.trails[name]
        points = self._places(trail)
        p = _grows_with(name)
        marks = []
        for point, (x, y) in zip(trail, points, strict=True):
            if point.value not in (1, 10, 100, 1000, 10_000, 100_000):
                continue
            marks.append(f'<circle cx="{at(x)}" cy="{at(y)}" r="3" class="lc-trail-mark lc-stroke-{_CONCEPT[name]}"/>')
            places = [(x + 9, y + 18, "start"), (x, y + 20, "middle")]
            said = [counted(p, point.value), *([p.text(point.value)] if len(self.trails) == 1 else [])]
            found = (self.labels.place([(words, "lc-small lc-soft")], places) for words in said)
            marks.append(next(filter(None, found), ""))
        return _path(points, f"lc-trail lc-stroke-{_CONCEPT[name]}") + "".join(marks)

    def _dots(self, stops: dict[str, list[tuple[float, float]]]) -> tuple[str, str]:
        """The dots, and their names: the first that the reader can drag stands on top."""
        places = {
            name: (self.x.at(_pass(self.e, name).intensity.value), self.y.at(_rate(self.e, name)))
            for name in self.values["passes"]
        }
        for x, y in places.values():
            self.labels.block(x - 24, y - 10, x + 24, y + 10)
        drawn, named = [], []
        for name, (x, y) in reversed(places.items()):
            one, concept = _pass(self.e, name), _CONCEPT[name]
            rate = show(_rate(self.e, name), "FLOP/s", 2)
            intensity, small = show(one.intensity.value, "FLOP/B"), "lc-small"
            lines = [(f"{name}: {self.amount(name)}", "lc-strong"), (f"{intensity} · {rate}", small)]
            if self.compact:
                figures = (self.amount(name), str(intensity), str(rate))
                lines = [(name, "lc-strong"), *((words, small) for words in figures)]
            named.append(self.labels.place(lines, around(x, y), must=True))
            p = _grows_with(name)
            if p.key in self.values["drag"]:
                value = getattr(self.e.scenario, p.key)
                said = f"{counted(p, value)}: {show(one.intensity.value, 'FLOP/B')}, {one.bound_words}"
                drawn.append(drag_dot(x, y, p, value, said, stops[name], concept))
            else:
                drawn.append(dot(x, y, concept))
        return "".join(drawn), "".join(named)


def _path(points: list[tuple[float, float]], cls: str) -> str:
    return f'<path d="M{"L".join(f"{at(x)} {at(y)}" for x, y in points)}" class="{cls}"/>'


class _Wide(_Roofline):
    size = "wide"
    width, height = 640.0, 336.0
    bottom = 300.0


class _Narrow(_Roofline):
    size = "narrow"
    width, height = 340.0, 392.0
    left = 42.0
    band = (22.0, 36.0)
    bottom = 356.0
    compact = True


def _draw(values: dict[str, Any], page: Page, key: str) -> str:
    e = page.estimate()
    drawn = [kind(e, values, key) for kind in in_sizes(values, _Wide, _Narrow)]
    rows = [
        [
            f"{name}, {drawn[0].amount(name)}",
            str(show(one.intensity.value, "FLOP/B")),
            str(show(_rate(e, name), "FLOP/s", 2)),
            one.bound_words,
        ]
        for name in values["passes"]
        for one in (_pass(e, name),)
    ]
    rows.append(["ridge", str(show(e.ridge.value, "FLOP/B")), str(show(e.peak_flops.value, "FLOP/s", 2)), "datasheet"])
    table = data_table(["Pass", "Intensity", "Reached on each GPU", "Bound"], rows)
    return "".join(one.draw() for one in drawn) + table


def _verify(values: dict[str, Any], page: Page, controls: list[str]) -> list[Problem]:
    problems = []
    for key in values["drag"]:
        if key not in controls:
            problems.append(Problem("picture", f"roofline: '{key}' is dragged, so it must be among the controls."))
        if not any(_GROWS_WITH[name] == key for name in values["passes"]):
            name = next(name for name, grows in _GROWS_WITH.items() if grows == key)
            problems.append(Problem("picture", f"roofline: '{key}' is dragged, so {name} must be among the passes."))
    for maths in values["precisions"]:
        try:
            page.own.hardware.peak(maths)
        except LessonError as error:
            problems.append(Problem("picture", f"roofline: {error}"))
    return problems


PICTURE = Picture(
    name="roofline",
    summary="The roofline: what a pass reaches against its arithmetic intensity, memory-bound or compute-bound.",
    fields=(
        Field("passes", some_of("prefill", "decode"), "The passes that stand on it as dots.", ["prefill", "decode"]),
        Field(
            "drag", some_of("prompt", "batch"), "What dragging a dot sets: prompt for prefill, batch for decode.", []
        ),
        Field("precisions", MATHS, "Other number formats whose roofs are shown as well.", []),
    ),
    draw=_draw,
    example="picture: {kind: roofline, passes: [prefill, decode], drag: prompt}\n",
    verify=_verify,
)
