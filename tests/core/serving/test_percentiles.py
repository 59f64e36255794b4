"""Percentiles and their intervals."""

from itertools import accumulate
from math import comb
from random import Random

import pytest

from lessoncore.serving.percentiles import latency, ranks_of_interval


def exact_ranks(n: int, share: float) -> tuple[int, int]:
    """The same from the binomial distribution written out."""
    below = list(accumulate(comb(n, j) * share**j * (1 - share) ** (n - j) for j in range(n + 1)))
    low = max((r for r in range(1, n + 1) if below[r - 1] <= 0.025), default=0)
    high = min((s for s in range(1, n + 1) if 1 - below[s - 1] <= 0.025), default=n + 1)
    return low, high


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("n", [1, 2, 5, 10, 59, 100, 368, 400, 800])
def test_ranks_are_those_of_the_binomial_distribution(n: int, share: float) -> None:
    assert ranks_of_interval(n, share) == exact_ranks(n, share)


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    random = Random(1)
    covered = 0
    for _ in range(400):
        p90 = latency([(random.random(), 0.0) for _ in range(200)]).p90
        assert p90.low_s is not None
        assert p90.high_s is not None
        covered += p90.low_s <= 0.9 <= p90.high_s
    assert 0.93 <= covered / 400 <= 0.99


def test_a_p99_of_few_requests_has_no_upper_bound() -> None:
    values = [(float(k), 0.0) for k in range(1, 101)]
    assert latency(values).p99.value_s == 99
    assert latency(values).p99.high_s is None
    assert latency(values).p99.low_s == 97
    assert latency(values[:1]).p50.low_s is None


def test_a_percentile_is_the_time_of_a_request_with_its_own_parts() -> None:
    times = latency([(3.0, 2.5), (1.0, 0.0), (2.0, 0.5), (4.0, 1.0)])
    assert (times.p50.value_s, times.p50.waiting_s, times.p50.computing_s) == (2.0, 0.5, 1.5)
    assert (times.p99.value_s, times.p99.waiting_s) == (4.0, 1.0)
    assert (times.mean_s, times.mean_waiting_s, times.requests) == (2.5, 1.0, 4)
