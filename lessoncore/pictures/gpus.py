"""One, two, four, eight GPUs that share a model: the slice of each, a decode pass to scale, and what more GPUs buy.

Below, one layer under a magnifying glass: the GPUs work side by side and wait for each other twice.
"""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate
from lessoncore.page import Page
from lessoncore.pictures import Picture, in_sizes
from lessoncore.units import show
from lessoncore.views.data_table import data_table
from lessoncore.views.labels import filled, fitting, pattern, plural, swatch
from lessoncore.views.svg import line, picture, rect, text, text_width

COUNTS = (1, 2, 4, 8)
MOST_DRAWN = 8
_SMALLEST_SYNC = 2.5


# Where it starts, how long it is, and the concept it belongs to.
type _Stretch = tuple[float, float, str]


class Row(NamedTuple):
    """So many GPUs: their estimate, and how many times faster than one they are."""

    gpus: int
    e: Estimate
    faster: float


def _draw(values: dict[str, Any], page: Page, key: str) -> str:
    found, now = rows(page), page.scenario.gpus
    return "".join(size(found, now, key).draw() for size in in_sizes(values, _Wide, _Narrow)) + _table(found)


def rows(page: Page) -> list[Row]:
    """The numbers of GPUs that can share the model, that of the page always among them."""
    found = []
    for count in sorted({*COUNTS, page.scenario.gpus}):
        try:
            found.append((count, page.estimate({"gpus": count})))
        except LessonError:  # heads that can't be divided, a GPU without a link
            continue
    one = found[0][1].tpot_s.value
    return [Row(count, e, one / e.tpot_s.value) for count, e in found]


def layer(e: Estimate) -> tuple[float, float, float]:
    """Time of the mean layer of a decode pass: attention, MLP, and one of its two all-reduces (s)."""
    decode, model = e.decode, e.scenario.architecture
    communication = decode.communication_s.value if decode.communication_s else 0.0
    work = decode.time_s.value - communication
    moved = decode.work.bytes
    attention = moved.projections.value + decode.bytes_moved.value - moved.weights.value
    mlp = moved.mlp.value
    of_layers = work * (attention + mlp) / decode.bytes_moved.value / model.layers
    share = attention / (attention + mlp)
    sync = communication / model.all_reduces if model.all_reduces else 0.0
    return of_layers * share, of_layers * (1 - share), sync


