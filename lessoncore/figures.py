"""The figures that a page may show: a name for authors, a label for readers, and the quantity behind it."""

from collections.abc import Callable, Hashable, Iterator
from copy import replace
from typing import Any

from lessoncore.errors import LessonError, unknown
from lessoncore.estimate import Estimate
from lessoncore.formula import Quantity
from lessoncore.parameters import PARAMETERS
from lessoncore.record import Record
from lessoncore.units import Shown, show


def _no_note(estimate: Estimate) -> str:
    return ""


def _nothing(estimate: Estimate) -> None:
    """No long calculation."""


def _always(estimate: Estimate) -> bool:
    return True


# A long calculation: a name for everything that it depends on, and what begins it.
type Long = tuple[Hashable, Callable[[], Iterator[Any]]]


class Figure(Record):
    """One figure. ``of`` gives nothing where it isn't known, such as a price that no source names.

    ``note`` is the line below it in a tile: what it means for this scenario. ``needs`` is a long calculation that must
    be over before the figure is to be had at once, ``note_needs`` one for the note. ``runs`` is whether there is
    anything to be timed: what doesn't fit into memory has no speed and no price.
    """

    key: str
    label: str
    of: Callable[[Estimate], Quantity | None]
    note: Callable[[Estimate], str] = _no_note
    digits: int = 3
    needs: Callable[[Estimate], Long | None] = _nothing
    note_needs: Callable[[Estimate], Long | None] = _nothing
    runs: Callable[[Estimate], bool] = _always

    def shown(self, estimate: Estimate, digits: int | None = None, scale: str | None = None) -> Shown:
        """The figure as a reader sees it, number and unit apart."""
        quantity = self.of(estimate)
        if quantity is None:
            return Shown("not known", "")
        return show(quantity.value, quantity.meaning.unit, digits or self.digits, scale)

    def known(self, estimate: Estimate) -> Quantity:
        """The figure's quantity; LessonError where there is none."""
        quantity = self.of(estimate)
        if quantity is None:
            raise LessonError(f"{self.label} isn't known for {estimate.scenario.hardware.label}.")
        return quantity


def _memory_note(e: Estimate) -> str:
    limit = show(e.memory_bytes.value * e.scenario.gpus, "B")
    room = e.kv_budget.value - (e.memory_used.value - e.weight_bytes.value)
    if room >= 0:
        return f"of {limit}, fits"
    return f"of {limit}: {show(-room, 'B')} too much"


def _cost_note(e: Estimate) -> str:
    if e.price is None:
        return ""
    price = show(e.price.value, "USD/h")
    return f"at {price} for a GPU" if e.price.function is None else f"at {price}, the catalogue’s"


def _given(key: str) -> Figure:
    label = PARAMETERS[key].label
    return Figure(key, label, lambda e: Quantity(getattr(e.scenario, key), key, "the request"))


