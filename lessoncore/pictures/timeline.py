"""One request in time: the prompt lighting up in one pass, the answer a token at a time, to scale.

The picture is a film of CSS motions (see svg.film) that the page plays, stops and scrubs by setting one
number. It is drawn in its telling state, in the middle of the answer, and says all it has to say without moving.
"""

import json
from typing import Any

from lessoncore.estimate import Estimate
from lessoncore.page import Page
from lessoncore.pictures import Picture, in_sizes
from lessoncore.record import Record
from lessoncore.roofline import PassTime
from lessoncore.units import show, whole
from lessoncore.views.markup import attribute, escape
from lessoncore.views.svg import film, line, picture, rect, telling, text, text_width

# Where the picture stands still: far enough into the answer to show both phases.
TELLING = 0.38
_MAX_CELLS = 2000
_MAX_CAPTIONS = 120
_MIN_PASS_WIDTH = 4.0


def _draw(values: dict[str, Any], page: Page, key: str) -> str:
    e = page.estimate()
    film_data = {"seconds": e.total_s.value, "still": TELLING, "captions": _captions(e)}
    drawn = "".join(size(e, key).draw() for size in in_sizes(values, _Wide, _Narrow))
    return (
        f'<div class="lc-film" data-film="{attribute(json.dumps(film_data, separators=(",", ":")))}"'
        f' style="--at:{TELLING * e.total_s.value:.5g}s">{drawn}</div>'
    )