class _Gpus(ABC):
    """The picture in one size."""

    size = ""
    width = 0.0
    rows_top = 0.0
    row_height = 0.0
    tanks_x, tanks_width, tank_height = 0.0, 0.0, 30.0
    time_x, time_width = 0.0, 0.0
    panel_height = 0.0

    def __init__(self, found: list[Row], now: int, key: str) -> None:
        self.found, self.now, self.key = found, now, key
        self.name = f"{key}-{self.size}"
        self.longest = max(row.e.tpot_s.value for row in found)
        self.scale = self.time_width / self.longest
        self.here = next(row for row in found if row.gpus == now)
        self.panel_top = self.rows_top + self.row_height * len(found) + 16
        lanes = min(self.now, MOST_DRAWN)
        self.lane = min(18.0, self.panel_height / lanes)
        self.height = self.panel_top + 34 + self.lane * lanes + 24

    def draw(self) -> str:
        model = self.here.e.scenario.architecture.label
        said = " ".join(
            f"{row.gpus} {plural(row.gpus, 'GPU')}: {show(row.e.memory_fit.weights.value, 'B')} of weights on each, "
            f"{show(row.e.tpot_s.value, 's')} a pass, {_times(row.faster)} as fast as one."
            for row in self.found
        )
        body = (
            pattern(f"{self.name}-free", "free")
            + pattern(f"{self.name}-over", "over")
            + self._head()
            + "".join(self._row(n, row) for n, row in enumerate(self.found))
            + self._panel()
        )
        return picture(self.size, self.width, self.height, f"{model} shared by several GPUs", said, body, self.key)

    @abstractmethod
    def _head(self) -> str: ...

    @abstractmethod
    def _row(self, n: int, row: Row) -> str: ...

    def _legend(self, x: float, y: float) -> str:
        drawn = ""
        concepts = [("weights", "weights", ""), ("kv", "KV", ""), ("free", "room", f"{self.name}-free")]
        if any(not row.e.memory_fit.fits for row in self.found):
            concepts.append(("over", "too much", f"{self.name}-over"))
        for concept, words, name in concepts:
            drawn += swatch(x, y, concept, name) + text(x + 14, y, words, "lc-soft")
            x += 22 + text_width(words)
        return drawn

    # -- memory and time of a row ---------------------------------------------------------------------

    def _tanks(self, y: float, row: Row) -> str:
        count = row.gpus if row.gpus <= MOST_DRAWN else 1
        gap = 3.0
        width = min(26.0, (self.tanks_width - gap * (MOST_DRAWN - 1)) / MOST_DRAWN * (8 / max(count, 4)))
        drawn = "".join(self._tank(self.tanks_x + i * (width + gap), y, width, row.e) for i in range(count))
        if count < row.gpus:
            drawn += text(self.tanks_x + width + 8, y + self.tank_height / 2 + 5, f"× {row.gpus}", "lc-soft")
        return drawn

    def _tank(self, x: float, y: float, width: float, e: Estimate) -> str:
        fit, height = e.memory_fit, self.tank_height
        scale = height / fit.usable.value
        bottom, drawn = y + height, ""
        others = fit.runtime.value + fit.activations.value
        for concept, size in (("weights", fit.weights.value), ("runtime", others), ("kv", fit.kv.value)):
            top = max(y, bottom - size * scale)
            drawn += rect(x, top, width, bottom - top, f"lc-fill-{concept}")
            bottom = top
        drawn += filled(x, y, width, bottom - y, f"{self.name}-free")
        if not fit.fits:
            drawn += filled(x, y, width, height, f"{self.name}-over")
        return drawn + rect(x, y, width, height, "lc-walls-thin" if fit.fits else "lc-outline-over")

    def _bar(self, y: float, height: float, row: Row) -> str:
        """The time of a pass: work, then what the GPUs say to each other."""
        decode = row.e.decode
        sync = decode.communication_s.value * self.scale if decode.communication_s else 0.0
        whole = row.e.tpot_s.value * self.scale
        concept = "weights" if decode.roof == "memory" else "compute"
        x, x_sync = self.time_x, self.time_x + whole - sync
        drawn = rect(x, y, whole - sync, height, f"lc-fill-{concept}")
        drawn += rect(x_sync, y, sync, height, "lc-fill-communication")
        shown = str(show(row.e.tpot_s.value, "s"))
        about = fitting(whole - sync - 8, shown)
        end = self.time_x + self.time_width
        if about:
            return drawn + text(x + 6, y + height / 2 + 4, about, f"lc-on-{concept}")
        outside = fitting(end - x - whole - 6, shown)
        if outside:
            return drawn + text(x + whole + 5, y + height / 2 + 4, outside, "lc-strong")
        inside = fitting(sync - 8, shown)
        return drawn + text(x + whole - 6, y + height / 2 + 4, inside, "lc-on-communication", "end")

    def _about_time(self, row: Row, width: float) -> str:
        decode = row.e.decode
        if not row.e.memory_fit.fits:
            missing = show(-row.e.memory_fit.room.value, "B")
            return fitting(width, f"doesn’t fit ({missing} too much): as if it did", "doesn’t fit: as if it did")
        if decode.communication_s is None:
            return fitting(width, "no one to wait for")
        work = show(decode.time_s.value - decode.communication_s.value, "s")
        talk = show(decode.communication_s.value, "s")
        return fitting(
            width, f"{work} of work + {talk} of all-reduces", f"{work} + {talk} all-reduces", f"{work} + {talk}"
        )

    # -- one layer, magnified -------------------------------------------------------------------------

    def _panel(self) -> str:
        e, y, width = self.here.e, self.panel_top, self.width
        attention, mlp, sync = layer(e)
        layers = e.scenario.architecture.layers
        whole = attention + mlp + 2 * sync
        magnified = show(self.longest / whole * width / self.time_width, "", 2)
        count = self.now
        title = fitting(
            width,
            f"One of {layers} layers on {count} {plural(count, 'GPU')}: {show(whole, 's')}, magnified {magnified} ×",
            f"One of {layers} layers: {show(whole, 's')}, magnified {magnified} ×",
            f"One of {layers} layers: {show(whole, 's')}",
        )
        drawn = line(0, y - 10, width, y - 10, "lc-hair") + text(0, y + 8, title, "lc-strong")
        lanes, label = min(count, MOST_DRAWN), 46.0
        scale = (width - label) / whole
        stretches = self._stretches(label, scale, attention, mlp, sync)
        top, bottom = y + 34, y + 34 + lanes * self.lane
        for x, length, concept in stretches:
            if concept == "communication":
                drawn += rect(x, top - 4, length, bottom - top + 8, "lc-fill-communication")
                continue
            for n in range(lanes):
                drawn += rect(x, top + n * self.lane + 1, length, self.lane - 2, f"lc-fill-{concept}")
        drawn += self._halves(y + 26, stretches)
        names = "".join(
            text(0, top + n * self.lane + self.lane / 2 + 4, f"GPU {n + 1}", "lc-soft")
            for n in range(lanes)
            if self.lane >= 11
        ) or text(0, top + 12, f"{count} GPUs", "lc-soft")
        return drawn + names + self._sync_words(bottom + 18, stretches, sync)

    def _stretches(self, x: float, scale: float, attention: float, mlp: float, sync: float) -> list[_Stretch]:
        bound = "weights" if self.here.e.decode.roof == "memory" else "compute"
        widen = max(0.0, _SMALLEST_SYNC - sync * scale) if sync else 0.0
        shrink = 1 - 2 * widen / (scale * (attention + mlp))
        found: list[_Stretch] = []
        for seconds in (attention, mlp):
            length = seconds * scale * shrink
            found.append((x, length, bound))
            x += length
            if sync:
                found.append((x, sync * scale + widen, "communication"))
                x += sync * scale + widen
        return found

    def _halves(self, y: float, stretches: list[_Stretch]) -> str:
        """The names of a layer's two halves above them; that of a short first half may reach over the second."""
        first, second = (stretch for stretch in stretches if stretch[2] != "communication")
        part = "" if self.now == 1 else ", a slice each"
        mlp = fitting(second[1] - 6, f"MLP{part}", "MLP")
        middle = second[0] + second[1] / 2
        drawn = text(middle, y, mlp, "lc-soft", "middle") if mlp else ""
        attention = fitting(first[1] - 6, f"attention{part}", "attention")
        if attention:
            return drawn + text(first[0] + first[1] / 2, y, attention, "lc-soft", "middle")
        room = (middle - text_width(mlp) / 2 if mlp else self.width) - first[0] - 10
        attention = fitting(room, "attention")
        return drawn + (text(first[0], y, attention, "lc-soft") if attention else "")

    def _sync_words(self, y: float, stretches: list[_Stretch], sync: float) -> str:
        width = self.width
        if not sync:
            return text(
                0, y, fitting(width, "One GPU does it all and waits for no one.", "Nobody to wait for."), "lc-soft"
            )
        wide = any(s[2] == "communication" and s[1] > _SMALLEST_SYNC + 0.01 for s in stretches)
        note = "" if wide else ", drawn wider than it is"
        words = fitting(
            width - 16,
            f"all-reduce: all wait until their results are added up, {show(sync, 's')}, twice a layer{note}",
            f"all-reduce: all wait for the sum, {show(sync, 's')}, twice a layer{note}",
            f"all-reduce, {show(sync, 's')}, twice a layer{note}",
            f"all-reduce, {show(sync, 's')} each",
        )
        return swatch(0, y, "communication") + text(15, y, words, "lc-soft")

    def _here(self, y: float, height: float, row: Row) -> str:
        """The mark of the row that the page is about."""
        if row.gpus != self.now:
            return ""
        return rect(0, y, self.width, height, "lc-here", 'rx="4"') + rect(0, y, 3, height, "lc-fill-ink")

    def _weights(self, row: Row, width: float, what: str) -> str:
        shown = show(row.e.memory_fit.weights.value, "B")
        return fitting(width, f"{shown} of weights", f"{shown} {what}", str(shown))

    def _speed(self, row: Row) -> tuple[str, str]:
        if row.gpus == 1 or row.gpus == self.found[0].gpus:
            return "1 ×", ""
        return _times(row.faster), f"ideal {row.gpus / self.found[0].gpus:g} ×"


