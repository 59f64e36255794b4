"""Conversations in lanes: one read of the weights serves all of them, and each adds the read of its own KV cache.

From left to right runs the time of one decode pass, to scale. The film shows a few passes in slow motion.
"""

import json
from abc import ABC, abstractmethod
from typing import Any

from lessoncore.estimate import Estimate
from lessoncore.page import Page
from lessoncore.pictures import Picture, in_sizes
from lessoncore.units import show, whole
from lessoncore.views.data_table import data_table
from lessoncore.views.labels import fitting, plural, swatch
from lessoncore.views.markup import attribute
from lessoncore.views.markup import coordinate as at
from lessoncore.views.svg import film, line, picture, rect, text, text_width

MOST_LANES = 16
_PASSES = 8
# How many times slower than the GPU the film runs: always the same for usual passes, so that they can be compared.
_SLOWER = 150
_USUAL_S = (0.0008, 0.04)
# What the arithmetic of a pass does, by what bounds the pass.
_PACE = {
    "compute": "sets the pace",
    "memory": "waits for the memory",
    "communication": "waits for the links",
    "launch": "waits for the next kernels",
}
_SLOWER_ELSE = (100_000, 10_000, 1000, 25, 5, 1)


class Pass:
    """A decode pass as stretches of time, one after the other.

    ``waiting_s`` is what the others don't explain: arithmetic that takes longer than memory, or what doesn't
    overlap. ``bound`` is what takes longest, a key of roofline.BOUNDS.
    """

    def __init__(self, e: Estimate) -> None:
        decode = e.decode
        self.total_s = decode.time_s.value
        moved = decode.bytes_moved.value
        self.weight_bytes = decode.work.bytes.weights.value
        self.kv_bytes = moved - self.weight_bytes
        self.memory_s = decode.memory_s.value
        self.weights_s = self.memory_s * self.weight_bytes / moved
        self.kv_s = self.memory_s - self.weights_s
        self.compute_s = decode.compute_s.value
        self.communication_s = decode.communication_s.value if decode.communication_s else 0.0
        self.launch_s = decode.launch_s.value if decode.launch_s else 0.0
        self.own_s = decode.own_term_s.value if decode.own_term_s else 0.0
        explained = self.memory_s + self.communication_s + self.launch_s + self.own_s
        self.waiting_s = max(0.0, self.total_s - explained)
        self.bound = decode.bound


def _draw(values: dict[str, Any], page: Page, key: str) -> str:
    alone = None if page.scenario.batch == 1 else page.estimate({"batch": 1})
    e = page.estimate()
    passes = min(_PASSES, e.scenario.output)
    slower = _slower(e.tpot_s.value)
    pass_s = e.tpot_s.value * slower
    still = (min(5, passes) - 0.001) / passes
    film_data = {"seconds": passes * pass_s, "still": still, "captions": _captions(e, passes)}
    return (
        f'<div class="lc-film" data-film="{attribute(json.dumps(film_data, separators=(",", ":")))}"'
        f' style="--at:{still * passes * pass_s:.5g}s">'
        + "".join(size(e, alone, passes, slower, key).draw() for size in in_sizes(values, _Wide, _Narrow))
        + "</div>"
        + _table(e, alone)
    )


def _slower(pass_s: float) -> int:
    if _USUAL_S[0] <= pass_s <= _USUAL_S[1]:
        return _SLOWER
    return next((s for s in _SLOWER_ELSE if pass_s * s <= 3), 1)


