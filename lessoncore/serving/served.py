"""A scenario as a service: its server under ``rate`` requests a second, simulated, and what users get of it.

The requests of a scenario have log-normal lengths around its prompt and its answer and arrive independently of each
other; ``batch`` of them at most are worked on at a time on each copy. All simulations here serve the same requests.
"""

from collections.abc import Iterable, Iterator, Mapping
from copy import replace
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from math import log

from lessoncore.assumptions import Assumptions
from lessoncore.errors import LessonError
from lessoncore.formula import Quantity
from lessoncore.scenario import Scenario
from lessoncore.serving.arrivals import AtOnce, Poisson
from lessoncore.serving.costs import pass_costs
from lessoncore.serving.lengths import LogNormal
from lessoncore.serving.load import Load
from lessoncore.serving.results import Result, Slo
from lessoncore.serving.server import Server
from lessoncore.serving.simulation import simulating
from lessoncore.serving.summary import Summary, summary
from lessoncore.units import whole

# The fewest whose p99 has an upper bound with 95% confidence are 460, a tenth at each end left out.
REQUESTS = 480
SEED = 1
TOKENS_A_PASS = 8192
# Half a second is when a wait is felt; 25 ms a token are 40 tokens a second, several times what anybody reads.
SLO = Slo(ttft_s=0.5, tpot_s=0.025, share=0.99)
# Where a curve is computed, as shares of what the server finishes at most: close where it bends.
HIGHEST_SHARE = 1.4
_SHARES = (0.1, 0.3, 0.5, 0.65, 0.8, 0.95, 1.1, HIGHEST_SHARE)
# As many stops of a slider as are simulated ahead, some 25 ms each in a browser: all of the one that the reader is
# asked to move first, and the next ones of those that make another server.
AHEAD = {"rate": 44, "replicas": 6, "batch": 8}
_THEIR_REASON = "the lesson's promise: below it a wait isn't felt, and text comes faster than it is read"


class Served:
    """What came out of the simulation of one scenario, as figures."""

    def __init__(self, result: Result, scenario: Scenario, assumptions: Assumptions) -> None:
        self.result = result
        self._scenario, self._assumptions = scenario, assumptions
        counted = whole(len(result.counted))
        self._source = f"simulated: {counted} of {whole(REQUESTS)} requests counted, seed {SEED}"

    @cached_property
    def summary(self) -> Summary:
        """Everything in figures."""
        return summary(self.result, SLO)

    def _given(self, value: float, symbol: str) -> Quantity:
        return Quantity(value, symbol, self._source)

    @property
    def ttft_mean_s(self) -> Quantity:
        """Time to first token on average, the wait included (s)."""
        return self._given(self.result.ttft.mean_s, "ttft_mean_s")

    @property
    def ttft_p50_s(self) -> Quantity:
        """Time to first token that half of the requests stay within (s)."""
        return self._given(self.result.ttft.p50.value_s, "ttft_p50_s")

    @property
    def ttft_p99_s(self) -> Quantity:
        """Time to first token that 99 of 100 requests stay within (s)."""
        return self._given(self.result.ttft.p99.value_s, "ttft_p99_s")

    @property
    def ttft_p99_low_s(self) -> Quantity | None:
        """What the true p99 is at least, with 95% confidence (s)."""
        low = self.result.ttft.p99.low_s
        return None if low is None else self._given(low, "ttft_p99_low_s")

    @property
    def ttft_p99_high_s(self) -> Quantity | None:
        """What the true p99 is at most, with 95% confidence (s); nothing where too few requests were served."""
        high = self.result.ttft.p99.high_s
        return None if high is None else self._given(high, "ttft_p99_high_s")

    @property
    def tpot_p99_s(self) -> Quantity:
        """Time per token that 99 of 100 requests stay within (s)."""
        return self._given(self.result.tpot.p99.value_s, "tpot_p99_s")

    @property
    def slo_share(self) -> Quantity:
        """Share of the requests that got both promises kept."""
        return self._given(self.result.goodput(SLO).share, "slo_share")

    @property
    def waiting_share(self) -> Quantity:
        """Share of the time to first token, of all requests together, in which no pass worked on them."""
        ttft = self.result.ttft
        return self._given(ttft.mean_waiting_s / ttft.mean_s, "waiting_share")

    @property
    def served_gpu_tokens_per_s(self) -> Quantity:
        """Answer tokens a second that each GPU wrote at this load (tokens/s)."""
        return self._given(self.result.gpu_tokens_per_s, "served_gpu_tokens_per_s")

    @property
    def counted(self) -> Quantity:
        """Requests that the percentiles rest on."""
        return Quantity(len(self.result.counted), "counted", "the simulation, without its first and its last tenth")

    @property
    def offline_gpu_tokens_per_s(self) -> Quantity:
        """Answer tokens a second that each GPU writes when nobody waits for any of them (tokens/s)."""
        rate = offline(self._scenario, self._assumptions).gpu_tokens_per_s
        return Quantity(rate, "offline_gpu_tokens_per_s", f"simulated: {REQUESTS} requests at once, while some wait")