def _times(faster: float) -> str:
    return f"{show(faster, '')} ×"


class _Wide(_Gpus):
    size = "wide"
    width = 640.0
    rows_top, row_height = 38.0, 50.0
    tanks_x, tanks_width, tank_height = 128.0, 112.0, 34.0
    time_x, time_width = 254.0, 290.0
    panel_height = 104.0

    def _head(self) -> str:
        return (
            self._legend(0, 13)
            + text(self.time_x, 13, "A decode pass, to scale", "lc-strong")
            + text(self.width - 6, 13, "faster than one", "lc-soft", "end")
        )

    def _row(self, n: int, row: Row) -> str:
        y = self.rows_top + n * self.row_height
        speed, ideal = self._speed(row)
        return (
            self._here(y - 11, self.row_height - 2, row)
            + text(10, y + 10, f"{row.gpus} {plural(row.gpus, 'GPU')}", "lc-strong")
            + text(10, y + 26, self._weights(row, self.tanks_x - 12, "weights"), "lc-soft")
            + self._tanks(y - 4, row)
            + self._bar(y - 4, 18, row)
            + text(self.time_x, y + 29, self._about_time(row, self.time_width), "lc-soft")
            + text(self.width - 6, y + 10, speed, "lc-strong", "end")
            + (text(self.width - 6, y + 29, ideal, "lc-soft", "end") if ideal else "")
        )


