"""What is kept of a simulation when its requests aren't needed any more: the figures that a service is judged by."""

from dataclasses import dataclass

from lessoncore.serving.percentiles import Latency
from lessoncore.serving.results import Goodput, Result, Slo


@dataclass(frozen=True, slots=True)
class Summary:
    """A simulated run in figures. Times in seconds, rates a second (1/s), shares of 1.

    Means of requests and of the cache are those over the whole run, beginning and end included; everything else is of
    the ``counted`` requests and their window (Result).
    """

    ttft: Latency
    tpot: Latency
    end_to_end: Latency
    goodput: Goodput
    requests: int
    counted: int
    refused: int
    preemptions: int
    arrivals_per_s: float
    finished_per_s: float
    tokens_per_s: float
    gpu_tokens_per_s: float
    gpus: int
    mean_batch: float
    mean_waiting: float
    largest_batch: int
    kv_mean: float
    kv_most: float


def summary(result: Result, slo: Slo) -> Summary:
    """Sum up a run."""
    line = result.timeline
    start, end = result.window_s
    finished = sum(start <= request.finished_s <= end for request in result.requests if not request.refused)
    spans = [line.width_s] * (len(line.waiting) - 1)
    spans.append(max(1e-9, line.end_s - sum(spans)))
    batch, waiting, kv = (
        sum(value * span for value, span in zip(values, spans, strict=True)) / sum(spans)
        for values in (line.batch, line.waiting, line.kv_used)
    )
    return Summary(
        ttft=result.ttft,
        tpot=result.tpot,
        end_to_end=result.end_to_end,
        goodput=result.goodput(slo),
        requests=len(result.requests),
        counted=len(result.counted),
        refused=result.refused,
        preemptions=result.preemptions,
        arrivals_per_s=result.arrivals_per_s,
        finished_per_s=finished / result.duration_s,
        tokens_per_s=result.tokens_per_s,
        gpu_tokens_per_s=result.gpu_tokens_per_s,
        gpus=result.gpus,
        mean_batch=max(0.0, batch),
        mean_waiting=max(0.0, waiting),
        largest_batch=result.largest_batch,
        kv_mean=min(1.0, kv),
        kv_most=min(1.0, result.most_kv_bytes / result.kv_room),
    )