def _captions(e: Estimate) -> list[tuple[float, str, str]]:
    """What the clock and the answer's caption say from which share of the film on: (share, clock, caption)."""
    ttft, tpot, output, total_s = e.ttft_s.value, e.tpot_s.value, e.scenario.output, e.total_s.value
    total = show(total_s, "s")

    def caption(second: float, words: str) -> tuple[float, str, str]:
        return round(second / total_s, 5), f"{show(second, 's', scale=total.unit)} of {total}", words

    reading = [caption(ttft * i / 10, _waiting(output)) for i in range(10)]
    step = -(-output // _MAX_CAPTIONS)
    writing = [caption(ttft + n * tpot, _token(n + 1, output)) for n in range(0, output, step)]
    return [*reading, *writing, (1.0, f"{total} of {total}", _token(output, output))]


def _waiting(output: int) -> str:
    return f"Answer · {whole(output)} {_plural(output)} · waiting"


def _token(n: int, output: int) -> str:
    each = " · one pass each" if output <= _MAX_CELLS else ""  # a longer answer says what a square stands for
    return f"Answer · token {whole(n)} of {whole(output)}{each}"


def _plural(n: int) -> str:
    return "token" if n == 1 else "tokens"


_PER_CELL = (*(step * 10**n for n in range(4) for step in (1, 2, 5)), 10_000, 20_000)


class _Cells(Record):
    """How a number of tokens is laid out as squares in a box."""

    columns: int
    rows: int
    last_row: int
    pitch: float
    per_cell: int

    @classmethod
    def fit(cls, tokens: int, width: float, height: float) -> "_Cells":
        per_cell = next(k for k in _PER_CELL if -(-tokens // k) <= _MAX_CELLS)
        cells = -(-tokens // per_cell)
        pitch = 9.0
        while -(-cells // int(width // pitch)) * pitch > height:
            pitch -= 0.1
        columns = int(width // pitch)
        rows = -(-cells // columns)
        return cls(min(columns, cells), rows, cells - (rows - 1) * columns, pitch, per_cell)


class _Picture:
    """The picture in one size; the two sizes differ in where things stand."""

    size = ""
    width = 0.0
    height = 0.0
    grid_width = 0.0
    grid_height = 112.0
    prompt_at = (0.0, 0.0)
    answer_at = (0.0, 0.0)
    gauges_at: tuple[tuple[float, float], tuple[float, float]] = ((0.0, 0.0), (0.0, 0.0))
    gauge_width = 0.0
    bars_top = 0.0

    def __init__(self, e: Estimate, key: str) -> None:
        self.e = e
        self.key = key

    def draw(self) -> str:
        e = self.e
        prompt, output = e.scenario.prompt, e.scenario.output
        description = (
            f"Prefill reads {whole(prompt)} prompt {_plural(prompt)} in one pass of {show(e.ttft_s.value, 's')}. "
            f"Then {whole(output)} decode {'pass' if output == 1 else 'passes'} of {show(e.tpot_s.value, 's')} each "
            f"write the answer. The whole takes {show(e.total_s.value, 's')}; "
            f"{show(e.decode_share.value, 'share')} of it is decode."
        )
        body = self._prompt() + self._answer() + self._gauges() + self._whole_bar() + self._strip()
        return picture(self.size, self.width, self.height, "One request in time", description, body, self.key)

    # -- tokens ---------------------------------------------------------------------------------------

    def _grid(self, tokens: int, at: tuple[float, float], concept: str) -> tuple[_Cells, str]:
        """The pattern of squares, and the dim squares of all tokens."""
        cells = _Cells.fit(tokens, self.grid_width, self.grid_height)
        name = f"{self.key}-{self.size}-{concept}"
        side = cells.pitch * 0.74
        x, y = at
        pattern = (
            f'<pattern id="{name}" x="{x:.5g}" y="{y:.5g}" width="{cells.pitch:.5g}" height="{cells.pitch:.5g}"'
            f' patternUnits="userSpaceOnUse"><rect width="{side:.5g}" height="{side:.5g}" rx="{side / 6:.2g}"'
            f' class="lc-fill-{concept}"/></pattern>'
        )
        return cells, pattern

    def _rows(self, cells: _Cells, at: tuple[float, float], concept: str) -> list[str]:
        """A fragment for each row of squares, still open for attributes."""
        name = f"{self.key}-{self.size}-{concept}"
        x, y = at
        shown = []
        for row in range(cells.rows):
            columns = cells.columns if row < cells.rows - 1 else cells.last_row
            shown.append(
                f'<rect x="{x:.5g}" y="{y + row * cells.pitch:.5g}" width="{columns * cells.pitch:.5g}"'
                f' height="{cells.pitch:.5g}" fill="url(#{name})"'
            )
        return shown

    def _note(self, cells: _Cells) -> str:
        return "" if cells.per_cell == 1 else f" · ■ = {whole(cells.per_cell)}"

    def _prompt(self) -> str:
        tokens, at = self.e.scenario.prompt, self.prompt_at
        cells, drawn = self._grid(tokens, at, "compute")
        label = f"Prompt · {whole(tokens)} {_plural(tokens)} · one pass{self._note(cells)}"
        rows = "".join(row + "/>" for row in self._rows(cells, at, "compute"))
        lit = f'<g class="lc-moves" {film("light", 0, self.e.ttft_s.value)}>{rows}</g>'
        return text(at[0], at[1] - 9, label, "lc-soft") + drawn + lit

    def _answer(self) -> str:
        e, at = self.e, self.answer_at
        tokens = e.scenario.output
        cells, drawn = self._grid(tokens, at, "weights")
        still = max(1, round((TELLING * e.total_s.value - e.ttft_s.value) / e.tpot_s.value))
        caption = _token(still, tokens) if still * e.tpot_s.value > 0 else _waiting(tokens)
        dim, lit = "", ""
        written = 0
        for row, fragment in enumerate(self._rows(cells, at, "weights")):
            columns = cells.columns if row < cells.rows - 1 else cells.last_row
            start = e.ttft_s.value + written * cells.per_cell * e.tpot_s.value
            lasts = columns * cells.per_cell * e.tpot_s.value
            dim += fragment + ' class="lc-dim"/>'
            lit += f'{fragment} class="lc-moves" {film("reveal", start, lasts, steps=columns)}/>'
            written += columns
        label = (
            f'<text x="{at[0]:.5g}" y="{at[1] - 9:.5g}" class="lc-soft"><tspan data-caption="2">{escape(caption)}'
            f"</tspan>{escape(self._note(cells))}</text>"
        )
        return label + drawn + dim + lit

    # -- gauges ---------------------------------------------------------------------------------------

    def _gauges(self) -> str:
        e = self.e
        (ax, ay), (mx, my) = self.gauges_at
        names = text(ax, ay, "Arithmetic units, this pass", "lc-soft") + text(
            mx, my, "Memory bandwidth, this pass", "lc-soft"
        )
        before = self._busy(e.prefill, f'class="lc-moves" {film("hide", e.ttft_s.value, 0)}')
        after = self._busy(e.decode, f'class="lc-moves" {film("show", e.ttft_s.value, 0)}')
        return names + before + after

    def _busy(self, one: PassTime, motion: str) -> str:
        (ax, ay), (mx, my) = self.gauges_at
        limit, idle = ": the limit", " busy"
        return (
            f"<g {motion}>"
            + self._gauge(ax, ay, one.compute_busy.value, "compute", limit if one.bound == "compute" else idle)
            + self._gauge(mx, my, one.memory_busy.value, "weights", limit if one.bound == "memory" else idle)
            + "</g>"
        )

    def _gauge(self, x: float, y: float, share: float, concept: str, note: str) -> str:
        width = self.gauge_width
        shown = max(1.0, min(1.0, share) * width)
        return (
            rect(x, y + 7, width, 10, "lc-track", 'rx="3"')
            + rect(x, y + 7, shown, 10, f"lc-fill-{concept}", 'rx="3"')
            + text(x + width + 8, y + 16, f"{show(share, 'share')}{note}")
        )

    # -- time to scale --------------------------------------------------------------------------------

    def _whole_bar(self) -> str:
        e, top, width = self.e, self.bars_top, self.width
        prefill = width * e.ttft_s.value / e.total_s.value
        split = min(width - 1, max(1.0, prefill))
        passes = f"{whole(e.scenario.output)} {'pass' if e.scenario.output == 1 else 'passes'}"
        label = f"decode: {passes} · {show(e.decode_share.value, 'share')}"
        room = text_width(label) < width - split - 12
        inside = text(width - 8, top + 24, label, "lc-on-weights", "end") if room else ""
        return (
            text(0, top, "The whole answer, to scale", "lc-soft")
            + text(width, top, str(show(e.total_s.value, "s")), "lc-strong", "end")
            + telling(
                "decode_share",
                rect(0, top + 10, split, 20, "lc-fill-compute")
                + rect(split, top + 10, width - split, 20, "lc-fill-weights")
                + inside,
                rect(0, top + 10, width, 20, "lc-track") + text(width / 2, top + 24, "?", anchor="middle"),
            )
            + f'<g class="lc-moves" {film("across", 0, e.total_s.value)}>'
            + line(0, top + 4, 0, top + 36, "lc-playhead")
            + f'<circle cx="0" cy="{top + 4:.5g}" r="4" class="lc-playhead-knob"/></g>'
        )

    def _strip(self) -> str:
        """The beginning under a magnifying glass, where a short prefill can be seen."""
        e, width, top = self.e, self.width, self.bars_top + 64
        span = _nice_span(e)
        scale = width / span
        prefill = e.ttft_s.value * scale
        beam = width * span / e.total_s.value
        shown = show(span, "s", 2)
        parts = [
            f'<path d="M0 {top - 34:.5g}V{top:.5g}H{width:.5g}L{beam:.5g} {top - 34:.5g}Z" class="lc-beam"/>',
            rect(0, top, prefill, 24, "lc-fill-compute"),
            *self._passes(top, prefill, scale),
        ]
        label = f"prefill · {show(e.ttft_s.value, 's')} · {e.prefill.bound_words}"
        short = f"{show(e.ttft_s.value, 's')}"
        for words in (label, short):
            if text_width(words) < prefill - 6:
                parts.append(text(prefill / 2, top + 16, words, "lc-on-compute", "middle"))
                break
        first = "first token"
        room = width - prefill > text_width(first) + 8
        span_label = f"The first {shown}" if span < e.total_s.value * 0.999 else "The same, pass by pass"
        parts += [
            line(prefill, top - 6, prefill, top + 42, "lc-mark"),
            text(prefill + (6 if room else -6), top + 40, first, "lc-strong", "" if room else "end"),
        ]
        if not room or text_width(span_label) < prefill - 8:
            parts.append(text(0, top + 40, span_label, "lc-soft") if room else "")
        else:
            parts.append(text(width, top + 40, span_label, "lc-soft", "end"))
        parts.append(
            f'<g class="lc-moves" {film("across-once", 0, span)}>{line(0, top - 4, 0, top + 28, "lc-playhead")}</g>'
        )
        return "".join(parts)

    def _passes(self, top: float, prefill: float, scale: float) -> list[str]:
        e, width = self.e, self.width
        one = e.tpot_s.value * scale
        if one < _MIN_PASS_WIDTH:
            return [rect(prefill + 1, top, width - prefill - 1, 24, "lc-fill-weights")]
        passes, x, done = [], prefill, 0
        while x < width - 1 and done < e.scenario.output:
            passes.append(rect(x + 1, top, min(one, width - x) - 1.5, 24, "lc-fill-weights"))
            x, done = x + one, done + 1
        label = show(e.tpot_s.value, "s")
        for words in (str(label), label.number):
            if text_width(words, 11) < one - 3 and prefill + one <= width:
                passes.append(text(prefill + one / 2, top + 16, words, "lc-on-weights lc-small", "middle"))
                break
        return passes


def _nice_span(e: Estimate) -> float:
    """A round time that shows the whole prefill and the first decode passes."""
    needed = max(1.5 * e.ttft_s.value, e.ttft_s.value + 4 * e.tpot_s.value)
    if needed >= 0.8 * e.total_s.value:
        return e.total_s.value
    unit = 1e-6
    while True:
        for step in (1, 1.5, 2, 3, 4, 5, 6, 8):
            if unit * step >= needed:
                return min(unit * step, e.total_s.value)
        unit *= 10


class _Wide(_Picture):
    size = "wide"
    width, height = 640.0, 322.0
    grid_width = 306.0
    prompt_at, answer_at = (0.0, 24.0), (334.0, 24.0)
    gauges_at = ((0.0, 160.0), (334.0, 160.0))
    gauge_width = 186.0
    bars_top = 212.0


class _Narrow(_Picture):
    size = "narrow"
    width, height = 340.0, 478.0
    grid_width, grid_height = 340.0, 100.0
    prompt_at, answer_at = (0.0, 24.0), (0.0, 156.0)
    gauges_at = ((0.0, 280.0), (0.0, 318.0))
    gauge_width = 200.0
    bars_top = 366.0


PICTURE = Picture(
    name="timeline",
    summary="One request in time: its tokens, how busy the GPU is, and both phases to scale. It plays.",
    fields=(),
    draw=_draw,
    example="picture: timeline\n",
    film=True,
)
