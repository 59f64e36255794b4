"""A GPU's memory filling up: weights, runtime and KV cache below the limit, or above the rim what is too much."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

from lessoncore.estimate import Estimate
from lessoncore.page import Page
from lessoncore.pictures import Picture, in_sizes
from lessoncore.units import GIB, show, whole
from lessoncore.views.data_table import data_table
from lessoncore.views.labels import LINE, filled, fitting, lines, pattern, plural, spread
from lessoncore.views.markup import coordinate as at
from lessoncore.views.svg import line, picture, rect, text

MOST_TANKS = 8
_THINNEST_SLICE = 3.0
# What is needed is drawn to scale up to this many times the GPU's memory.
_TALLEST = 2.4


class Part(NamedTuple):
    """One thing in the memory of a GPU, from the bottom up."""

    name: str
    concept: str
    size: float


def _draw(values: dict[str, Any], page: Page, key: str) -> str:
    e = page.estimate()
    return "".join(kind(e, key).draw() for kind in in_sizes(values, _Wide, _Narrow)) + _table(e)


def parts(e: Estimate) -> list[Part]:
    """What is in the memory of each GPU."""
    fit = e.memory_fit
    found = [
        Part("Weights", "weights", fit.weights.value),
        Part("Runtime", "runtime", fit.runtime.value),
        Part("Activations", "compute", fit.activations.value),
        Part("KV cache", "kv", fit.kv.value),
    ]
    return [part for part in found if part.size > 0]


def gb(size: float) -> str:
    """A size in gigabytes."""
    return str(show(size, "B"))


def verdict(e: Estimate) -> tuple[list[str], list[str]]:
    """Whether it fits and what that means: two lines, each in wordings from long to short."""
    fit, batch = e.memory_fit, e.scenario.batch
    each = " on each GPU" if e.scenario.gpus > 1 else ""
    tokens, room, limit = whole(e.context_end.value), int(e.largest_batch.value), gb(fit.usable.value)
    if fit.fits:
        more = room - batch
        first = [f"It fits: {gb(fit.room.value)} of {limit} is free{each}", f"It fits: {gb(fit.room.value)} is free"]
        if more < 1:
            return first, [f"Not one more request of {tokens} tokens would fit", "No room for one more request"]
        requests = f"{whole(more)} more {plural(more, 'request')}"
        return first, [f"Room for {requests} of {tokens} tokens", f"Room for {requests}"]
    missing = gb(-fit.room.value)
    needed = fit.weights.value + fit.runtime.value + fit.activations.value
    if needed <= fit.usable.value:
        first = [f"It doesn’t fit: {missing} too much KV cache{each}", f"It doesn’t fit: {missing} too much KV"]
        fits = f"room for {whole(room)} {plural(room, 'request')}" if room else "no room for a single request"
        return first, [
            f"There is {fits} of {tokens} tokens, and here {plural(batch, 'is', 'are')} {whole(batch)}",
            f"There is {fits} of {tokens} tokens",
            f"There is {fits}",
        ]
    first = [f"It doesn’t fit: {missing} too much{each}", f"It doesn’t fit: {missing} too much"]
    weights = gb(fit.weights.value)
    if fit.weights.value > fit.total.value:
        return first, [
            f"The weights alone take {weights}; the whole memory is {gb(fit.total.value)}",
            f"Weights {weights}, whole memory {gb(fit.total.value)}",
        ]
    return first, [
        f"The weights take {weights}, the runtime {gb(fit.runtime.value)}; the limit is {limit}",
        f"Weights {weights}, limit {limit}",
    ]


class _Label(NamedTuple):
    """A label beside the tank: where it points to, its lines, and its class."""

    centre: float
    first: str
    others: list[str]
    cls: str = ""


class _Tank(ABC):
    """The picture in one size."""

    size = ""
    width = 0.0
    height = 0.0
    top, bottom = 50.0, 0.0
    left = 34.0

    def __init__(self, e: Estimate, key: str) -> None:
        self.e, self.fit = e, e.memory_fit
        self.key, self.name = key, f"{key}-{self.size}"
        self.parts = parts(e)
        self.needed = sum(part.size for part in self.parts)
        self.shown = max(self.fit.total.value, min(self.needed, _TALLEST * self.fit.total.value))
        gpus = e.scenario.gpus
        self.tanks = gpus if gpus <= MOST_TANKS else 1
        gap = 8 if self.width > 500 else 5
        area = self.area(self.tanks)
        self.tank_width = (area - (self.tanks - 1) * gap) / self.tanks
        self.tank_x = [self.left + i * (self.tank_width + gap) for i in range(self.tanks)]
        self.label_x = self.left + area + self.label_gap

    label_gap = 26.0

    @abstractmethod
    def area(self, tanks: int) -> float: ...

    def y(self, size: float) -> float:
        """Height at which so many bytes end."""
        return self.bottom - (self.bottom - self.top) * min(size, self.shown) / self.shown

    def draw(self) -> str:
        e, fit = self.e, self.fit
        first, second = verdict(e)
        over = "" if fit.fits else " lc-over"
        body = (
            pattern(f"{self.name}-free", "free")
            + pattern(f"{self.name}-over", "over")
            + text(0, 13, fitting(self.width, *first), f"lc-strong lc-lead{over}")
            + text(0, 32, fitting(self.width, *second), "lc-soft")
            + self._axis()
            + "".join(self._one(x) for x in self.tank_x)
            + self._limit()
            + self._labels()
            + self._foot()
        )
        said = f"{first[0]}. {second[0]}. " + " ".join(f"{part.name}: {gb(part.size)}." for part in self.parts)
        gpus = e.scenario.gpus
        title = "The memory of the GPU" if gpus == 1 else f"The memory of each of {gpus} GPUs"
        return picture(self.size, self.width, self.height, title, said, body, self.key)

    # -- the tank -------------------------------------------------------------------------------------

    def _axis(self) -> str:
        step = nice_step(self.shown, (self.bottom - self.top) / 30)
        drawn, value = "", 0.0
        unit = show(self.shown, "B").unit
        while value <= self.shown * 1.0001:
            y = self.y(value)
            if y >= self.top - 1:
                number = show(value, "B", 1, unit).number if value else "0"
                drawn += line(self.left - 4, y, self.left, y, "lc-axis") + text(
                    self.left - 7, y + 4, number, "lc-soft lc-small", "end"
                )
            value += step
        return drawn + text(self.left - 7, self.bottom + 17, unit, "lc-soft lc-small", "end")

    def _one(self, x: float) -> str:
        fit, width = self.fit, self.tank_width
        drawn, below = "", 0.0
        for part in self.parts:
            y, height = self.y(below + part.size), self.y(below) - self.y(below + part.size)
            drawn += rect(x, y, width, height, f"lc-fill-{part.concept}")
            if part.concept == "kv":
                drawn += self._slices(x, below, height)
            elif below and height > 2:
                drawn += line(x, self.y(below), x + width, self.y(below), "lc-cut")
            below += part.size
        limit, whole_memory = self.y(fit.usable.value), self.y(fit.total.value)
        free = self.y(min(below, fit.usable.value))
        drawn += filled(x, limit, width, free - limit, f"{self.name}-free")
        drawn += rect(x, whole_memory, width, limit - whole_memory, "lc-kept")
        if not fit.fits:
            top = self.y(self.needed)
            drawn += filled(x, top, width, limit - top, f"{self.name}-over")
            drawn += rect(x, top, width, limit - top, "lc-outline-over")
        if self.needed > self.shown:
            drawn += self._tear(x)
        walls = f"M{at(x)} {at(whole_memory)}V{at(self.bottom)}H{at(x + width)}V{at(whole_memory)}"
        return drawn + f'<path d="{walls}" class="lc-walls"/>'

    def _slices(self, x: float, below: float, height: float) -> str:
        """A cut between the caches of two requests, while they can be told apart."""
        batch, one = self.e.scenario.batch, self.fit.kv.value / self.e.scenario.batch
        if self.needed > self.shown or height / batch < _THINNEST_SLICE:
            return line(x, self.y(below), x + self.tank_width, self.y(below), "lc-cut") if height > 2 else ""
        return "".join(
            line(x, self.y(below + n * one), x + self.tank_width, self.y(below + n * one), "lc-cut")
            for n in range(batch)
        )

    def _tear(self, x: float) -> str:
        """The mark that a bar goes on and isn't drawn to its end."""
        y, step = self.top + 16, self.tank_width / 6
        waves = "".join(f"L{at(x + (i + 1) * step)} {at(y - (4 if i % 2 == 0 else -4))}" for i in range(6))
        return f'<path d="M{at(x)} {at(y + 4)}{waves}" class="lc-tear"/>'

    def _limit(self) -> str:
        y = self.y(self.fit.usable.value)
        return line(self.left - 4, y, self.tank_x[-1] + self.tank_width + 5, y, "lc-rim")

    # -- words ----------------------------------------------------------------------------------------

    def _labels(self) -> str:
        room = self.width - self.label_x
        found = sorted(self._found(room), key=lambda label: label.centre)
        heights = [LINE * (1 + len(label.others)) + 4 for label in found]
        edge = self.tank_x[-1] + self.tank_width
        drawn = ""
        for label, y in zip(found, spread([f.centre for f in found], heights, self.top - 8, self.bottom), strict=True):
            first = y - (LINE * len(label.others)) / 2 + 4
            points = f"M{at(edge)} {at(label.centre)}h6L{at(self.label_x - 9)} {at(first - 4)}h5"
            drawn += f'<path d="{points}" class="lc-leader"/>'
            drawn += lines(self.label_x, first, label.first, label.others, label.cls)
        return drawn

    def _found(self, room: float) -> list[_Label]:
        fit = self.fit
        found, below = [], 0.0
        for part in self.parts:
            centre = (self.y(below) + self.y(below + part.size)) / 2
            others = [words for wordings in self._about(part) if (words := fitting(room, *wordings))]
            found.append(_Label(centre, fitting(room, f"{part.name} · {gb(part.size)}", gb(part.size)), others))
            below += part.size
        limit = self.y(fit.usable.value)
        kept = fit.total.value - fit.usable.value
        if fit.fits:
            left = self.y(below)
            about = fitting(room, "for more requests, or longer ones", "for more requests")
            first = fitting(room, f"Room left · {gb(fit.room.value)}", f"Room · {gb(fit.room.value)}", "Room")
            found.append(_Label((limit + left) / 2, first, [about]))
            about = fitting(room, f"the limit of a server is {gb(fit.usable.value)}", f"limit {gb(fit.usable.value)}")
            found.append(_Label((limit + self.y(fit.total.value)) / 2, f"Kept back · {gb(kept)}", [about]))
            return found
        shorter = fitting(room, "drawn shorter than it is", "drawn shorter")
        found.append(
            _Label(limit, fitting(room, f"Limit of a server · {gb(fit.usable.value)}", gb(fit.usable.value)), [])
        )
        found.append(
            _Label(
                self.y(self.needed),
                fitting(room, f"{gb(-fit.room.value)} over the limit", f"{gb(-fit.room.value)} over", "over"),
                [shorter] if self.needed > self.shown else [],
                "lc-over",
            )
        )
        return found

    def _about(self, part: Part) -> list[list[str]]:
        """What a part is: a list of lines, each in wordings from long to short."""
        e = self.e
        gpus, batch = e.scenario.gpus, e.scenario.batch
        if part.concept == "weights":
            model = e.scenario.architecture.label
            form = e.scenario.weight_format("mlp").label
            if gpus > 1:
                return [[f"one of {gpus} slices of {gb(e.weight_bytes.value)}", f"1 of {gpus} slices"]]
            return [[f"{model}, {form}", model, "the model"]]
        if part.concept == "kv":
            one = gb(part.size / batch)
            tokens = whole(e.context_end.value)
            requests = f"{whole(batch)} {plural(batch, 'request')}"
            sizes = [f"{one} each", one] if batch > 1 else [f"{tokens} tokens"]
            return [
                [f"what it remembers of {requests}", f"kept for {requests}", f"of {requests}", f"{whole(batch)} ×"],
                [f"of {tokens} tokens, {one} each", *sizes] if batch > 1 else sizes,
            ]
        if part.concept == "runtime":
            return [["the programs of the server", "programs"]]
        return [["working space of a pass", "of one pass"]]

    def _foot(self) -> str:
        total, gpus = self.fit.total.value, self.e.scenario.gpus
        y = self.bottom + 17
        both = f"{gb(total)} = {gib(total)}"
        if self.tanks > 1:
            middle, wordings = (self.tank_x[0] + self.tank_x[-1] + self.tank_width) / 2, (f"{gpus} GPUs",)
            name = text(middle, y, fitting(self.tank_x[-1] + self.tank_width, *wordings), "lc-soft", "middle")
        else:
            middle = self.tank_x[0] + self.tank_width / 2
            name = text(middle, y, "the GPU" if gpus == 1 else f"one GPU, × {gpus}", "lc-soft", "middle")
        room = self.width - self.label_x
        each = "of each GPU" if gpus > 1 else "of the GPU"
        return name + text(
            self.label_x, y, fitting(room, f"whole memory {each}: {both}", f"all: {both}", both, gb(total)), "lc-soft"
        )


