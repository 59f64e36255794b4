"""The highest rate that keeps an SLO, and the fewest GPUs."""

from collections.abc import Iterator
from itertools import islice, pairwise

import pytest

from lessoncore.errors import LessonError
from lessoncore.scenario import Scenario
from lessoncore.serving import AtOnce, ClosedLoop, Fixed, Load, LogNormal, Poisson, Result, Server, Slo, simulate
from lessoncore.serving.search import FleetSearch, RateSearch, fewest_gpus, highest_rate, sweep
from lessoncore.serving.simulation import simulating

SERVER = Server(Scenario(), chunked=True)
LOAD = Load(Poisson(1), Fixed(2000, 500), requests=500)
SLO = Slo(ttft_s=0.5, tpot_s=0.015)


def after_each_simulation[State: (RateSearch, FleetSearch)](search: Iterator[State]) -> Iterator[State]:
    """The states between two simulations, without those in the middle of one."""
    return (state for state in search if state.share is None)


def test_the_highest_rate_keeps_the_slo_and_a_little_more_breaks_it() -> None:
    states = list(after_each_simulation(highest_rate(SERVER, LOAD, SLO)))
    last = states[-1]
    assert [state.done for state in states] == [False] * (len(states) - 1) + [True]
    assert last.highest
    assert last.breaks
    assert last.highest < last.breaks <= 1.02 * last.highest
    assert simulate(SERVER, LOAD.at(last.highest)).goodput(SLO).keeps
    broken = simulate(SERVER, LOAD.at(last.breaks)).goodput(SLO)
    assert not broken.keeps
    assert broken.breaks_first == "tpot"
    assert len(states) <= 12


def test_a_search_that_is_stopped_has_what_it_found() -> None:
    whole = list(after_each_simulation(highest_rate(SERVER, LOAD, SLO)))
    for steps in (1, 3):
        *_, partial = islice(after_each_simulation(highest_rate(SERVER, LOAD, SLO)), steps)
        same = whole[steps - 1]
        assert (partial.highest, partial.breaks, partial.done) == (same.highest, same.breaks, False)
        assert [(p.rate, p.goodput) for p in partial.tried] == [(p.rate, p.goodput) for p in same.tried]
        assert len(partial.tried) == steps
        assert [p.rate for p in partial.tried] == sorted(p.rate for p in partial.tried)
    bounds = [(s.highest or 0, s.breaks or 1e9) for s in whole]
    assert all(a[0] <= b[0] < b[1] <= a[1] for a, b in pairwise(bounds))


def test_more_time_or_more_copies_allow_a_higher_rate() -> None:
    def highest(server: Server, slo: Slo) -> float:
        *_, last = highest_rate(server, LOAD, slo, precision=0.05)
        return last.highest or 0.0

    base = highest(SERVER, SLO)
    assert highest(SERVER, Slo(ttft_s=0.5, tpot_s=0.03)) > base
    assert highest(SERVER.but(replicas=2), SLO) > 1.5 * base


def test_an_slo_that_not_even_one_request_can_keep() -> None:
    *_, only = highest_rate(SERVER, LOAD, Slo(ttft_s=0.05, tpot_s=1))  # prefill alone takes 56 ms
    assert (only.highest, only.attainable, only.done) == (None, False, True)


def test_only_a_load_with_a_rate_can_be_searched() -> None:
    with pytest.raises(LessonError, match="arrive at a rate"):
        next(highest_rate(SERVER, Load(ClosedLoop(5), Fixed(100, 10), requests=50), SLO))


def test_a_sweep_shows_the_knee() -> None:
    results = dict(sweep(SERVER, LOAD, (1.0, 4.0, 8.0, 16.0)))
    p99 = [result.ttft.p99.value_s for result in results.values()]
    assert p99 == sorted(p99)
    assert p99[-1] > 10 * p99[1]
    offline = simulate(SERVER, Load(AtOnce(), Fixed(2000, 500), requests=500))
    assert all(result.tokens_per_s < 1.1 * offline.tokens_per_s for result in results.values())


def test_users_in_gpus_out() -> None:
    load = Load(Poisson(20), Fixed(2000, 500), requests=600)
    *_, last = fewest_gpus(SERVER, load, SLO)
    assert last.done
    assert last.best
    smaller = SERVER.but(gpus=last.best.gpus, replicas=last.best.replicas - 1)
    assert simulate(SERVER.but(gpus=last.best.gpus, replicas=last.best.replicas), load).goodput(SLO).keeps
    assert not simulate(smaller, load).goodput(SLO).keeps
    assert all(fleet.total >= last.best.total for fleet in last.tried if fleet.goodput.keeps)


def test_a_model_that_needs_several_gpus_for_a_closed_loop_of_users() -> None:
    server = Server(Scenario(model="llama-3.1-70b"), chunked=True)
    load = Load(ClosedLoop(40, think_s=5), LogNormal(2000, 200), requests=200)
    *_, last = fewest_gpus(server, load, Slo(ttft_s=2, tpot_s=0.03, share=0.95))
    assert last.best
    assert last.best.gpus >= 4
    assert "no memory for requests on 1 ×" in last.impossible[1]


def test_an_slo_for_which_no_number_of_gpus_will_do() -> None:
    *_, last = fewest_gpus(SERVER, LOAD, Slo(ttft_s=0.001, tpot_s=1), sizes=(1, 2))
    assert last.best is None
    assert "time to first token is too long" in last.impossible[2]


def test_a_long_simulation_reports_how_far_it_is() -> None:
    reports = list(simulating(SERVER, Load(Poisson(5), Fixed(100, 20), requests=15_000)))
    *shares, result = reports
    assert isinstance(result, Result)
    assert len(shares) >= 2
    assert shares == sorted(shares)
    assert all(isinstance(share, float) and 0 <= share < 1 for share in shares)


def test_searches_say_how_far_they_are_and_never_go_back() -> None:
    load = Load(Poisson(5), LogNormal(2000, 200), requests=300)
    for search in (highest_rate(SERVER, load, SLO), fewest_gpus(SERVER, load, Slo(0.5, 0.03), sizes=(1, 2))):
        progress = [state.progress for state in search]
        assert len(progress) > 10
        assert progress[-1] == 1.0
        assert all(0 <= one <= 1 for one in progress)
        assert sum(b < a - 0.2 for a, b in pairwise(progress)) == 0, "an estimate may be corrected, a little"