# What the reader gives. The price stands below: given as 0 it is the catalogue's.
_GIVEN = [_given(key) for key in ("gpus", "prompt", "cached", "output", "batch", "replicas", "rate")]
_TIMES = [
    Figure("ttft", "Time to first token", lambda e: e.ttft_s, lambda e: e.prefill.bound_words),
    Figure("tpot", "Time per token", lambda e: e.tpot_s, lambda e: e.decode.bound_words),
    Figure("total", "Whole answer", lambda e: e.total_s, lambda e: f"{show(e.decode_share.value, 'share')} decode"),
    Figure("decode", "All decode passes", lambda e: e.decode_s),
    Figure("decode_share", "Share of decode", lambda e: e.decode_share),
    Figure("prefill_compute_time", "Time for prefill's arithmetic", lambda e: e.prefill.compute_s),
    Figure("prefill_memory_time", "Time for prefill's bytes", lambda e: e.prefill.memory_s),
    Figure("prefill_products_time", "Matrix products", lambda e: e.prefill_products_s),
    Figure("prefill_attention_time", "Attention", lambda e: e.prefill_attention_s),
    Figure("decode_compute_time", "Time for a decode pass's arithmetic", lambda e: e.decode.compute_s),
    Figure("decode_memory_time", "Time for a decode pass's bytes", lambda e: e.decode.memory_s),
    Figure("decode_communication_time", "Communication in a decode pass", lambda e: e.decode.communication_s),
]
_WORK = [
    Figure("peak", "Peak arithmetic rate", lambda e: e.peak_flops, digits=4),
    Figure("ridge", "Ridge point", lambda e: e.ridge),
    Figure("reached_ridge", "Ridge point, as reached", lambda e: e.reached_ridge),
    Figure("crossover", "Memory-bound up to", lambda e: e.crossover),
    Figure("batch_crossover", "Requests, memory-bound up to", lambda e: e.batch_crossover),
    Figure("crossover_by_datasheet", "Memory-bound up to, by the datasheet", lambda e: e.crossover_by_datasheet),
    Figure("decode_limit", "Time to read the weights", lambda e: e.decode_limit_s),
    Figure("decode_limit_reached", "Time to read the weights, as reached", lambda e: e.reached_decode_limit_s),
    Figure("context", "Context at mid-answer", lambda e: e.context),
    Figure("prefill_flops", "Work of the prefill pass", lambda e: e.prefill.flops),
    Figure("prefill_bytes", "Bytes of the prefill pass", lambda e: e.prefill.bytes_moved, digits=4),
    Figure("prefill_intensity", "Intensity of prefill", lambda e: e.prefill.intensity),
    Figure("prefill_compute_busy", "Arithmetic in use, prefill", lambda e: e.prefill.compute_busy),
    Figure("prefill_memory_busy", "Bandwidth in use, prefill", lambda e: e.prefill.memory_busy),
    Figure("prefill_rate", "Arithmetic reached, prefill", lambda e: e.prefill_rate),
    Figure("attention_share", "Attention's share of prefill", lambda e: e.attention_share),
    Figure("decode_flops", "Work of a decode pass", lambda e: e.decode.flops),
    Figure("decode_bytes", "Bytes of a decode pass", lambda e: e.decode.bytes_moved, digits=4),
    Figure("decode_kv_bytes", "KV cache read in a decode pass", lambda e: e.decode.work.bytes.kv_read),
    Figure("decode_intensity", "Intensity of decode", lambda e: e.decode.intensity),
    Figure("decode_rate", "Arithmetic reached, decode", lambda e: e.decode_rate),
    Figure("decode_compute_busy", "Arithmetic in use, decode", lambda e: e.decode.compute_busy),
    Figure("decode_memory_busy", "Bandwidth in use, decode", lambda e: e.decode.memory_busy),
]
_MEMORY = [
    Figure("memory_used", "Memory used", lambda e: e.memory_used, _memory_note),
    Figure("memory", "Memory of a GPU", lambda e: e.memory_bytes),
    Figure("weight_bytes", "Weights in memory", lambda e: e.weight_bytes, digits=4),
    Figure("input_table_bytes", "Input table in memory", lambda e: e.input_table_bytes),
    Figure("weights_per_gpu", "Weights on each GPU", lambda e: e.memory_fit.weights),
    Figure("kv_bytes", "KV cache at the end", lambda e: e.kv_bytes),
    Figure("kv_per_token", "KV cache per token", lambda e: e.kv_bytes_per_token),
    Figure("kv_budget", "Room for KV cache", lambda e: e.kv_budget),
    Figure("kv_tokens", "Tokens that fit", lambda e: e.kv_tokens),
    Figure("largest_batch", "Requests that fit", lambda e: e.largest_batch, lambda e: "of this length"),
    Figure("longest_context", "Longest context that fits", lambda e: e.longest_context),
]
_RATES = [
    Figure("tokens_per_s", "Tokens a second", lambda e: e.tokens_per_s, lambda e: "all requests together"),
    Figure("user_tokens_per_s", "Tokens a second, one user", lambda e: e.user_tokens_per_s),
    Figure("gpu_tokens_per_s", "Tokens a second, one GPU", lambda e: e.gpu_tokens_per_s),
    Figure("throughput", "Tokens a second, prefill included", lambda e: e.throughput),
    Figure("price", "Price of a GPU hour", lambda e: e.price),
    Figure("input_cost", "A million prompt tokens", lambda e: e.input_cost, _cost_note),
    Figure("output_cost", "A million answer tokens", lambda e: e.output_cost, _cost_note),
    Figure("request_cost", "One request", lambda e: e.request_cost, _cost_note),
    Figure("bandwidth", "Memory bandwidth", lambda e: e.bandwidth),
]


def _of_queue(key: str, label: str, name: str, note: Callable[[Estimate], str] = _no_note) -> Figure:
    """A figure of the simulated queue: ``name`` is its attribute there."""
    return Figure(key, label, lambda e: None if e.served is None else getattr(e.served, name), note)