def gib(size: float) -> str:
    """A size in binary gigabytes, as tools of the driver show it."""
    return str(show(size / GIB, "GiB"))


def nice_step(span: float, most: float) -> float:
    """A round step (1, 2 or 5 times a power of ten) that divides ``span`` into at most ``most`` pieces.

    >>> nice_step(85.5e9, 9)
    10000000000.0
    """
    power = 1.0
    while span / (power * 10) > most:
        power *= 10
    return next((power * step for step in (1, 2, 5) if span / (power * step) <= most), power * 10)


class _Wide(_Tank):
    size = "wide"
    width, height = 640.0, 346.0
    bottom = 324.0

    def area(self, tanks: int) -> float:
        return {1: 190.0, 2: 240.0}.get(tanks, 310.0)


class _Narrow(_Tank):
    size = "narrow"
    width, height = 340.0, 366.0
    bottom = 344.0
    label_gap = 20.0

    def area(self, tanks: int) -> float:
        return {1: 84.0, 2: 108.0}.get(tanks, 136.0)


def _table(e: Estimate) -> str:
    fit = e.memory_fit
    each = "Each GPU" if e.scenario.gpus > 1 else "The GPU"
    rows = [(part.name, part.size) for part in parts(e)]
    rows.append(("Room left", fit.room.value) if fit.fits else ("Too much", -fit.room.value))
    rows += [("Limit of a server", fit.usable.value), ("Whole memory", fit.total.value)]
    return data_table([each, "GB", "GiB"], [[name, gb(size), gib(size)] for name, size in rows])


PICTURE = Picture(
    name="tank",
    summary="The memory of the GPU, or of each GPU, filling up; what doesn't fit stands above the rim.",
    fields=(),
    draw=_draw,
    example="picture: tank\n",
)