SLO_TTFT = Quantity(SLO.ttft_s, "slo_ttft_s", _THEIR_REASON)
SLO_TPOT = Quantity(SLO.tpot_s, "slo_tpot_s", _THEIR_REASON)


def load_of(scenario: Scenario) -> Load:
    """What is asked of a scenario's server."""
    return Load(Poisson(scenario.rate), LogNormal(scenario.prompt, scenario.output), REQUESTS, SEED)


def server_of(scenario: Scenario) -> Server:
    """A scenario's server: chunked prefill, as today's engines do."""
    return Server(
        replace(scenario, batch=1, rate=1.0),
        batch_limit=scenario.batch,
        tokens_a_pass=max(TOKENS_A_PASS, scenario.batch),
        chunked=True,
    )


def served(scenario: Scenario, assumptions: Assumptions) -> Served | None:
    """Simulate a scenario, once; nothing where its memory has no room for the requests."""
    for _ in _serving(scenario, assumptions):
        pass
    return _served_of(_without_price(scenario), assumptions)[0]


def serving_ahead(scenario: Scenario, assumptions: Assumptions, stops: Mapping[str, Iterable[float]]) -> Iterator[int]:
    """Simulate what sliders can be set to before it is asked for, in steps of a few milliseconds; says how many are.

    ``stops`` are those of each slider, by parameter: one slider after the other, the nearest stops first.
    """
    others = chain.from_iterable(_nearest(scenario, key, values) for key, values in stops.items())
    for done, other in enumerate(others):
        yield done
        for _ in _serving(other, assumptions):
            yield done


def _nearest(scenario: Scenario, key: str, values: Iterable[float]) -> list[Scenario]:
    own = getattr(scenario, key)
    nearest = sorted(values, key=lambda value: abs(log(value / own)))[: AHEAD[key]]
    return [scenario.but(**{key: value}) for value in nearest]


@lru_cache(maxsize=sum(AHEAD.values()) + 40)  # each about 350 kB
def _served_of(scenario: Scenario, assumptions: Assumptions) -> list[Served | None]:
    """The place where what was served is kept; empty at first."""
    return []


def _without_price(scenario: Scenario) -> Scenario:
    """What is served costs something, but is the same at any price."""
    return replace(scenario, price=0.0)


def _serving(scenario: Scenario, assumptions: Assumptions) -> Iterator[None]:
    """Simulate in steps, unless it is known."""
    scenario = _without_price(scenario)
    kept = _served_of(scenario, assumptions)
    if kept:
        return
    try:
        for step in simulating(server_of(scenario), load_of(scenario), assumptions):
            if isinstance(step, Result):
                kept[:] = [Served(step, scenario, assumptions) if step.served else None]
            yield
    except LessonError:
        kept[:] = [None]


def roughly(scenario: Scenario, assumptions: Assumptions) -> tuple[float, float]:
    """Without a simulation: about how many requests a second one copy finishes at most (1/s), and TPOT alone (s).

    A prompt of mean length and a share of each decode pass of a full batch, one after the other. Within a tenth of
    what is simulated where requests are many tokens long; for the extent of an axis, never as a result.
    """
    costs = pass_costs(server_of(scenario).scenario, assumptions)
    prompt, context = scenario.prompt - scenario.cached, scenario.prompt + scenario.output // 2

    def decode_pass(batch: int) -> float:
        attention, read = costs.decode_attention_flops.at(context), costs.kv_bytes.at(context - 1)
        return costs.pass_s(batch, batch, batch * attention, batch * read, prefilling=False)

    batch = int(min(scenario.batch, max(1.0, costs.kv_room / costs.kv_bytes.at(context))))
    attention = costs.prefill_attention_flops(prompt, scenario.cached)
    prefill_s = costs.pass_s(prompt, 1, attention, 0.0, prefilling=True)
    return 1 / (prefill_s + scenario.output * decode_pass(batch) / batch), decode_pass(1)