def _offline(e: Estimate) -> Long | None:
    """The simulation of offline work, unless it is known."""
    from lessoncore.serving.served import finding_offline, known_offline, one_copy

    if e.served is None or known_offline(e.scenario, e.assumptions):
        return None
    key = "offline", one_copy(e.scenario), e.assumptions
    return key, lambda: finding_offline(e.scenario, e.assumptions)


def _promise_note(figure: str, promise: str) -> Callable[[Estimate], str]:
    def note(e: Estimate) -> str:
        if e.served is None:
            return ""
        found, promised = FIGURES[figure].known(e).value, FIGURES[promise].known(e).value
        if found <= promised:
            return f"SLO {show(promised, 's', 2)}: kept"
        return f"SLO {show(promised, 's', 2)}: too much"

    return note


def _slo(name: str) -> Callable[[Estimate], Quantity]:
    def promised(e: Estimate) -> Quantity:
        from lessoncore.serving import served

        quantity: Quantity = getattr(served, name)
        return quantity

    return promised


def _mean_note(e: Estimate) -> str:
    return "" if e.served is None else f"mean {show(e.served.ttft_mean_s.value, 's')}"


def _offline_note(e: Estimate) -> str:
    if e.served is None:
        return ""
    # The same work as a queue that never empties, in another simulation: they differ by a few in a hundred.
    rate = float(f"{e.served.offline_gpu_tokens_per_s.value:.2g}")
    return f"offline about {show(rate, 'tokens/s', 2)}"


_QUEUE = [
    _of_queue("ttft_mean", "TTFT, mean", "ttft_mean_s"),
    _of_queue("ttft_p50", "TTFT, p50", "ttft_p50_s", _mean_note),
    _of_queue("ttft_p99", "TTFT, p99", "ttft_p99_s", _promise_note("ttft_p99", "slo_ttft")),
    _of_queue("ttft_p99_low", "TTFT, p99, at least", "ttft_p99_low_s"),
    _of_queue("ttft_p99_high", "TTFT, p99, at most", "ttft_p99_high_s"),
    _of_queue("tpot_p99", "TPOT, p99", "tpot_p99_s", _promise_note("tpot_p99", "slo_tpot")),
    _of_queue("slo_share", "Both promises kept", "slo_share"),
    _of_queue("waiting_share", "Waiting, share of TTFT", "waiting_share"),
    replace(
        _of_queue("served_gpu_tokens_per_s", "Tokens/s, each GPU", "served_gpu_tokens_per_s", _offline_note),
        note_needs=_offline,
    ),
    replace(
        _of_queue("offline_gpu_tokens_per_s", "Tokens/s, each GPU, offline", "offline_gpu_tokens_per_s"),
        needs=_offline,
    ),
    _of_queue("counted", "Requests counted", "counted"),
    Figure("slo_ttft", "Promised TTFT", _slo("SLO_TTFT"), digits=2),
    Figure("slo_tpot", "Promised TPOT", _slo("SLO_TPOT"), digits=2),
]
# The same model, trained on 15 trillion tokens.
_TRAINING = [
    Figure("training_memory", "Training state in memory", lambda e: e.training.state_bytes, digits=4),
    Figure("training_token_flops", "Work of a token in training", lambda e: e.training.flops_per_token),
    Figure("training_flops", "Work of the training run", lambda e: e.training.flops, digits=2),
    Figure("training_mfu", "Share of the peak in training", lambda e: e.training.mfu),
    Figure("training_hours", "GPU-hours of the training run", lambda e: e.training.gpu_hours),
    Figure("training_cost", "Price of the training run", lambda e: e.training.cost),
]


def _fits(e: Estimate) -> bool:
    return e.fits


def _one_fits(e: Estimate) -> bool:
    """Whether a request of this length fits by itself, which is enough to read its prompt."""
    return e.largest_batch.value >= 1


_RUNS = {
    **dict.fromkeys(("ttft", "input_cost"), _one_fits),
    **dict.fromkeys(("tpot", "total", "decode", "decode_share", "throughput", "output_cost", "request_cost"), _fits),
    **dict.fromkeys(("tokens_per_s", "user_tokens_per_s", "gpu_tokens_per_s"), _fits),
}
FIGURES: dict[str, Figure] = {
    f.key: replace(f, runs=_RUNS[f.key]) if f.key in _RUNS else f
    for f in (*_GIVEN, *_TIMES, *_WORK, *_MEMORY, *_RATES, *_QUEUE, *_TRAINING)
}


def figure(key: object) -> Figure:
    """Find a figure by its key; LessonError names the known ones."""
    if not isinstance(key, str) or key not in FIGURES:
        raise unknown("figure", key, list(FIGURES))
    return FIGURES[key]
