"""Bytes, arithmetic or time by part, to scale, for one or several variants below each other.

Two measures stand side by side: what shrinks beside what doesn't.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from lessoncore.declaration import Field, Problem
from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate
from lessoncore.page import Page
from lessoncore.pictures import Picture, in_sizes
from lessoncore.pictures.lanes import Pass
from lessoncore.roofline import PassTime
from lessoncore.units import show
from lessoncore.views.data_table import data_table
from lessoncore.views.labels import filled, fitting, swatch
from lessoncore.views.markup import coordinate as at
from lessoncore.views.svg import line, picture, rect, text, text_width
from lessoncore.widgets.fields import VARIANTS, up_to_two_of


class Part(NamedTuple):
    """A part of a bar. ``striped`` tells two parts of one concept apart."""

    name: str
    concept: str
    size: float
    striped: bool = False


class Bar(NamedTuple):
    """A variant: its parts, or what keeps it from being computed."""

    label: str
    parts: list[Part]
    problem: str = ""

    @property
    def total(self) -> float:
        """The sum of the parts."""
        return sum(part.size for part in self.parts)


class Measure(NamedTuple):
    """Something that a bar can show: a title, the unit, and the word for less of it."""

    title: str
    unit: str
    less: str
    more: str
    of: Callable[[Estimate], list[Part]]


def _decode_bytes(e: Estimate) -> list[Part]:
    p = Pass(e)
    return [Part("weights", "weights", p.weight_bytes), Part("KV cache", "kv", p.kv_bytes)]


def _prefill_flops(e: Estimate) -> list[Part]:
    flops = e.prefill.work.flops
    products = flops.total.value - flops.attention.value
    return [
        Part("products with weights", "compute", products),
        Part("attention", "compute", flops.attention.value, striped=True),
    ]


def _decode_time(e: Estimate) -> list[Part]:
    p = Pass(e)
    if p.compute_s > p.memory_s:
        found = [Part("arithmetic", "compute", p.compute_s)]
    else:
        found = [Part("reading weights", "weights", p.weights_s), Part("reading KV cache", "kv", p.kv_s)]
    return _with_rest(found, e.decode)


def _prefill_time(e: Estimate) -> list[Part]:
    prefill = e.prefill
    compute = prefill.compute_s.value
    if compute < prefill.memory_s.value:
        found = [Part("reading weights", "weights", prefill.memory_s.value)]
    else:
        found = [Part("arithmetic", "compute", compute)]
    return _with_rest(found, prefill)


def _with_rest(found: list[Part], one: PassTime) -> list[Part]:
    """Add what neither arithmetic nor memory explains: all-reduces, the layers' start, a term of the reader's own."""
    others = (
        ("all-reduces", "communication", one.communication_s),
        ("starting the layers", "plain", one.launch_s),
        ("your own code", "plain", one.own_term_s),
    )
    found += [Part(name, concept, q.value if q else 0.0, striped=concept == "plain") for name, concept, q in others]
    rest = one.time_s.value - sum(part.size for part in found)
    return [*found, Part("not overlapping", "plain", rest if rest > 1e-6 * one.time_s.value else 0.0)]


def _memory(e: Estimate) -> list[Part]:
    fit = e.memory_fit
    return [
        Part("weights", "weights", fit.weights.value),
        Part("runtime", "runtime", fit.runtime.value + fit.activations.value),
        Part("KV cache", "kv", fit.kv.value),
    ]


MEASURES = {
    "decode_bytes": Measure("A decode pass moves", "B", "fewer bytes", "more bytes", _decode_bytes),
    "decode_time": Measure("A decode pass takes", "s", "faster", "slower", _decode_time),
    "prefill_flops": Measure("Prefill computes", "FLOP", "less work", "more work", _prefill_flops),
    "prefill_time": Measure("Prefill takes", "s", "faster", "slower", _prefill_time),
    "memory": Measure("Memory of a GPU", "B", "smaller", "larger", _memory),
}
TRAINING = {
    "training_memory": Measure("Memory of one parameter", "B", "smaller", "larger", lambda e: []),
    "training_flops": Measure("Work of one token", "FLOP", "less work", "more work", lambda e: []),
}
ALL = MEASURES | TRAINING


def bars(of: str, variants: list[dict[str, Any]], page: Page) -> list[Bar]:
    """The bars of a measure: one for each variant, or the two workloads."""
    if of in TRAINING:
        return _workloads(of, page)
    found = []
    for variant in variants or [{"label": "this scenario", "with": {}}]:
        try:
            found.append(Bar(variant["label"], ALL[of].of(page.estimate(variant["with"]))))
        except LessonError as error:  # the reader's GPU may not have the format of a variant
            found.append(Bar(variant["label"], [], str(error)))
    return found


def _workloads(of: str, page: Page) -> list[Bar]:
    from lessoncore.passes import matrix_flops
    from lessoncore.training import Training, training

    e = page.estimate()
    t = training(Training(gpu=e.scenario.gpu, model=e.scenario.architecture, all_gpus=1), e.assumptions)
    parameters = e.scenario.architecture.parameters.total
    if of == "training_memory":
        kept = [
            Part("weights", "weights", t.weight_bytes.value / parameters),
            Part("gradients", "compute", t.gradient_bytes.value / parameters),
            Part("fp32 weights", "weights", t.master_bytes.value / parameters, striped=True),
            Part("Adam, mean", "kept", t.first_moment_bytes.value / parameters),
            Part("Adam, square", "kept", t.second_moment_bytes.value / parameters, striped=True),
        ]
        held = Part("weights", "weights", e.weight_bytes.value / parameters)
        return [Bar("inference", [held]), Bar("training", kept)]
    whole = t.flops_per_token.value
    forward = matrix_flops(whole / 6, 1)
    return [
        Bar("inference", [Part("forward", "compute", forward)]),
        Bar(
            "training",
            [Part("forward", "compute", forward), Part("backward", "compute", whole - forward, striped=True)],
        ),
    ]


def _draw(values: dict[str, Any], page: Page, key: str) -> str:
    panels = [(name, bars(name, values["variants"], page)) for name in values["of"]]
    notes = [_note(name, page) for name, _ in panels]
    drawn = "".join(size(panels, notes, key).draw() for size in in_sizes(values, _Wide, _Narrow))
    return drawn + _table(panels)


def _note(of: str, page: Page) -> str:
    """What the bars of a measure come to for the whole model."""
    e = page.estimate()
    if of == "training_memory":
        one = sum(part.size for part in bars(of, [], page)[1].parts)
        parameters = e.scenario.architecture.parameters.total
        whole, large = show(e.weight_bytes.value, "B"), show(one * parameters, "B")
        return f"All {show(parameters, 'parameters')}: {whole} against {large}"
    if of == "memory":
        return f"a server may use {show(e.memory_fit.usable.value, 'B')}"
    return ""


class _Stack:
    """The picture in one size."""

    size = ""
    width = 0.0
    gap = 28.0
    beside = True
    row = 56.0

    def __init__(self, panels: list[tuple[str, list[Bar]]], notes: list[str], key: str) -> None:
        self.panels, self.notes, self.key = panels, notes, key
        self.name = f"{key}-{self.size}"
        self.panel_width = (self.width - self.gap) / 2 if self.beside and len(panels) == 2 else self.width
        self.legends = [self._legend(found) for _, found in panels]

    def draw(self) -> str:
        body = "".join(self._stripes(c) for c in ("weights", "compute", "kept"))
        x, y, lowest = 0.0, 0.0, 0.0
        heads = max(len(legend) for legend in self.legends) if self.beside else 0
        for (of, found), legend, note in zip(self.panels, self.legends, self.notes, strict=True):
            drawn, height = self._panel(x, y, of, found, legend, heads or len(legend), note)
            body += drawn
            lowest = max(lowest, y + height)
            if self.beside:
                x += self.panel_width + self.gap
            else:
                y += height + 22
        said = " ".join(
            f"{ALL[of].title}: "
            + "; ".join(f"{bar.label} {show(bar.total, ALL[of].unit)}" for bar in found if bar.parts)
            + "."
            for of, found in self.panels
        )
        title = " beside ".join(ALL[of].title for of, _ in self.panels)
        return picture(self.size, self.width, lowest, title, said, body, self.key)

    def _stripes(self, concept: str) -> str:
        """Stripes that tell a second part of a concept from the first."""
        return (
            f'<pattern id="{self.name}-{concept}" width="6" height="6" patternUnits="userSpaceOnUse"'
            f' patternTransform="rotate(45)"><rect width="6" height="6" class="lc-fill-{concept}"/>'
            f'<path d="M1 0V6" class="lc-stripe"/></pattern>'
        )

    def _legend(self, found: list[Bar]) -> list[list[Part]]:
        """The parts of all bars, in lines that fit."""
        parts: dict[str, Part] = {}
        for bar in found:
            for part in bar.parts:
                if part.size > 0:
                    parts.setdefault(part.name, part)
        rows: list[list[Part]] = [[]]
        used = 0.0
        for part in parts.values():
            wide = 28 + text_width(part.name)
            if rows[-1] and used + wide > self.panel_width:
                rows.append([])
                used = 0.0
            rows[-1].append(part)
            used += wide
        return rows

    def _panel(
        self, x: float, y: float, of: str, found: list[Bar], legend: list[list[Part]], heads: int, note: str
    ) -> tuple[str, float]:
        measure, width = ALL[of], self.panel_width
        drawn = text(x, y + 13, measure.title, "lc-strong lc-lead")
        for n, row in enumerate(legend):
            left = x
            for part in row:
                stripes = f"{self.name}-{part.concept}" if part.striped else ""
                drawn += swatch(left, y + 33 + 17 * n, part.concept, stripes)
                drawn += text(left + 15, y + 33 + 17 * n, part.name, "lc-soft")
                left += 28 + text_width(part.name)
        top = y + 33 + 17 * (heads - 1) + 22
        most = max((bar.total for bar in found), default=0.0) or 1.0
        for n, bar in enumerate(found):
            drawn += self._bar(x, top + n * self.row, bar, found[0], width / most, measure)
        height = top - y + self.row * len(found) - 14
        if note:
            drawn += text(x, y + height + 6, fitting(width, note, note.rpartition(": ")[2]), "lc-soft")
            height += 12
        return drawn, height

    def _bar(self, x: float, y: float, bar: Bar, first: Bar, scale: float, measure: Measure) -> str:
        width = self.panel_width
        if not bar.parts:
            why = fitting(width, bar.problem, bar.problem.partition(". ")[0], "not possible here")
            return text(x, y, _cut(bar.label, width), "lc-strong") + text(x, y + 18, why, "lc-soft")
        shown = str(show(bar.total, measure.unit))
        compared = fitting(
            width - text_width(shown) - text_width(_cut(bar.label, width / 2)) - 22, _compared(bar, first, measure)
        )
        drawn = text(x, y, _cut(bar.label, width / 2), "lc-strong")
        drawn += text(x + width, y, shown, "lc-strong", "end")
        if compared:
            drawn += text(x + width - text_width(shown) - 8, y, compared, "lc-soft", "end")
        left = x
        for part in bar.parts:
            length = part.size * scale
            if part.striped:
                drawn += filled(left, y + 7, length, 24, f"{self.name}-{part.concept}")
            else:
                drawn += rect(left, y + 7, length, 24, f"lc-fill-{part.concept}")
            words = fitting(length - 8, str(show(part.size, measure.unit)), size=11)
            if words:
                ground = text_width(words, 11) + 2  # between stripes words need a ground of their own
                if part.striped:
                    drawn += rect(left + (length - ground) / 2, y + 11, ground, 16, f"lc-fill-{part.concept}")
                drawn += text(left + length / 2, y + 23, words, f"lc-on-{part.concept} lc-small", "middle")
            left += length
            if length > 3 and left < x + width:
                drawn += line(left, y + 7, left, y + 31, "lc-cut")
        ghost = first.total * scale
        if bar is not first and ghost > left - x + 1:
            points = f"M{at(left)} {at(y + 7)}H{at(x + ghost)}V{at(y + 31)}H{at(left)}"
            drawn += f'<path d="{points}" class="lc-ghost"/>'
        return drawn


def _cut(label: str, width: float) -> str:
    """As much of an author's label as there is room for."""
    most = max(1, int(width / 7))
    return label if len(label) <= most else label[: most - 1] + "…"


