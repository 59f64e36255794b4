"""What it would take: the cheapest GPU, number of GPUs and precision of the catalogue that meet what a reader wants."""

from collections.abc import Iterator
from math import ceil, inf
from typing import NamedTuple

from lessoncore import catalogue
from lessoncore.assumptions import Assumptions
from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate, estimate
from lessoncore.parameters import PARAMETERS, Count
from lessoncore.precision import precision
from lessoncore.scenario import Scenario

# Weights and arithmetic that servers offer, the widest first: of two at the same price the wider one is better.
FORMATS = (("bf16", "bf16"), ("fp8", "fp8"), ("int8", "int8"), ("int4-g128", "bf16"), ("nvfp4", "fp4"))
# GPUs of one board; the scenario refuses what the link of a GPU doesn't join.
COUNTS = (1, 2, 4, 8)


class Targets(NamedTuple):
    """What is wanted, None for whatever: times in seconds at most, US dollars for a million answer tokens at most.

    ``users`` are the requests that are answered at once, at least; ``bits`` what a weight has at least.
    """

    ttft_s: float | None = None
    tpot_s: float | None = None
    cost: float | None = None
    users: int | None = None
    bits: int = 0


class Price(NamedTuple):
    """What an hour of a GPU costs (USD): ``high`` is 0 where only the lower end is known, ``own`` is the reader's."""

    low: float
    high: float = 0.0
    own: bool = False


class Miss(NamedTuple):
    """A target that isn't met: ``what`` it is about, what came out and what was wanted; a sentence where no number."""

    what: str
    value: float = inf
    wanted: float = 1.0
    words: str = ""

    @property
    def ratio(self) -> float:
        """How far off it is: 1 would do."""
        return self.value / self.wanted if self.wanted else inf


class Found(NamedTuple):
    """One choice of GPUs and precision. Without misses it meets the targets; ``hourly`` is None without a price.

    ``hourly`` and ``cost`` are at the low end of what the GPU costs, which is known for every GPU that has a price.
    """

    scenario: Scenario
    hourly: float | None
    ttft_s: float = inf
    tpot_s: float = inf
    cost: float | None = None
    misses: tuple[Miss, ...] = ()

    @property
    def distance(self) -> tuple[bool, float]:
        """How far it is from the targets, for sorting; what fits is closer than what doesn't."""
        unfit = any(miss.what in ("memory", "possible") for miss in self.misses)  # too many copies would fit
        return unfit, max((miss.ratio for miss in self.misses), default=0.0)


class Row(NamedTuple):
    """A GPU of the catalogue: its price, the cheapest choice that meets the targets, or nothing, and what fell short.

    ``short`` is the dearest of the cheaper choices that failed, or with nothing found the closest one.
    """

    gpu: str
    best: Found | None
    short: Found | None
    lacks: tuple[str, ...]
    price: Price | None = None


class State(NamedTuple):
    """How far the search is."""

    done: int
    total: int
    rows: tuple[Row, ...]


def neutral(scenario: Scenario, targets: Targets) -> Scenario:
    """The scenario without what the search decides, so that taking its answer doesn't start another search."""
    of_users = {"batch": 1, "replicas": 1} if targets.users else {}
    return scenario.but(gpu="h100-sxm", gpus=1, weights="bf16", maths="bf16", price=0.0, **of_users)


def price_of(gpu: str, own: float = 0.0) -> Price | None:
    """What a GPU hour costs: the reader's ``own`` price, else the catalogue's; None where no source is known.

    >>> price_of("h100-sxm"), price_of("l40s"), price_of("l40s", 0.9)
    (Price(low=1.99, high=5.0, own=False), None, Price(low=0.9, high=0.9, own=True))
    """
    if own:
        return Price(own, own, own=True)
    row = catalogue.gpu(gpu)
    return Price(row.price_low, row.price_high) if row.price_low else None


def search(
    base: Scenario, targets: Targets, taken: Assumptions | None = None, prices: dict[str, float] | None = None
) -> Iterator[State]:
    """Try the whole catalogue; yields after each choice.

    ``base`` is neutral(…); ``prices`` are the reader's own for a GPU and hour, by GPU. All others are taken at the low
    end of the catalogue's range: middles can't be compared with GPUs of which only that end is known.

    >>> *_, last = search(neutral(Scenario(), Targets()), Targets(tpot_s=0.010))
    >>> ranked(last)[0].best.scenario.gpu, len(failed(last))
    ('a100-80gb-sxm', 0)
    """
    gpus = catalogue.keys("gpus")
    rows: list[Row] = []
    for gpu in gpus:
        for row in _row(gpu, base, targets, taken, price_of(gpu, (prices or {}).get(gpu, 0.0))):
            if row:
                rows.append(row)
            yield State(len(rows), len(gpus), tuple(rows))


