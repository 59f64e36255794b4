"""Percentiles of a sample, and how sure they are."""

from dataclasses import dataclass
from math import ceil

from lessoncore.serving.requests import Request

SHARES = (0.50, 0.90, 0.99)


def ranks_of_interval(count: int, share: float, confidence: float = 0.95) -> tuple[int, int]:
    """Ranks (from 1) between which the true percentile lies with at least ``confidence``; 0 or ``count`` + 1: unknown.

    How many of ``count`` independent values are below the true percentile is binomial, so the r-th smallest is too
    large for it with probability P(B ≤ r − 1). Values of a queue depend on each other (whoever follows a long wait
    waits long), so the true interval is wider than this. Source: David and Nagaraja, Order Statistics (2003), 7.1.

    >>> ranks_of_interval(1000, 0.99), ranks_of_interval(100, 0.99)
    ((983, 997), (97, 101))
    """
    middle = int((count + 1) * share)
    weights = {middle: 1.0}
    for step, stop in ((1, count), (-1, 0)):
        k, weight = middle, 1.0
        while k != stop and weight > 1e-17:
            up = (count - k) * share / ((k + 1) * (1 - share)) if step > 0 else k * (1 - share)
            weight *= up if step > 0 else up / ((count - k + 1) * share)
            k += step
            weights[k] = weight
    tail = (1 - confidence) / 2 * sum(weights[k] for k in sorted(weights))
    low, below = min(weights), 0.0
    while below + weights[low] <= tail:
        below += weights[low]
        low += 1
    high, above = max(weights), 0.0
    while above + weights[high] <= tail:
        above += weights[high]
        high -= 1
    return low, high + 1


@dataclass(frozen=True, slots=True)
class Percentile:
    """A time that a ``share`` of the requests stays within (s), and its parts in the request that sets it.

    ``waiting_s`` is the time in which no pass worked on that request, ``computing_s`` the rest. ``low_s`` and
    ``high_s`` bound the true percentile with 95% confidence; None where there are too few requests to say.
    """

    share: float
    value_s: float
    waiting_s: float
    computing_s: float
    low_s: float | None
    high_s: float | None


@dataclass(frozen=True, slots=True)
class Latency:
    """One kind of time over ``requests`` requests: its mean and its percentiles (s).

    A percentile is the value at its rank (the smallest that the share of all values doesn't exceed): a time that a
    request really took.
    """

    requests: int
    mean_s: float
    mean_waiting_s: float
    p50: Percentile
    p90: Percentile
    p99: Percentile


def latency(samples: list[tuple[float, float]]) -> Latency:
    """Sum up pairs of a time and the part of it that was waiting (s).

    >>> latency([(0.4, 0.3), (0.1, 0.0), (0.2, 0.1)]).p50
    Percentile(share=0.5, value_s=0.2, waiting_s=0.1, computing_s=0.1, low_s=None, high_s=None)
    """
    ordered = sorted(samples)
    n = len(ordered)
    p50, p90, p99 = (_percentile(ordered, share) for share in SHARES)
    return Latency(n, sum(v for v, _ in ordered) / n, sum(w for _, w in ordered) / n, p50, p90, p99)


def _percentile(ordered: list[tuple[float, float]], share: float) -> Percentile:
    n = len(ordered)
    value, waiting = ordered[ceil(n * share - 1e-9) - 1]
    low, high = ranks_of_interval(n, share)
    return Percentile(
        share=share,
        value_s=value,
        waiting_s=waiting,
        computing_s=value - waiting,
        low_s=ordered[low - 1][0] if low >= 1 else None,
        high_s=ordered[high - 1][0] if high <= n else None,
    )


def ttft_parts(request: Request) -> tuple[float, float]:
    """Time to first token of a request, and how much of it was waiting (s)."""
    return request.ttft_s, max(0.0, request.ttft_s - request.prefill_s)


def tpot_parts(request: Request) -> tuple[float, float]:
    """Time per output token of a request, and how much of it was waiting: for others' prompts, or put back (s)."""
    return request.tpot_s, max(0.0, request.tpot_s - request.decode_s / request.output)


def end_to_end_parts(request: Request) -> tuple[float, float]:
    """Time from arrival to the last token of a request, and how much of it was waiting (s)."""
    whole = request.end_to_end_s
    return whole, max(0.0, whole - request.prefill_s - request.decode_s)