def _compared(bar: Bar, first: Bar, measure: Measure) -> str:
    """How a bar differs from the first one."""
    if bar is first or not first.parts:
        return ""
    if show(bar.total, measure.unit) == show(first.total, measure.unit):
        return "the same"
    if bar.total < first.total:
        return f"{show(first.total / bar.total, '')} × {measure.less}"
    return f"{show(bar.total / first.total, '')} × {measure.more}"


class _Wide(_Stack):
    size = "wide"
    width = 640.0


class _Narrow(_Stack):
    size = "narrow"
    width = 340.0
    beside = False


def _table(panels: list[tuple[str, list[Bar]]]) -> str:
    rows = [
        [ALL[of].title, bar.label, part.name, str(show(part.size, ALL[of].unit))]
        for of, found in panels
        for bar in found
        for part in [*bar.parts, Part("all", "", bar.total)]
        if part.size > 0
    ]
    return data_table(["What", "Variant", "Part", "Size"], rows)


def _verify(values: dict[str, Any], page: Page, controls: list[str]) -> list[Problem]:
    if values["variants"] and any(of in TRAINING for of in values["of"]):
        return [
            Problem("picture", f"stack: {' and '.join(TRAINING)} compare inference and training, without variants.")
        ]
    problems = []
    for variant in values["variants"]:
        try:
            page.estimate(variant["with"], own=True)
        except LessonError as error:
            problems.append(Problem("picture", f"stack: the variant '{variant['label']}' isn't possible: {error}"))
    return problems


PICTURE = Picture(
    name="stack",
    summary="Bytes, work or time by part, to scale, for one or several variants; up to two measures side by side.",
    fields=(
        Field("of", up_to_two_of(*ALL), "What the bars show."),
        Field("variants", VARIANTS, "What is changed in the page's scenario, a bar each; nothing: one bar.", []),
    ),
    draw=_draw,
    verify=_verify,
    example="""\
picture:
  kind: stack
  of: [decode_bytes, prefill_flops]
  variants:
    - {label: bf16 weights, with: {weights: bf16}}
    - {label: fp8 weights, with: {weights: fp8}}
""",
)
