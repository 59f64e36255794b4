"""Searches over many simulations: the highest rate that keeps an SLO, the fewest GPUs that do.

Each is a generator that yields what is known every few milliseconds and after every simulation, so that a page can
show progress, and stop whenever it likes and keep what it has.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from copy import replace
from dataclasses import dataclass
from functools import partial
from math import ceil, log2

from lessoncore.assumptions import Assumptions
from lessoncore.errors import LessonError
from lessoncore.serving.arrivals import AtOnce, ClosedLoop
from lessoncore.serving.load import Load
from lessoncore.serving.results import Goodput, Result, Slo
from lessoncore.serving.server import Server
from lessoncore.serving.simulation import simulate, simulating

# Requests a second so few that each finds the server empty.
_ALONE = 1e-5
MOST_GPUS = 256


def _through[State](run: Iterator[float | Result], so_far: Callable[[float], State]) -> Generator[State, None, Result]:
    """Go through a simulation, and yield the state of the search around it, with the share that is done."""
    for step in run:
        if isinstance(step, Result):
            return step
        yield so_far(step)
    raise AssertionError("a simulation ends with its result")


@dataclass(frozen=True, slots=True)
class RatePoint:
    """One rate (1/s) that was tried, and how it kept the SLO."""

    rate: float
    goodput: Goodput


@dataclass(frozen=True, slots=True)
class RateSearch:
    """How far the search for the highest rate is.

    ``highest`` is the highest rate (1/s) found to keep the SLO, None while there is none; ``breaks`` the lowest found
    to break it. ``attainable`` turns False when even a request that has the server to itself breaks the SLO.
    ``tried`` are all rates so far, ascending: points of the curves of latency against load. ``share`` is how much of
    the present simulation is done, None between two; ``progress`` how much of the search, as far as can be told.
    """

    highest: float | None
    breaks: float | None
    tried: tuple[RatePoint, ...]
    attainable: bool
    done: bool
    share: float | None = None
    progress: float = 0.0


def highest_rate(
    server: Server, load: Load, slo: Slo, assumptions: Assumptions | None = None, precision: float = 0.02
) -> Iterator[RateSearch]:
    """Search for the highest rate at which ``load`` keeps ``slo``, to a share ``precision`` of it.

    All rates are tried with the same requests in the same order (Load.at), so that little but the rate differs. Near
    the limit the answer still depends on the seed and on how many requests there are. ``requests`` of the load should
    be several times what the server holds at a time, or an overload is over before it shows.
    """
    tried: list[RatePoint] = []
    low: float | None = None
    high: float | None = None

    def state(share: float | None = None, done: bool = False, attainable: bool = True) -> RateSearch:
        ahead = _ahead(low, high, precision)
        behind = len(tried) + _BEFORE_RATES * (rate is not None) + (share or 0)
        points = tuple(sorted(tried, key=lambda point: point.rate))
        progress = 1.0 if done else behind / (behind + ahead)
        return RateSearch(low, high, points, attainable, done, share, progress)

    rate: float | None = None
    alone = yield from _through(simulating(server, load.at(_ALONE), assumptions), state)
    if not alone.goodput(slo).keeps:
        high = _ALONE
        yield state(done=True, attainable=False)
        return
    burst = yield from _through(simulating(server, _burst(load), assumptions), state)
    rate = len(burst.served) / burst.duration_s / 2  # half of what is finished when all are there at once
    while True:
        result = yield from _through(simulating(server, load.at(rate), assumptions), state)
        tried.append(RatePoint(rate, result.goodput(slo)))
        if tried[-1].goodput.keeps:
            low = rate
        else:
            high = rate
        rate = 2 * rate if high is None else rate / 2 if low is None else (low + high) / 2
        done = not 1e-6 < rate < 1e6 or (low is not None and high is not None and high <= low * (1 + precision))
        yield state(done=done)
        if done:
            return


# Simulations before the first rate is tried: a request alone, and all at once.
_BEFORE_RATES = 2


def _burst(load: Load) -> Load:
    return replace(load, arrivals=AtOnce(), requests=min(load.requests, 200))


def _ahead(low: float | None, high: float | None, precision: float) -> float:
    """About how many rates are still to be tried: once both bounds are known, each halves the way between them."""
    if low is None or high is None:
        return 2 + _ahead(1.0, 2.0, precision)
    return ceil(max(0.0, log2((high - low) / (low * precision)))) or 1


def sweep(
    server: Server, load: Load, rates: Iterable[float], assumptions: Assumptions | None = None
) -> Iterator[tuple[float, Result]]:
    """Simulate ``load`` at each of ``rates`` (1/s): the curves of latency and throughput against load."""
    for rate in rates:
        yield rate, simulate(server, load.at(rate), assumptions)


@dataclass(frozen=True, slots=True)
class Fleet:
    """A number of GPUs that was tried: ``replicas`` copies on ``gpus`` GPUs each, and how it kept the SLO."""

    gpus: int
    replicas: int
    goodput: Goodput

    @property
    def total(self) -> int:
        """All GPUs."""
        return self.gpus * self.replicas


@dataclass(frozen=True, slots=True)
class FleetSearch:
    """How far the search for the fewest GPUs is: the smallest fleet found to keep the SLO, and all that were tried.

    ``impossible`` says, by number of GPUs a copy, why no number of copies will do. All GPUs are alike and cost the
    same, so the fewest are the cheapest. ``trying`` are GPUs a copy and copies of the present simulation, of which
    ``share`` is done; None between two. ``progress`` is how much of the search is done, as far as can be told.
    """

    best: Fleet | None
    tried: tuple[Fleet, ...]
    impossible: dict[int, str]
    done: bool
    trying: tuple[int, int] | None = None
    share: float | None = None
    progress: float = 0.0


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

    def state(share: float | None = None, trying: tuple[int, int] | None = None, done: bool = False) -> FleetSearch:
        progress = 1.0 if done else (sizes.index(gpus) + within) / len(sizes)
        return FleetSearch(best, tuple(tried), dict(impossible), done, trying, share, progress)

    for gpus in sizes:
        within = 0.0  # how much of this size is done, as far as can be told
        reason = yield from _impossible(server, load, slo, assumptions, gpus, state)
        if reason:
            impossible[gpus] = reason
            yield state()
            continue
        low, copies = 0, 1
        high = ((best.total - 1) if best else most) // gpus + 1  # so many would be no gain
        while high - low > 1:
            copies = min(copies, high - 1)
            within += (1 - within) / 5
            run = simulating(server.but(gpus=gpus, replicas=copies), load, assumptions)
            result = yield from _through(run, partial(state, trying=(gpus, copies)))
            fleet = Fleet(gpus, copies, result.goodput(slo))
            tried.append(fleet)
            if fleet.goodput.keeps:
                high, best = copies, fleet
                copies = (low + high) // 2
            else:
                low = copies
                copies = 2 * copies if high - low > copies else (low + high) // 2
            yield state()
    yield state(done=True)


def _impossible(
    server: Server,
    load: Load,
    slo: Slo,
    assumptions: Assumptions | None,
    gpus: int,
    state: Callable[..., FleetSearch],
) -> Generator[FleetSearch, None, str]:
    """Why no number of copies on ``gpus`` GPUs each can keep the SLO, or nothing when some can."""
    try:
        run = simulating(server.but(gpus=gpus, replicas=1), _one_by_one(load), assumptions)
        alone = yield from _through(run, partial(state, trying=(gpus, 1)))
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