def one_copy(scenario: Scenario) -> Scenario:
    """What offline work and the curve depend on: not on the load, nor on how many copies there are."""
    return replace(scenario, replicas=1, rate=1.0, price=0.0)


@dataclass(frozen=True, slots=True)
class Offline:
    """What one copy does at most: answer tokens a second on each GPU (tokens/s), and requests a second (1/s)."""

    gpu_tokens_per_s: float
    requests_per_s: float


def offline(scenario: Scenario, assumptions: Assumptions) -> Offline:
    """Simulate offline work: all requests are there at once; it is counted while some still wait."""
    *_, found = finding_offline(scenario, assumptions)
    assert found is not None
    return found


def finding_offline(scenario: Scenario, assumptions: Assumptions) -> Iterator[Offline | None]:
    """The same in steps of a few milliseconds; simulated once."""
    kept = _offline_of(one_copy(scenario), assumptions)
    if not kept:
        load = replace(load_of(scenario), arrivals=AtOnce())
        for step in simulating(server_of(one_copy(scenario)), load, assumptions):
            if isinstance(step, Result):
                kept.append(_summed_up(step, scenario.gpus))
            else:
                yield None
    yield kept[0]


def known_offline(scenario: Scenario, assumptions: Assumptions) -> bool:
    """Whether it has been simulated."""
    return bool(_offline_of(one_copy(scenario), assumptions))


@lru_cache(maxsize=64)
def _offline_of(scenario: Scenario, assumptions: Assumptions) -> list[Offline]:
    """The place where one is kept; empty at first."""
    return []


def _summed_up(result: Result, gpus: int) -> Offline:
    line = result.timeline
    full = [n for n, waiting in enumerate(line.waiting) if waiting > 0.5] or list(range(len(line.waiting)))
    rate = sum(line.tokens_per_s[n] for n in full) / len(full)
    mean_output = sum(request.output for request in result.served) / len(result.served)
    return Offline(rate / gpus, rate / mean_output)


class CurvePoint:
    """What a load does to one copy: requests a second (1/s), times (s), and tokens a second on each GPU."""

    __slots__ = ("gpu_tokens_per_s", "rate", "times")

    def __init__(self, rate: float, result: Result) -> None:
        self.rate = rate
        self.times = times_of(result)
        self.gpu_tokens_per_s = result.gpu_tokens_per_s


def times_of(result: Result) -> tuple[float, float, float]:
    """The times that a curve shows (s): TTFT at p50 and p99, TPOT at p99."""
    return result.ttft.p50.value_s, result.ttft.p99.value_s, result.tpot.p99.value_s


@dataclass(frozen=True, slots=True)
class Curve:
    """One copy under ever more load, as far as it is simulated: from few requests a second to more than it can do."""

    offline: Offline | None = None
    points: tuple[CurvePoint, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether nothing is missing."""
        return len(self.points) == len(_SHARES)


def curving(scenario: Scenario, assumptions: Assumptions) -> Iterator[Curve]:
    """Simulate the curve in steps of a few milliseconds; it is the same whatever the scenario's rate and copies."""
    known = Curve()
    for found in finding_offline(scenario, assumptions):
        known = Curve(found)
        yield known
    assert known.offline is not None
    server, load = server_of(one_copy(scenario)), load_of(scenario)
    for share in _SHARES:
        rate = known.offline.requests_per_s * share
        for step in simulating(server, load.at(rate), assumptions):
            if isinstance(step, Result):
                known = replace(known, points=(*known.points, CurvePoint(rate, step)))
            yield known


def curve(scenario: Scenario, assumptions: Assumptions) -> tuple[CurvePoint, ...]:
    """The whole curve."""
    return _curve(one_copy(scenario), assumptions)


@lru_cache(maxsize=16)
def _curve(scenario: Scenario, assumptions: Assumptions) -> tuple[CurvePoint, ...]:
    *_, last = curving(scenario, assumptions)
    return last.points


def most_requests_per_s(scenario: Scenario, assumptions: Assumptions) -> float:
    """Requests a second that one copy finishes at most (1/s): the knee."""
    return offline(scenario, assumptions).requests_per_s