def ranked(state: State) -> list[Row]:
    """The GPUs that meet the targets, the cheapest first, those without a price last."""
    met = [row for row in state.rows if row.best]
    return sorted(met, key=lambda r: (_price(r.best), r.best.tpot_s if r.best else 0))


def failed(state: State) -> list[Row]:
    """The GPUs that don't meet them, the closest first."""
    return sorted(
        (row for row in state.rows if not row.best), key=lambda r: r.short.distance if r.short else (True, inf)
    )


def _price(found: Found | None) -> float:
    return inf if found is None or found.hourly is None else found.hourly


def _row(
    gpu: str, base: Scenario, targets: Targets, taken: Assumptions | None, price: Price | None
) -> Iterator[Row | None]:
    best: Found | None = None
    failures: list[Found] = []
    lacks: dict[str, None] = {}
    has = catalogue.gpu(gpu).peak_flops
    for gpus in COUNTS:
        for weights, maths in FORMATS:
            if precision(weights).bits < targets.bits:
                continue
            if maths not in has:
                lacks[maths] = None
                continue
            try:
                scenario = base.but(gpu=gpu, gpus=gpus, weights=weights, maths=maths, price=price.low if price else 0.0)
            except LessonError as error:  # heads that can't be shared, no link
                failures.append(Found(base, None, misses=(Miss("possible", words=str(error)),)))
                continue
            if best and gpus * (_price(best) / _all_gpus(best)) >= _price(best):
                continue  # even a single copy wouldn't be cheaper
            found = _tried(scenario, targets, taken)
            if found.misses:
                failures.append(found)
            elif best is None or _price(found) < _price(best):
                best = found
            yield None
    yield Row(gpu, best, _short(best, failures), tuple(lacks), price)


def _all_gpus(found: Found) -> int:
    return found.scenario.gpus * found.scenario.replicas


def _short(best: Found | None, failures: list[Found]) -> Found | None:
    if best is None:
        return min(failures, key=lambda f: f.distance, default=None)
    cheaper = [f for f in failures if f.hourly is not None and f.hourly < _price(best)]
    return max(cheaper, key=lambda f: (f.hourly or 0.0, -f.distance[1]), default=None)


def _tried(scenario: Scenario, targets: Targets, taken: Assumptions | None) -> Found:
    if not targets.users:
        return _judged(estimate(scenario, taken), targets)
    room = estimate(scenario.but(batch=1), taken)
    most = min(int(room.largest_batch.value), targets.users, _most("batch"))
    if most < 1:
        return _judged(room, targets)
    if targets.tpot_s is not None:
        most = _batch_within(scenario, most, targets.tpot_s, taken)
    copies = ceil(targets.users / max(1, most))
    if copies > _most("replicas"):
        miss = Miss("copies", copies, _most("replicas"))
        return Found(scenario.but(batch=max(1, most)), None, misses=(miss,))
    batch = ceil(targets.users / copies)
    return _judged(estimate(scenario.but(batch=batch, replicas=copies), taken), targets)


def _most(key: str) -> int:
    p = PARAMETERS[key]
    assert isinstance(p, Count)
    return int(p.high)


def _batch_within(scenario: Scenario, most: int, tpot_s: float, taken: Assumptions | None) -> int:
    """The largest batch whose tokens come in time; 0 where none does."""

    def in_time(batch: int) -> bool:
        return estimate(scenario.but(batch=batch), taken).tpot_s.value <= tpot_s

    if in_time(most):
        return most
    if not in_time(1):
        return 0
    low, high = 1, most
    while high - low > max(1, low // 64):  # near enough: a batch more or less hardly changes the price
        middle = (low + high) // 2
        low, high = (middle, high) if in_time(middle) else (low, middle)
    return low


def _judged(e: Estimate, targets: Targets) -> Found:
    hourly = e.fleet_price.value if e.fleet_price else None
    fit = e.memory_fit
    if not e.fits:
        miss = Miss("memory", fit.usable.value - fit.room.value, fit.usable.value)
        return Found(e.scenario, hourly, misses=(miss,))
    ttft_s = e.ttft_s.value if targets.ttft_s is not None else inf
    cost = e.output_cost.value if e.output_cost else None
    misses = []
    if targets.ttft_s is not None and ttft_s > targets.ttft_s:
        misses.append(Miss("ttft", ttft_s, targets.ttft_s))
    if targets.tpot_s is not None and e.tpot_s.value > targets.tpot_s:
        misses.append(Miss("tpot", e.tpot_s.value, targets.tpot_s))
    if targets.cost is not None and cost is None:
        misses.append(Miss("price", words="no source gives its price."))
    elif targets.cost is not None and cost is not None and cost > targets.cost:
        misses.append(Miss("cost", cost, targets.cost))
    return Found(e.scenario, hourly, ttft_s, e.tpot_s.value, cost, tuple(misses))
