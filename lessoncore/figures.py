"""The figures that a page may show: a name for authors, a label for readers, and the quantity behind it."""

from collections.abc import Callable
from dataclasses import dataclass

from lessoncore.errors import unknown
from lessoncore.estimate import Estimate
from lessoncore.formula import Quantity
from lessoncore.parameters import PARAMETERS, Count
from lessoncore.units import show


def _no_note(estimate: Estimate) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure. ``note`` is the line below it in a tile: what it means for this scenario."""

    key: str
    label: str
    of: Callable[[Estimate], Quantity]
    note: Callable[[Estimate], str] = _no_note
    digits: int = 3

    def text(self, quantity: Quantity, digits: int | None = None, scale: str | None = None) -> str:
        """The figure as a reader sees it, with its unit."""
        return str(show(quantity.value, quantity.meaning.unit, digits or self.digits, scale))


def _memory_note(e: Estimate) -> str:
    limit = show(e.memory_bytes.value * e.scenario.gpus, "B")
    room = e.kv_budget.value - (e.memory_used.value - e.weight_bytes.value)
    if room >= 0:
        return f"of {limit}, fits"
    return f"of {limit}: {show(-room, 'B')} too much"


def _given(key: str) -> Figure:
    label = PARAMETERS[key].label
    return Figure(key, label, lambda e: Quantity(getattr(e.scenario, key), key, "the request"))


_PARAMETER_FIGURES = [_given(p.key) for p in PARAMETERS.values() if isinstance(p, Count)]

FIGURES: dict[str, Figure] = {
    f.key: f
    for f in (
        *_PARAMETER_FIGURES,
        Figure("ttft", "Time to first token", lambda e: e.ttft_s, lambda e: f"{e.prefill.bound}-bound"),
        Figure("tpot", "Time per token", lambda e: e.tpot_s, lambda e: f"{e.decode.bound}-bound"),
        Figure("total", "Whole answer", lambda e: e.total_s, lambda e: f"{show(e.decode_share.value, 'share')} decode"),
        Figure("decode", "All decode passes", lambda e: e.decode_s),
        Figure("decode_share", "Share of decode", lambda e: e.decode_share),
        Figure("memory_used", "Memory used", lambda e: e.memory_used, _memory_note),
        Figure("memory", "Memory of the GPU", lambda e: e.memory_bytes),
        Figure("weight_bytes", "Weights in memory", lambda e: e.weight_bytes, digits=4),
        Figure("kv_per_token", "KV cache per token", lambda e: e.kv_bytes_per_token),
        Figure("kv_budget", "Room for KV cache", lambda e: e.kv_budget),
        Figure("ridge", "Ridge point", lambda e: e.ridge),
        Figure("prefill_flops", "Work of the prefill pass", lambda e: e.prefill.flops),
        Figure("prefill_intensity", "Intensity of prefill", lambda e: e.prefill.intensity),
        Figure("prefill_compute_busy", "Arithmetic in use, prefill", lambda e: e.prefill.compute_busy),
        Figure("prefill_memory_busy", "Bandwidth in use, prefill", lambda e: e.prefill.memory_busy),
        Figure("decode_flops", "Work of a decode pass", lambda e: e.decode.flops),
        Figure("decode_bytes", "Bytes of a decode pass", lambda e: e.decode.bytes_moved, digits=4),
        Figure("decode_intensity", "Intensity of decode", lambda e: e.decode.intensity),
        Figure("decode_compute_busy", "Arithmetic in use, decode", lambda e: e.decode.compute_busy),
        Figure("decode_memory_busy", "Bandwidth in use, decode", lambda e: e.decode.memory_busy),
        Figure("bandwidth", "Memory bandwidth", lambda e: e.bandwidth),
    )
}


def figure(key: object) -> Figure:
    """Find a figure by its key; LessonError names the known ones."""
    if not isinstance(key, str) or key not in FIGURES:
        raise unknown("figure", key, list(FIGURES))
    return FIGURES[key]
