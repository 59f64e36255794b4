"""What was measured, in the units of each: the quantities that predictions are drawn against measurements in."""

from dataclasses import dataclass

from lessoncore.evidence.rows import Row


@dataclass(frozen=True, slots=True)
class Measure:
    """A quantity. A ``rate`` is one over the time that rows are compared in; ``scale`` names the unit of its axes.

    ``more`` and ``less`` say of a prediction that it is above or below what was measured.
    """

    key: str
    label: str
    unit: str
    scale: str
    concept: str
    more: str = "too slow"
    less: str = "too fast"
    rate: bool = False

    def value(self, time: float) -> float:
        """A row's time (or bytes) in this quantity."""
        return 1 / time if self.rate else time


def _rate(key: str, label: str, concept: str) -> Measure:
    return Measure(key, label, "tokens/s", "tokens/s", concept, "too fast", "too slow", rate=True)


MEASURES: dict[str, Measure] = {
    measure.key: measure
    for measure in (
        Measure("ttft", "Time to first token", "s", "", "compute"),
        Measure("tpot", "Time per token", "s", "", "weights"),
        _rate("throughput", "Tokens a second, all requests", "ink"),
        _rate("training", "Training: tokens/s on each GPU", "communication"),
        Measure("memory", "Training: memory on each GPU", "B", "", "kv", "too much", "too little"),
        Measure("queue", "TTFT and TPOT under load", "s", "", "plain"),
    )
}


def measure(row: Row) -> Measure:
    """The quantity that a row is shown in.

    >>> from lessoncore.evidence.rows import rows
    >>> measure(rows()[0]).label
    'Time per token'
    """
    if row.effects[0].startswith("queue"):
        return MEASURES["queue"]
    metric = row.fields["metric"]
    named = {"TTFT": "ttft", "TPOT": "tpot", "decode_throughput": "tpot", "train_peak_memory": "memory"}
    return MEASURES[named.get(metric, "training" if row.is_training else "throughput")]
