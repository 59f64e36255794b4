"""A queue: requests arriving, waiting and running over time, and what ever more load does to those who wait.

The film runs through the simulation. The curves are those of one copy; they don't depend on the load or the copies
that the reader sets, so they are simulated once and kept, and only the present point moves on them. They take some ten
simulations: in the browser they come in portions, from low loads to high ones, on axes that wait for them.
"""

import json
from abc import ABC, abstractmethod
from functools import lru_cache, partial
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

from lessoncore.declaration import Field, Problem
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS, Count
from lessoncore.pictures import Picture, in_sizes
from lessoncore.units import show, whole
from lessoncore.views.axes import Axis, Labels, Place, bottom_axis, left_axis, left_margin, linear_axis, log_axis
from lessoncore.views.data_table import data_table
from lessoncore.views.dragging import dot, drag_dot, readout_area, readout_point
from lessoncore.views.labels import fitting, pattern, swatch
from lessoncore.views.markup import attribute
from lessoncore.views.markup import coordinate as at
from lessoncore.views.svg import film, line, picture, rect, text, text_width
from lessoncore.widgets.fields import YES_OR_NO

if TYPE_CHECKING:
    from lessoncore.serving.timeline import Timeline

_SECONDS = 10.0  # that the film lasts
_CAPTIONS = 40
_POINTS = 96
_PER_S = "requests/s"


class _Series(NamedTuple):
    name: str
    concept: str
    stroke: str


_SERIES = (
    _Series("TTFT, p50", "compute", "lc-series lc-stroke-compute lc-dash-2"),
    _Series("TTFT, p99", "compute", "lc-series lc-stroke-compute"),
    _Series("TPOT, p99", "weights", "lc-series lc-stroke-weights"),
)


class _Point(NamedTuple):
    """What a load on each copy does: requests a second (1/s), times as in _SERIES (s), tokens/s of each GPU."""

    rate: float
    times: tuple[float, ...]
    tokens_per_s: float

    def said(self) -> list[str]:
        """What a reader reads here, a line each."""
        return list(_said(self))

    def sentence(self) -> str:
        first, *times, tokens = self.said()
        named = ", ".join(f"{series.name} {value}" for series, value in zip(_SERIES, times, strict=True))
        return f"{first}: {named}, {tokens} of each GPU"


@lru_cache(maxsize=64)  # the curve's points stay while a slider moves
def _said(point: _Point) -> tuple[str, ...]:
    return (
        f"at {show(point.rate, _PER_S, 2)}",
        *(str(show(value, "s")) for value in point.times),
        str(show(point.tokens_per_s, "tokens/s")),
    )


class _Queue:
    """What is drawn, whatever the size."""

    def __init__(self, page: Page) -> None:
        from lessoncore.serving.served import HIGHEST_SHARE, SLO, Curve, curving, one_copy, roughly, times_of

        e = page.estimate()
        assert e.served is not None
        begin = partial(curving, e.scenario, e.assumptions)
        known, _ = page.search(("curve", one_copy(e.scenario), e.assumptions), begin)
        curve = known or Curve()
        result = e.served.result
        self.scenario = e.scenario
        self.now = _Point(e.scenario.rate / e.scenario.replicas, times_of(result), result.gpu_tokens_per_s)
        self.curve = [_Point(p.rate, p.times, p.gpu_tokens_per_s) for p in curve.points]
        self.whole = curve.whole
        self.most = curve.offline.requests_per_s if curve.offline else None
        self.offline = curve.offline.gpu_tokens_per_s if curve.offline else None
        self._rough = roughly(e.scenario, e.assumptions)
        self._highest_share = HIGHEST_SHARE
        self.limits = ((1, SLO.ttft_s, "TTFT"), (2, SLO.tpot_s, "TPOT"))
        self.line = result.timeline
        self.seconds, (self.running, self.waiting, self.kv) = _thinned(result.timeline)
        self.requests = len(result.requests)

    def highest_rate(self) -> float:
        """Where the axis of loads ends."""
        return self.curve[-1].rate if self.whole else self._highest_share * (self.most or self._rough[0])

    def extent(self) -> tuple[float, float]:
        """The shortest and the longest time to be drawn (s); about where they will be, while some aren't known."""
        times = [value for point in (*self.curve, self.now) for value in point.times]
        times += [limit for _, limit, _ in self.limits]
        if not self.whole:
            most, alone = self._rough
            times += [alone, self.requests / most * (1 - 1 / self._highest_share)]
        return min(times), max(times)

    def breaks(self, series: int, limit: float) -> tuple[float, float, float] | None:
        """The load at which a curve rises over a limit, and the simulated ones on either side of it."""
        for one, other in pairwise(self.curve):
            low, high = one.times[series], other.times[series]
            if low <= limit < high:
                between = one.rate + (other.rate - one.rate) * log(limit / low) / log(high / low)
                return between, one.rate, other.rate
        return None

    def means(self) -> str:
        """What runs and waits on average while requests come."""
        spans = [self.line.width_s] * (len(self.line.waiting) - 1)
        spans.append(max(1e-9, self.line.end_s - sum(spans)))
        running, waiting = (
            sum(v * s for v, s in zip(values, spans, strict=True)) / sum(spans)
            for values in (self.line.batch, self.line.waiting)
        )
        return f"on average {_few(running)} running, {_few(waiting)} waiting"

    def captions(self) -> list[tuple[float, str, str]]:
        """What the clock and the picture's head say from which share of the film on."""
        said = []
        for n in range(_CAPTIONS):
            i = min(len(self.seconds) - 1, int(n / _CAPTIONS * len(self.seconds)))
            words = f"{_few(self.running[i])} running, {_few(self.waiting[i])} waiting"
            said.append((round(n / _CAPTIONS, 4), f"{whole(self.line.end_s * n / _CAPTIONS)} s", words))
        return [*said, (1.0, f"{whole(self.line.end_s)} s", self.means())]


