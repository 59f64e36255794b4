"""Searches over many simulations: the highest rate that keeps an SLO, the fewest GPUs that do.

Each is a generator that yields what is known after every simulation, so that a page can show progress, and stop
whenever it likes and keep what it has.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from lessoncore.assumptions import Assumptions
from lessoncore.errors import LessonError
from lessoncore.serving.arrivals import AtOnce, ClosedLoop
from lessoncore.serving.load import Load
from lessoncore.serving.results import Goodput, Result, Slo
from lessoncore.serving.server import Server
from lessoncore.serving.simulation import simulate

# Requests a second so few that each finds the server empty.
_ALONE = 1e-5
MOST_GPUS = 256


@dataclass(frozen=True, slots=True)
class RatePoint:
    """One rate (1/s) that was tried, and what came out."""

    rate: float
    goodput: Goodput
    result: Result


@dataclass(frozen=True, slots=True)
class RateSearch:
    """How far the search for the highest rate is.

    ``highest`` is the highest rate (1/s) found to keep the SLO, None while there is none; ``breaks`` the lowest found
    to break it. ``attainable`` turns False when even a request that has the server to itself breaks the SLO.
    ``tried`` are all rates so far, ascending: points of the curves of latency against load.
    """

    highest: float | None
    breaks: float | None
    tried: tuple[RatePoint, ...]
    attainable: bool
    done: bool


def highest_rate(
    server: Server, load: Load, slo: Slo, assumptions: Assumptions | None = None, precision: float = 0.02
) -> Iterator[RateSearch]:
    """Search for the highest rate at which ``load`` keeps ``slo``, to a share ``precision`` of it.

    All rates are tried with the same requests in the same order (Load.at), so that little but the rate differs. Near
    the limit the answer still depends on the seed and on how many requests there are. ``requests`` of the load should
    be several times what the server holds at a time, or an overload is over before it shows.
    """
    tried: list[RatePoint] = []

    def attempt(rate: float) -> bool:
        result = simulate(server, load.at(rate), assumptions)
        tried.append(RatePoint(rate, result.goodput(slo), result))
        return tried[-1].goodput.keeps

    def state(low: float | None, high: float | None, done: bool, attainable: bool = True) -> RateSearch:
        return RateSearch(low, high, tuple(sorted(tried, key=lambda point: point.rate)), attainable, done)

    if not attempt(_ALONE):
        yield state(None, _ALONE, done=True, attainable=False)
        return
    tried.clear()  # it says nothing about a load
    low, high = None, None
    rate = _first_guess(server, load, assumptions)
    while low is None or high is None or high > low * (1 + precision):
        if attempt(rate):
            low = rate
        else:
            high = rate
        rate = 2 * rate if high is None else rate / 2 if low is None else (low + high) / 2
        done = rate > 1e6 or (low is not None and high is not None and high <= low * (1 + precision))
        yield state(low, high, done)
        if done:
            return


def _first_guess(server: Server, load: Load, assumptions: Assumptions | None) -> float:
    """Half of what the server finishes when all requests are there at once (1/s)."""
    burst = replace(load, arrivals=AtOnce(), requests=min(load.requests, 200))
    result = simulate(server, burst, assumptions)
    return len(result.served) / result.duration_s / 2


def sweep(
    server: Server, load: Load, rates: Iterable[float], assumptions: Assumptions | None = None
) -> Iterator[tuple[float, Result]]:
    """Simulate ``load`` at each of ``rates`` (1/s): the curves of latency and throughput against load."""
    for rate in rates:
        yield rate, simulate(server, load.at(rate), assumptions)


@dataclass(frozen=True, slots=True)
class Fleet:
    """A number of GPUs that was tried: ``replicas`` copies on ``gpus`` GPUs each, and whether the SLO was kept."""

    gpus: int
    replicas: int
    goodput: Goodput
    result: Result

    @property
    def total(self) -> int:
        """All GPUs."""
        return self.gpus * self.replicas


@dataclass(frozen=True, slots=True)
class FleetSearch:
    """How far the search for the fewest GPUs is: the smallest fleet found to keep the SLO, and all that were tried.

    ``impossible`` says, by number of GPUs a copy, why no number of copies will do. All GPUs are alike and cost the
    same, so the fewest are the cheapest.
    """

    best: Fleet | None
    tried: tuple[Fleet, ...]
    impossible: dict[int, str]
    done: bool


def fewest_gpus(
    server: Server,
    load: Load,
    slo: Slo,
    assumptions: Assumptions | None = None,
    sizes: tuple[int, ...] = (1, 2, 4, 8),
    most: int = MOST_GPUS,
) -> Iterator[FleetSearch]:
    """Search for the fewest GPUs that keep ``slo`` under ``load``: users (or a rate) in, GPUs out.

    Each of ``sizes`` is tried as the number of GPUs that share a copy; for each the number of copies is doubled until
    the SLO is kept, then halved in on. Sizes that could only need more than the best fleet so far are cut short.
    """
    best: Fleet | None = None
    tried: list[Fleet] = []
    impossible: dict[int, str] = {}
    for gpus in sizes:
        reason = _impossible(server, load, slo, assumptions, gpus)
        if reason:
            impossible[gpus] = reason
            yield FleetSearch(best, tuple(tried), dict(impossible), done=False)
            continue
        low, copies = 0, 1
        high = ((best.total - 1) if best else most) // gpus + 1  # so many would be no gain
        while high - low > 1:
            copies = min(copies, high - 1)
            fleet = _try(server.but(gpus=gpus, replicas=copies), load, slo, assumptions)
            tried.append(fleet)
            if fleet.goodput.keeps:
                high, best = copies, fleet
                copies = (low + high) // 2
            else:
                low = copies
                copies = 2 * copies if high - low > copies else (low + high) // 2
            yield FleetSearch(best, tuple(tried), dict(impossible), done=False)
    yield FleetSearch(best, tuple(tried), dict(impossible), done=True)


def _try(server: Server, load: Load, slo: Slo, assumptions: Assumptions | None) -> Fleet:
    result = simulate(server, load, assumptions)
    return Fleet(server.scenario.gpus, server.scenario.replicas, result.goodput(slo), result)


def _impossible(server: Server, load: Load, slo: Slo, assumptions: Assumptions | None, gpus: int) -> str:
    """Why no number of copies on ``gpus`` GPUs each can keep the SLO, or nothing when some can."""
    try:
        alone = simulate(server.but(gpus=gpus, replicas=1), _one_by_one(load), assumptions)
    except LessonError as error:
        return str(error)
    goodput = alone.goodput(slo)
    if goodput.keeps:
        return ""
    what = "time to first token" if goodput.breaks_first == "ttft" else "time per token"
    return f"Even a request that has {gpus} GPU{'s' * (gpus > 1)} to itself breaks the SLO: its {what} is too long."


def _one_by_one(load: Load) -> Load:
    """The same requests, each alone."""
    if load.rate:
        return load.at(_ALONE)
    return replace(load, arrivals=ClosedLoop(users=1), requests=max(4, load.requests))
