"""Where queueing theory has an answer, the simulation gives it: one server, one request at a time.

With a batch limit of 1 a copy is the single server of M/D/1 and M/G/1. Twice held: against Lindley's recursion on the
very same arrivals (exact, any load), and against the formula of Pollaczek and Khinchine (a mean over all arrivals, so
within the noise of as many as are drawn).
"""

from math import isclose

import pytest

from lessoncore.scenario import Scenario
from lessoncore.serving import AtOnce, ClosedLoop, Fixed, Listed, Load, LogNormal, Poisson, Recorded, Server, simulate
from lessoncore.serving.lengths import Lengths

ONE_AT_A_TIME = Server(Scenario(), batch_limit=1)
FIXED = Fixed(prompt=100, output=10)
LOG_NORMAL = LogNormal(prompt=500, output=200, prompt_variation=1.0, output_variation=1.5)
MILDER = LogNormal(prompt=500, output=200, prompt_variation=1.0, output_variation=0.6)  # a mean settles sooner
LOADS = (0.3, 0.5, 0.7, 0.8, 0.9)


def services(lengths: Lengths, requests: int, seed: int) -> list[float]:
    """How long each request takes alone (s)."""
    pairs = Load(AtOnce(), lengths, requests=requests, seed=seed).pairs()
    alone = Load(ClosedLoop(users=1), Listed(tuple(pairs)), requests=requests, left_out=0)
    return [request.end_to_end_s for request in simulate(ONE_AT_A_TIME, alone).requests]


def waits(load: Load) -> list[float]:
    return [request.started_s - request.arrival_s for request in simulate(ONE_AT_A_TIME, load).requests]


def pollaczek_khinchine(arrivals_per_s: float, taken: list[float]) -> float:
    """Mean wait (s): λ E[S²] / (2 (1 − λ E[S]))."""
    mean = sum(taken) / len(taken)
    square = sum(s * s for s in taken) / len(taken)
    return arrivals_per_s * square / (2 * (1 - arrivals_per_s * mean))


@pytest.mark.slow
@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("lengths", [FIXED, LOG_NORMAL], ids=["M/D/1", "M/G/1"])
def test_every_wait_is_lindleys(lengths: Lengths, load: float) -> None:
    taken = services(lengths, 1500, seed=3)
    drawn = Load(Poisson(load * len(taken) / sum(taken)), lengths, requests=1500, seed=3, left_out=0)
    wait, times = 0.0, drawn.times()
    for k, simulated in enumerate(waits(drawn)):
        if k:
            wait = max(0.0, wait + taken[k - 1] - (times[k] - times[k - 1]))
        assert isclose(simulated, wait, rel_tol=1e-7, abs_tol=1e-9)


def mean_wait(lengths: Lengths, rate: float, requests: int, seeds: range) -> float:
    """The mean wait over several runs (s), their arrivals stretched so that each run's rate is exactly ``rate``."""
    total = 0.0
    for seed in seeds:
        drawn = Load(Poisson(rate), lengths, requests=requests, seed=seed)
        arrivals = Recorded(tuple(drawn.times())).at(rate)
        total += sum(waits(Load(arrivals, Listed(tuple(drawn.pairs())), requests=requests, seed=seed)))
    return total / (len(seeds) * requests)


@pytest.mark.slow
@pytest.mark.parametrize("load", LOADS)
def test_m_d_1(load: float) -> None:
    (service,) = services(FIXED, 3, seed=1)[:1]
    rate = load / service
    expected = pollaczek_khinchine(rate, [service])
    simulated = mean_wait(FIXED, rate, 25_000 if load >= 0.8 else 6_000, range(1, 5))
    print(f"M/D/1 at load {load}: {simulated / expected - 1:+.2%}")
    assert isclose(simulated, expected, rel_tol=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("load", [0.4, 0.7])
def test_m_g_1(load: float) -> None:
    seeds, requests = range(1, 5), 12_000
    taken = [s for seed in seeds for s in services(MILDER, requests, seed)]
    rate = load * len(taken) / sum(taken)
    expected = pollaczek_khinchine(rate, taken)
    simulated = mean_wait(MILDER, rate, requests, seeds)
    print(f"M/G/1 at load {load}: {simulated / expected - 1:+.2%}")
    assert isclose(simulated, expected, rel_tol=0.03)


def test_two_copies_halve_the_load_and_more_than_halve_the_wait() -> None:
    load = Load(Poisson(2.5), Fixed(2000, 50), requests=3000)
    one, two = (simulate(ONE_AT_A_TIME.but(replicas=n), load) for n in (1, 2))
    assert two.ttft.mean_waiting_s < one.ttft.mean_waiting_s / 2
