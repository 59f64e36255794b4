"""The simulation's own cost: steps for requests, not for tokens, and in proportion to them."""

import time

import pytest

from lessoncore.scenario import Scenario
from lessoncore.serving import AtOnce, Fixed, Load, LogNormal, Poisson, Server, simulate


@pytest.mark.parametrize("chunked", [False, True], ids=["prefill first", "chunked"])
@pytest.mark.parametrize("rate", [0.5, 6.0, 12.0, 50.0])
def test_a_request_takes_a_handful_of_events_whatever_its_length(rate: float, chunked: bool) -> None:
    server = Server(Scenario(), chunked=chunked)
    result = simulate(server, Load(Poisson(rate), Fixed(2000, 500), requests=1000))
    assert result.events <= 5 * 1000
    longer = simulate(server, Load(Poisson(rate / 8), Fixed(2000, 4000), requests=1000))
    assert longer.events <= 5 * 1000
    assert longer.passes > 3 * result.passes


def test_events_grow_with_requests_and_no_faster() -> None:
    for server in (Server(Scenario()), Server(Scenario(), chunked=True, kv_bytes=3e9)):
        few, many = (
            simulate(server, Load(Poisson(8), LogNormal(2000, 500), requests=n)).events / n for n in (1000, 8000)
        )
        assert many <= 1.3 * few


def test_thrashing_does_not_explode() -> None:
    server = Server(Scenario(), kv_bytes=2.5e9)
    result = simulate(server, Load(AtOnce(), Fixed(500, 2000), requests=300))
    assert result.preemptions > 300
    assert result.events < 60 * 300


def test_a_thousand_requests_of_500_tokens_take_no_time() -> None:
    load = Load(Poisson(6), Fixed(2000, 500))
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        simulate(Server(Scenario()), load)
        best = min(best, time.perf_counter() - start)
    assert best < 0.150


@pytest.mark.slow
def test_a_hundred_thousand_requests() -> None:
    result = simulate(Server(Scenario()), Load(Poisson(6), Fixed(2000, 500), requests=100_000))
    assert result.events <= 5 * 100_000
    assert result.ttft.requests == 80_000
    assert len(result.timeline.batch) <= 256