def _first(e: Estimate, passes: int) -> int:
    """The token that the film starts with, so that it shows the middle of the answer."""
    return max(0, e.scenario.output // 2 - passes // 2)


def _token(e: Estimate, n: int) -> str:
    return f"token {whole(n)} of {whole(e.scenario.output)}"


def _captions(e: Estimate, passes: int) -> list[tuple[float, str, str]]:
    """What the clock and the head of the answers say from which share of the film on."""
    first = _first(e, passes)
    said = [(round(n / passes, 5), f"pass {n + 1} of {passes}", _token(e, first + n + 1)) for n in range(passes)]
    return [*said, (1.0, f"pass {passes} of {passes}", _token(e, first + passes))]


class _Lanes(ABC):
    """The picture in one size."""

    size = ""
    width = 0.0
    height = 0.0
    area_x, area_width = 0.0, 0.0
    tokens_x, pitch = 0.0, 0.0
    lanes_top, lanes_height = 0.0, 0.0
    names: tuple[str, str, str] = ("", "", "")

    def __init__(self, e: Estimate, alone: Estimate | None, passes: int, slower: int, key: str) -> None:
        self.e, self.alone, self.passes, self.slower, self.key = e, alone, passes, slower, key
        self.p = Pass(e)
        self.scale = self.area_width / self.p.total_s
        batch = e.scenario.batch
        self.drawn = batch if batch <= MOST_LANES else MOST_LANES - 1
        self.rest = batch - self.drawn
        self.rows = self.drawn + (1 if self.rest else 0)
        self.lane = min(26.0, self.lanes_height / self.rows)
        self.lanes_bottom = self.lanes_top + self.rows * self.lane

    def draw(self) -> str:
        p, batch = self.p, self.e.scenario.batch
        said = (
            f"A decode pass takes {show(p.total_s, 's')} and writes one token for each of {whole(batch)} "
            f"{plural(batch, 'request')}. Reading the weights takes {show(p.weights_s, 's')}, once for all; reading "
            f"the KV cache takes {show(p.kv_s, 's')}, {show(p.kv_s / batch, 's')} for each. They are drawn one "
            "after the other; a GPU does them in turns, layer by layer."
        )
        body = self._head() + self._lanes() + self._tokens() + self._bars() + self._rates()
        return picture(self.size, self.width, self.height, "A decode pass of a batch", said, body, self.key)

    # -- the lanes ------------------------------------------------------------------------------------

    @abstractmethod
    def _head(self) -> str: ...

    def _title(self, width: float) -> str:
        """What is drawn, or that the GPU's memory doesn't hold it."""
        total, batch = show(self.p.total_s, "s"), whole(self.e.scenario.batch)
        if not self.e.memory_fit.fits:
            room = int(self.e.largest_batch.value)
            fits = f"memory has room for {whole(room)} of {batch}" if room else "the memory has no room for one"
            words = fitting(
                width, f"One decode pass · {total}, as if it fitted: {fits}", f"{total} as if it fitted: {fits}", fits
            )
            return text(0, 13, words, "lc-strong lc-over")
        slow = f", played {whole(self.slower)} × slower" if self.slower > 1 else ""
        wordings = (f"One decode pass · {total}, to scale{slow}", f"One decode pass · {total}, to scale")
        return text(0, 13, fitting(width, *wordings), "lc-strong")

    def _token_head(self, x: float, y: float, anchor: str = "") -> str:
        now = _first(self.e, self.passes) + min(5, self.passes)
        return (
            f'<text x="{at(x)}" y="{at(y)}" class="lc-soft"{f" text-anchor={anchor!r}" if anchor else ""}>'
            f'<tspan data-caption="2">{_token(self.e, now)}</tspan></text>'
        )

    def _lanes(self) -> str:
        seconds = self.p.total_s * self.slower
        stretches = self._stretches()
        return (
            "".join(self._row(n) for n in range(self.rows))
            + f'<g class="lc-dim">{stretches}</g>'
            + f'<g class="lc-moves" {film("reveal", 0, seconds, times=self.passes)}>{stretches}{self._words()}</g>'
            + f'<g class="lc-moves" {film("sweep", 0, seconds, times=self.passes, by=self.area_width)}>'
            + line(self.area_x, self.lanes_top - 4, self.area_x, self.lanes_bottom + 4, "lc-playhead")
            + "</g>"
        )

    def _row(self, n: int) -> str:
        y = self.lanes_top + n * self.lane
        rest = self.rest and n == self.rows - 1
        name = (
            fitting(self.area_x - 6, f"{whole(self.rest)} more", f"+ {whole(self.rest)}", f"+{self.rest}")
            if rest
            else f"{self.names[0]}{n + 1}"
        )
        return text(self.area_x - 6, y + self.lane / 2 + 4, name, "lc-soft", "end") + rect(
            self.area_x, y + 1, self.area_width, self.lane - 2, "lc-track"
        )

    def _stretches(self) -> str:
        """The weights across all lanes, then a step for each lane, then what the GPUs say to each other."""
        p, x = self.p, self.area_x
        weights, step = p.weights_s * self.scale, p.kv_s * self.scale / self.e.scenario.batch
        top, bottom = self.lanes_top + 1, self.lanes_bottom - 1
        # What is revealed is measured by its outline, which the first rectangle makes as long as the pass.
        drawn = rect(x, top, self.area_width, bottom - top, "lc-outline-none")
        drawn += rect(x, top, weights, bottom - top, "lc-fill-weights")
        for n in range(self.rows):
            length = step * (self.rest if self.rest and n == self.rows - 1 else 1)
            left = x + weights + step * n
            wide = min(max(length, 0.7), self.area_x + self.area_width - left)
            drawn += rect(left, self.lanes_top + n * self.lane + 1, wide, self.lane - 2, "lc-fill-kv")
        if p.communication_s:
            length = p.communication_s * self.scale
            end = x + self.area_width
            drawn += rect(end - length, top, length, bottom - top, "lc-fill-communication")
        return drawn

    def _words(self) -> str:
        """What the weights' stretch is, in it."""
        p, x, weights = self.p, self.area_x, self.p.weights_s * self.scale
        if self.lanes_bottom - self.lanes_top < 18:
            return ""
        words = fitting(
            weights - 8,
            f"one read of all weights: {show(p.weight_bytes, 'B')}, for everyone",
            f"one read of all weights: {show(p.weight_bytes, 'B')}",
            "one read of all weights",
            "all weights, once",
            "weights",
        )
        middle = (self.lanes_top + self.lanes_bottom) / 2 + 4
        return text(x + weights / 2, middle, words, "lc-on-weights", "middle") if words else ""

    def _tokens(self) -> str:
        """The last tokens of each answer, one more a pass."""
        side = min(self.pitch, self.lane) * 0.72
        name = f"{self.key}-{self.size}-token"
        top, seconds = self.lanes_top, self.p.total_s * self.slower
        inset = (self.lane - side) / 2
        drawn = (
            f'<pattern id="{name}" x="{at(self.tokens_x)}" y="{at(top)}" width="{at(self.pitch)}"'
            f' height="{self.lane:.5g}" patternUnits="userSpaceOnUse"><rect y="{inset:.5g}" width="{side:.5g}"'
            f' height="{side:.5g}" rx="{side / 6:.2g}" class="lc-fill-ink"/></pattern>'
        )
        place = (
            f'x="{at(self.tokens_x)}" y="{at(top)}" width="{at(self.passes * self.pitch)}"'
            f' height="{at(self.rows * self.lane)}" fill="url(#{name})"'
        )
        motion = film("reveal", 0, seconds * self.passes, steps=self.passes)
        return drawn + f'<rect {place} class="lc-dim"/><rect {place} class="lc-moves" {motion}/>'

    # -- time, by what it goes into -------------------------------------------------------------------

    def _bars(self) -> str:
        """The same time once more: memory, arithmetic and links, each for itself."""
        p, x, y = self.p, self.area_x, self.lanes_bottom + 10
        scale, end = self.scale, self.area_x + self.area_width
        drawn = (
            text(x - 6, y + 11, self.names[1], "lc-soft", "end")
            + rect(x, y, p.weights_s * scale, 14, "lc-fill-weights")
            + rect(x + p.weights_s * scale, y, p.kv_s * scale, 14, "lc-fill-kv")
            + text(x - 6, y + 29, self.names[2], "lc-soft", "end")
            + rect(x, y + 18, max(1.0, p.compute_s * scale), 14, "lc-fill-compute")
            + rect(end - p.communication_s * scale, y, p.communication_s * scale, 14, "lc-fill-communication")
        )
        shown = show(p.compute_s, "s")
        beside = f"{shown}: {_PACE.get(p.bound, 'waits')}"
        compute_end = x + max(1.0, p.compute_s * scale)
        words = fitting(end - compute_end - 6, beside, str(shown))
        if words:
            drawn += text(compute_end + 5, y + 29, words, "lc-soft")
        else:
            inside = fitting(compute_end - x - 10, f"arithmetic {beside}", beside, str(shown))
            drawn += text(x + 5, y + 29, inside, "lc-on-compute")
        for left, length, seconds, concept in (
            (x, p.weights_s * scale, p.weights_s, "weights"),
            (x + p.weights_s * scale, p.kv_s * scale, p.kv_s, "kv"),
        ):
            words = fitting(length - 8, str(show(seconds, "s")), size=11)
            drawn += text(left + length / 2, y + 11, words, f"lc-on-{concept} lc-small", "middle") if words else ""
        drawn += line(end, y - 4, end, y + 36, "lc-mark")
        return drawn + self._sum(y)

    @abstractmethod
    def _sum(self, y: float) -> str: ...

    def _parts_of_time(self) -> list[tuple[str, str]]:
        """The stretches by concept and in words."""
        p, batch = self.p, self.e.scenario.batch
        kv = f"KV cache {show(p.kv_s, 's')}"
        found = [
            ("weights", f"weights {show(p.weights_s, 's')}"),
            ("kv", f"{kv}: {whole(batch)} × {show(p.kv_s / batch, 's')}" if batch > 1 else kv),
        ]
        if p.communication_s:
            found.append(("communication", f"all-reduces {show(p.communication_s, 's')}"))
        if p.launch_s > 0.005 * p.total_s:
            found.append(("track", f"starting the layers {show(p.launch_s, 's')}"))
        if p.own_s > 0.005 * p.total_s:
            found.append(("track", f"your own code {show(p.own_s, 's')}"))
        if p.waiting_s > 0.005 * p.total_s:
            why = "waiting for arithmetic" if p.compute_s > p.memory_s else "not overlapping"
            found.append(("track", f"{why} {show(p.waiting_s, 's')}"))
        return found

    @abstractmethod
    def _rates(self) -> str: ...

    def _rate_texts(self) -> list[tuple[str, list[str]]]:
        """Two figures, each with what it is, in wordings from long to short."""
        e, batch = self.e, self.e.scenario.batch
        together, user = e.tokens_per_s, e.user_tokens_per_s
        if self.alone is None:
            words = ["one conversation has the GPU for itself", "one conversation alone"]
            return [(str(show(together.value, "tokens/s")), words)]
        one = self.alone.user_tokens_per_s.value
        times = show(together.value / one, "")
        who = f"all {whole(batch)} together"
        return [
            (
                str(show(together.value, "tokens/s")),
                [f"{who}: {times} × what one alone gets", f"{who}: {times} × one alone", who],
            ),
            (
                str(show(user.value, "tokens/s")),
                [f"for each of them; alone it would be {show(one, '')}", f"for each; alone {show(one, '')}"],
            ),
        ]


class _Wide(_Lanes):
    size = "wide"
    width, height = 640.0, 372.0
    area_x, area_width = 78.0, 432.0
    tokens_x, pitch = 526.0, 14.0
    lanes_top, lanes_height = 46.0, 208.0
    names = ("user ", "memory", "arithmetic")

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.more = 17 * self._flow()[-1][1]
        self.height = self.lanes_bottom + 118 + self.more

    def _head(self) -> str:
        legend_y = 32.0
        return (
            self._title(560)
            + swatch(self.area_x, legend_y, "weights")
            + text(self.area_x + 15, legend_y, "the weights, read once for all", "lc-soft")
            + swatch(self.area_x + 225, legend_y, "kv")
            + text(self.area_x + 240, legend_y, "each one’s own KV cache", "lc-soft")
            + text(self.width, 13, "Answers", "lc-strong", "end")
            + self._token_head(self.width, legend_y, "end")
        )

    def _flow(self) -> list[tuple[float, int, str, str]]:
        """The stretches of the pass in as few lines as hold them: left edge, line, concept, words."""
        placed, left, row = [], self.area_x, 0
        for concept, words in self._parts_of_time():
            if left + 15 + text_width(words) > self.width:
                left, row = self.area_x, row + 1
            placed.append((left, row, concept, words))
            left += 25 + text_width(words)
        return placed

    def _sum(self, y: float) -> str:
        p, x = self.p, self.tokens_x
        drawn = text(x, y + 11, f"{show(p.memory_s, 's')}", "lc-soft") if p.compute_s > p.memory_s else ""
        total = text(x, y + 11 if not drawn else y + 29, f"{show(p.total_s, 's')} a pass", "lc-strong")
        for left, row, concept, words in self._flow():
            baseline = y + 51 + 17 * row
            drawn += swatch(left, baseline, concept) + text(left + 15, baseline, words, "lc-soft")
        return drawn + total

    def _rates(self) -> str:
        y = self.lanes_bottom + 96 + self.more
        drawn, x = "", 0.0
        for number, wordings in self._rate_texts():
            drawn += text(x, y, number, "lc-big") + text(x, y + 18, fitting(310, *wordings), "lc-soft")
            x += 325
        return drawn


class _Narrow(_Lanes):
    size = "narrow"
    width, height = 340.0, 420.0
    area_x, area_width = 52.0, 196.0
    tokens_x, pitch = 256.0, 10.5
    lanes_top, lanes_height = 62.0, 208.0
    names = ("", "memory", "maths")

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.height = self.lanes_bottom + 64 + 17 * len(self._parts_of_time()) + 40 * len(self._rate_texts())

    def _head(self) -> str:
        return (
            self._title(340)
            + swatch(0, 32, "weights")
            + text(15, 32, "weights, once for all", "lc-soft")
            + swatch(168, 32, "kv")
            + text(183, 32, "each one’s own KV", "lc-soft")
            + text(self.area_x - 6, 52, "user", "lc-soft", "end")
            + self._token_head(self.width, 52, "end")
        )

    def _sum(self, y: float) -> str:
        drawn = text(self.tokens_x, y + 20, str(show(self.p.total_s, "s")), "lc-strong")
        for n, (concept, words) in enumerate(self._parts_of_time()):
            drawn += swatch(0, y + 53 + 17 * n, concept) + text(15, y + 53 + 17 * n, words, "lc-soft")
        return drawn

    def _rates(self) -> str:
        rates = self._rate_texts()
        y = self.height - 40 * len(rates) + 20
        drawn = ""
        for number, wordings in rates:
            drawn += text(0, y, number, "lc-big") + text(0, y + 16, fitting(340, *wordings), "lc-soft")
            y += 40
        return drawn


def _table(e: Estimate, alone: Estimate | None) -> str:
    p, batch = Pass(e), e.scenario.batch
    rows = [
        ["Reading the weights, once for all", str(show(p.weight_bytes, "B")), str(show(p.weights_s, "s"))],
        ["KV cache of one request", str(show(p.kv_bytes / batch, "B")), str(show(p.kv_s / batch, "s"))],
        [f"KV cache of all {whole(batch)}", str(show(p.kv_bytes, "B")), str(show(p.kv_s, "s"))],
        ["Arithmetic, at the same time", "", str(show(p.compute_s, "s"))],
    ]
    if p.communication_s:
        rows.append(["All-reduces", "", str(show(p.communication_s, "s"))])
    rows.append(["The pass", "", str(show(p.total_s, "s"))])
    rows.append(["Tokens a second, all together", "", str(show(e.tokens_per_s.value, "tokens/s"))])
    rows.append(["Tokens a second, each user", "", str(show(e.user_tokens_per_s.value, "tokens/s"))])
    if alone is not None:
        rows.append(["Tokens a second, one user alone", "", str(show(alone.user_tokens_per_s.value, "tokens/s"))])
    return data_table(["In one decode pass", "Bytes", "Time or rate"], rows)


PICTURE = Picture(
    name="lanes",
    summary="A batch of conversations in one decode pass: one read of the weights, and each one's own KV cache.",
    fields=(),
    draw=_draw,
    example="picture: lanes\n",
    film=True,
)