class _Narrow(_Gpus):
    size = "narrow"
    width = 340.0
    rows_top, row_height = 36.0, 70.0
    tanks_x, tanks_width, tank_height = 8.0, 94.0, 32.0
    time_x, time_width = 112.0, 222.0
    panel_height = 104.0

    def _head(self) -> str:
        return self._legend(0, 13)

    def _row(self, n: int, row: Row) -> str:
        y = self.rows_top + n * self.row_height
        speed, ideal = self._speed(row)
        words = f"{speed}, {ideal}" if ideal else ""
        return (
            self._here(y - 11, self.row_height - 3, row)
            + text(8, y + 5, f"{row.gpus} {plural(row.gpus, 'GPU')}", "lc-strong")
            + text(66, y + 5, self._weights(row, 128, "each"), "lc-soft")
            + (text(self.width - 6, y + 5, words, "lc-strong", "end") if words else "")
            + self._tanks(y + 14, row)
            + self._bar(y + 14, 16, row)
            + text(self.time_x, y + 46, self._about_time(row, self.time_width), "lc-soft")
        )


def _table(found: list[Row]) -> str:
    head = ["GPUs", "Weights on each", "Room for KV cache", "Time of a pass", "of it all-reduces", "Faster than one"]
    return data_table(
        head,
        [
            [
                f"{row.gpus}",
                str(show(row.e.memory_fit.weights.value, "B")),
                str(show(row.e.kv_budget.value, "B")) if row.e.kv_budget.value > 0 else "none: it doesn’t fit",
                str(show(row.e.tpot_s.value, "s")),
                str(show(row.e.decode.communication_s.value, "s")) if row.e.decode.communication_s else "0",
                _times(row.faster),
            ]
            for row in found
        ],
    )


PICTURE = Picture(
    name="gpus",
    summary="A model shared by one, two, four and eight GPUs: slices in memory, a decode pass, and the waiting.",
    fields=(),
    draw=_draw,
    example="picture: gpus\n",
)