def _few(count: float) -> str:
    return whole(count) if count >= 10 else f"{abs(count):.1f}"


def _thinned(line: "Timeline") -> tuple[list[float], list[list[float]]]:
    """The middle of each stretch (s), and requests running, requests waiting and the share of the cache in it."""
    every = -(-len(line.waiting) // _POINTS)
    seconds = line.seconds
    parts = [range(i, min(i + every, len(seconds))) for i in range(0, len(seconds), every)]
    return (
        [sum(seconds[i] for i in part) / len(part) for part in parts],
        [
            [sum(values[i] for i in part) / len(part) for part in parts]
            for values in (line.batch, line.waiting, line.kv_used)
        ],
    )


def _draw(values: dict[str, Any], page: Page, key: str) -> str:
    if page.estimate().served is None:
        return _no_room(key)
    q = _Queue(page)
    data = {"seconds": _SECONDS, "still": 1, "captions": q.captions()}
    return (
        f'<div class="lc-film" data-film="{attribute(json.dumps(data, separators=(",", ":")))}"'
        f' style="--at:{_SECONDS:g}s">'
        + "".join(size(q, key, values["drag"]).draw() for size in in_sizes(values, _Wide, _Narrow))
        + "</div>"
        + _table(q)
    )


def _no_room(key: str) -> str:
    said = "There is no memory for requests"
    data = {"seconds": _SECONDS, "still": 1, "captions": [[0, "", said]]}
    body = text(0, 24, f"{said}:", "lc-strong lc-over") + text(
        0, 44, "the weights don’t fit, or leave too little room."
    )
    both = "".join(
        picture(size, width, 60, "A queue", f"{said}.", body, key) for size, width in (("wide", 640), ("narrow", 340))
    )
    return f'<div class="lc-film" data-film="{attribute(json.dumps(data))}">{both}</div>'


class _Drawn(ABC):
    """The picture in one size: the queue over time, the latencies against load, and the tokens below them."""

    size = ""
    width = 0.0
    time_top, time_height = 0.0, 0.0
    load_top, load_height = 0.0, 0.0
    tokens_height = 0.0

    def __init__(self, q: _Queue, key: str, drag: bool) -> None:
        self.q, self.key, self.drag = q, key, drag
        self.name = f"{key}-{self.size}"
        self.time_bottom = self.time_top + self.time_height
        self.load_bottom = self.load_top + self.load_height
        self.tokens_top = self.load_bottom + 28
        self.tokens_bottom = self.tokens_top + self.tokens_height
        self.height = self.tokens_bottom + 38
        self.y = log_axis(*q.extent(), self.load_bottom, self.load_top, "s")
        self.many = linear_axis(
            0, max(r + w for r, w in zip(q.running, q.waiting, strict=True)), self.time_bottom, self.time_top, ""
        )
        high = max([q.offline or 0.0, q.now.tokens_per_s, *(point.tokens_per_s for point in q.curve)])
        self.tokens = Axis(0, high * 1.15, self.tokens_bottom, self.tokens_top, "tokens/s")
        self.left = max(34.0, left_margin(self.y), left_margin(self.many))
        self.t = Axis(0, q.line.end_s, self.left, self.width - 38, "s")
        self.x = Axis(0, q.highest_rate(), self.left, self.width - 14, _PER_S, _PER_S)

    def draw(self) -> str:
        q = self.q
        most = "" if q.most is None else f" One copy finishes at most {show(q.most, _PER_S, 2)}."
        said = f"{whole(q.requests)} simulated requests: {q.means()}.{most} Now {q.now.sentence()}."
        body = (
            f'<g aria-hidden="true">{pattern(f"{self.name}-free", "free")}{self._queue()}{self._curves()}</g>'
            + self._reading()
            + self._handle()
        )
        return picture(self.size, self.width, self.height, "Requests in a queue", said, body, self.key, "group")

    # -- the queue over time --------------------------------------------------------------------------

    def _queue(self) -> str:
        q, end = self.q, self.t.end
        zero = self.many.at(0)
        xs = [self.left, *(self.t.at(s) for s in q.seconds), end]
        running = _ends(q.running)
        both = _ends([r + w for r, w in zip(q.running, q.waiting, strict=True)])
        kv = Axis(0, 1, self.time_bottom, self.time_top)
        tops = [(x, self.many.at(v)) for x, v in zip(xs, running, strict=True)]
        highest = [(x, self.many.at(v)) for x, v in zip(xs, both, strict=True)]
        cache = [(x, kv.at(v)) for x, v in zip(xs, _ends(q.kv), strict=True)]
        areas = (
            f'<path d="{_path([*highest, *reversed(tops)])}Z" fill="url(#{self.name}-free)" class="lc-stroke-free"/>'
            f'<path d="{_path([*tops, (end, zero), (self.left, zero)])}Z" class="lc-filled lc-fill-weights"/>'
            f'<path d="{_path(cache)}" class="lc-tear"/><path d="{_path(cache)}" class="lc-series lc-stroke-kv"/>'
        )
        shares = "".join(
            text(end + 5, y, words, "lc-soft lc-small")
            for y, words in ((self.time_top + 8, "100%"), (self.time_bottom, "0%"))
        )
        return (
            self._head()
            + left_axis(self.many, self.left, end)
            + bottom_axis(self.t, self.time_top, self.time_bottom, self.width, "")
            + shares
            + f'<g class="lc-moves" {film("reveal", 0, _SECONDS)}>{areas}</g>'
            + f'<g class="lc-moves" {film("sweep", 0, _SECONDS, by=end - self.left)}>'
            + line(self.left, self.time_top - 4, self.left, self.time_bottom, "lc-playhead")
            + "</g>"
        )

    @abstractmethod
    def _head(self) -> str: ...

    def _moment(self, x: float, y: float) -> str:
        """What runs and waits at the film's moment."""
        return f'<text x="{at(x)}" y="{at(y)}" class="lc-soft"><tspan data-caption="2">{self.q.means()}</tspan></text>'

    def _legend(self, x: float, y: float) -> str:
        """The swatches of what runs, what waits and the cache, and what they say at this moment."""
        parts = []
        for name, concept, swatch_name in (
            ("running", "weights", ""),
            ("waiting", "free", f"{self.name}-free"),
        ):
            parts.append(swatch(x, y, concept, swatch_name) + text(x + 15, y, name))
            x += 15 + text_width(name) + 14
        parts.append(line(x, y - 4, x + 16, y - 4, "lc-series lc-stroke-kv") + text(x + 21, y, "KV cache in use"))
        return "".join(parts)

    # -- what load does -------------------------------------------------------------------------------

    def _curves(self) -> str:
        q, x = self.q, self.x
        labels = Labels(self.x.end + 2, self.height)  # the margin is for letters wider than estimated
        labels.block(0, 0, self.width, self.load_top)
        labels.block(0, self.load_bottom, self.width, self.height)
        labels.block(0, 0, self.left, self.height)
        knee = x.end if q.most is None else x.at(q.most)
        parts = [
            rect(knee, self.load_top, x.end - knee, self.load_height, "lc-fill-free lc-tint"),
            rect(knee, self.tokens_top, x.end - knee, self.tokens_height, "lc-fill-free lc-tint"),
            bottom_axis(x, self.load_top, self.tokens_bottom, self.width, self._load_name()),
            left_axis(self.y, self.left, x.end),
            line(self.left, self.load_bottom, x.end, self.load_bottom, "lc-axis"),
        ]
        if q.most is not None:
            parts.append(line(knee, self.load_top, knee, self.tokens_bottom, "lc-rim"))
            labels.block(knee - 2, self.load_top, knee + 2, self.load_bottom)
        for n, series in enumerate(_SERIES):
            points = [(x.at(p.rate), self.y.at(p.times[n])) for p in q.curve]
            if not points:
                continue
            labels.block_path(points)
            parts.append(f'<path d="{_path(points)}" class="{series.stroke}"/>')
        now = x.at(q.now.rate)
        parts.append(line(now, self.load_top, now, self.tokens_bottom, "lc-mark"))
        for value in q.now.times:
            labels.block(now - 10, self.y.at(value) - 10, now + 10, self.y.at(value) + 10)
        parts += self._limits(labels)
        places = [
            (place, self.load_top + dy, anchor)
            for dy in (14, 30, 46, self.load_height - 8)
            for place, anchor in ((knee - 8, "end"), (knee + 8, "start"))
        ]
        wordings = ["simulating…"]
        if q.most is not None:
            most = show(q.most, "", 2)
            wordings = [f"the knee: at most {most} finished a second", f"knee: at most {most} a second", "knee"]
        parts.append(_first(labels, wordings, "lc-small lc-strong", places))
        return "".join(parts) + self._tokens() + self._present()

    def _load_name(self) -> str:
        return "requests a second" + (" on each copy" if self.q.scenario.replicas > 1 else "")

    def _limits(self, labels: Labels) -> list[str]:
        """The promises, each with the load from which on it is broken."""
        parts, words = [], []
        for series, limit, name in self.q.limits:
            y, said = self.y.at(limit), [f"{name} SLO {show(limit, 's', 2)}", f"SLO {show(limit, 's', 2)}"]
            parts.append(line(self.left, y, self.x.end, y, "lc-limit"))
            labels.block(self.left, y - 2, self.x.end, y + 2)
            broken = self.q.breaks(series, limit)
            sides = [(self.left + 5, "start"), (self.x.end - 3, "end")]
            if broken is not None:
                place = self.x.at(broken[0])
                kept, lost = (show(load, "", 2) for load in broken[1:])
                said.insert(0, f"{said[0]}, kept at {kept}, broken at {lost}")
                sides = [(place + 9, "start"), (place - 9, "end"), *sides]
                parts.append(f'<circle cx="{at(place)}" cy="{at(y)}" r="4.5" class="lc-trail-mark lc-stroke-over"/>')
                labels.block(place - 6, y - 6, place + 6, y + 6)
            words.append((said, [(x, y + dy, side) for dy in (-7, 15, -20, 28) for x, side in sides]))
        for wordings, places in words:
            parts.append(_first(labels, wordings, "lc-small lc-over", places))
        return parts

    def _tokens(self) -> str:
        q = self.q
        points = [(self.x.at(p.rate), self.tokens.at(p.tokens_per_s)) for p in q.curve]
        drawn = f'<path d="{_path([(self.left, self.tokens_bottom), *points])}" class="lc-series lc-stroke-ink"/>'
        if q.offline is None:
            return drawn + text(self.x.end, self.tokens_top - 6, "simulating…", "lc-soft lc-small", "end")
        limit = self.tokens.at(q.offline)
        words = fitting(
            self.x.end - self.left - 20 * 8,
            f"offline, nobody waiting: {show(q.offline, 'tokens/s')}",
            f"offline: {show(q.offline, 'tokens/s')}",
            f"offline {show(q.offline, '')}",
        )
        return (
            line(self.left, limit, self.x.end, limit, "lc-limit-plain")
            + drawn
            + text(self.x.end, self.tokens_top - 6, words, "lc-soft lc-small", "end")
        )

    def _present(self) -> str:
        now, x = self.q.now, self.x.at(self.q.now.rate)
        if now.rate > self.x.high:  # a dot at the end would be at another load
            words = f"here: {show(now.rate, '', 3)} a second, further right"
            return text(self.x.end - 4, self.tokens_bottom - 6, words, "lc-small lc-strong", "end")
        dots = [dot(x, self.y.at(now.times[n]), _SERIES[n].concept, 4.5) for n in (0, 2)]
        return "".join(dots) + dot(x, self.tokens.at(now.tokens_per_s), "ink", 4.5)

    def _heights(self, point: _Point) -> list[float]:
        return [*(self.y.at(value) for value in point.times), self.tokens.at(point.tokens_per_s)]

    def _handle(self) -> str:
        q, p = self.q, PARAMETERS["rate"]
        assert isinstance(p, Count)
        x, y, copies = self.x.at(q.now.rate), self.y.at(q.now.times[1]), q.scenario.replicas
        stops = [(self.x.at(stop / copies), stop) for stop in p.stops if stop / copies <= self.x.high]
        if not self.drag or len(stops) < 2:
            return dot(x, y, "compute")
        return drag_dot(x, y, p, q.scenario.rate, q.now.sentence(), stops, "compute")

    # -- what can be read -----------------------------------------------------------------------------

    def _reading(self) -> str:
        """The curves' names with their values: at first the present ones, then those where a reader points."""
        q = self.q
        points = sorted([*q.curve, q.now] if q.now.rate <= self.x.high else q.curve)
        data = [readout_point(self.x.at(p.rate), "\n".join(p.said()), self._heights(p)) for p in points]
        marks = "".join(
            f'<circle r="4.5" class="lc-readout-dot lc-stroke-{concept}"/>'
            for concept in (*(series.concept for series in _SERIES), "ink")
        )
        guide = line(0, self.load_top, 0, self.tokens_bottom, "lc-readout-line")
        area = readout_area(
            (self.left, self.load_top, self.x.end, self.tokens_bottom),
            "Latency against load",
            q.now.sentence(),
            data,
        )
        return f'<g aria-hidden="true">{self._names(q.now.said())}{guide}{marks}</g>{area}'

    @abstractmethod
    def _names(self, said: list[str]) -> str: ...

    def _tokens_name(self, value: str) -> str:
        x = self.left + text_width("each GPU", 11) + 6
        y = self.tokens_top - 6
        return text(self.left, y, "each GPU", "lc-soft lc-small") + text(x, y, value, "lc-readout lc-strong lc-small")


class _Wide(_Drawn):
    size, width = "wide", 640.0
    time_top, time_height = 28.0, 76.0
    load_top, load_height = 164.0, 146.0
    tokens_height = 44.0

    def _head(self) -> str:
        return text(0, 13, "On the server", "lc-strong lc-lead") + self._moment(106, 13) + self._legend(352, 13)

    def _names(self, said: list[str]) -> str:
        y, x = self.load_top - 12, 150.0
        parts = [text(0, y, "Under load", "lc-strong lc-lead"), text(x - 68, y, said[0], "lc-readout lc-soft lc-small")]
        x += 42
        for series, value in zip(_SERIES, said[1:], strict=False):
            parts.append(line(x, y - 4, x + 18, y - 4, series.stroke) + text(x + 23, y, series.name))
            parts.append(text(x + 23 + 64, y, value, "lc-readout lc-strong"))
            x += 150
        return "".join(parts) + self._tokens_name(said[-1])


class _Narrow(_Drawn):
    size, width = "narrow", 340.0
    time_top, time_height = 64.0, 76.0
    load_top, load_height = 250.0, 160.0
    tokens_height = 44.0

    def _head(self) -> str:
        return text(0, 13, "Requests on the server", "lc-strong lc-lead") + self._legend(0, 33) + self._moment(0, 53)

    def _names(self, said: list[str]) -> str:
        y = self.load_top - 66
        parts = [
            text(0, y, "Under load", "lc-strong lc-lead"),
            text(self.width, y, said[0], "lc-readout lc-soft lc-small", "end"),
        ]
        for series, value in zip(_SERIES, said[1:], strict=False):
            y += 18
            parts.append(line(0, y - 4, 22, y - 4, series.stroke) + text(28, y, series.name))
            parts.append(text(110, y, value, "lc-readout lc-strong"))
        return "".join(parts) + self._tokens_name(said[-1])


def _first(labels: Labels, wordings: list[str], cls: str, places: list[Place]) -> str:
    """The first of some wordings, long to short, that finds a free place; the last stands in any case."""
    found = (labels.place([(words, cls)], places) for words in wordings)
    return next(filter(None, found), "") or labels.place([(wordings[-1], cls)], places, must=True)


def _ends(values: list[float]) -> list[float]:
    return [values[0], *values, values[-1]]


def _path(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{at(x)} {at(y)}" for x, y in points)


def _table(q: _Queue) -> str:
    rows = [[where.removeprefix("at "), *rest] for where, *rest in (p.said() for p in q.curve)]
    now, *rest = q.now.said()
    rows.append([f"now, {now.removeprefix('at ')}", *rest])
    return data_table(["On each copy", *(series.name for series in _SERIES), "Each GPU"], rows)


def _verify(values: dict[str, Any], page: Page, controls: list[str]) -> list[Problem]:
    if "rate" in controls or not values["drag"]:
        return []
    return [Problem("picture", "queue: 'rate' is dragged, so it must be among the controls, or say drag: false.")]


PICTURE = Picture(
    name="queue",
    summary="Requests arriving, waiting and running over time, and TTFT, TPOT and tokens/s against the load.",
    fields=(Field("drag", YES_OR_NO, "Whether the point of the present load can be dragged.", False),),
    draw=_draw,
    slow=True,
    example="picture: queue\n",
    film=True,
    costly=True,
    verify=_verify,
)
