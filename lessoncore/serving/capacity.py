"""What a scenario's server can take: the highest rate that keeps the promise, and users in, GPUs out."""

from collections.abc import Iterator
from copy import replace
from dataclasses import dataclass
from math import ceil

from lessoncore.assumptions import Assumptions
from lessoncore.entries import Entry
from lessoncore.scenario import Scenario
from lessoncore.serving.load import Load
from lessoncore.serving.search import FleetSearch, RateSearch, fewest_gpus, highest_rate
from lessoncore.serving.served import REQUESTS, SLO, load_of, roughly, server_of

# So many copies are searched with, each with as many requests as one alone gets; more are as many times more.
_MOST_COPIES = 8
# Requests of a search at most; a load of which that would be too short a time is split into equal groups of users.
_MOST_REQUESTS = 2400
_SHORTEST_S = 60.0

USERS = Entry("users", "Users", 1, 1_000_000)
EVERY = Entry("every", "Each asks every … seconds", 1, 86_400, whole=False)
ENTRIES = {entry.key: entry for entry in (USERS, EVERY)}
DEFAULTS = {"users": "100", "every": "30"}


@dataclass(frozen=True, slots=True)
class RateFound:
    """How far the search for the highest rate is; ``scale`` is what its rates are to be multiplied by."""

    search: RateSearch
    requests: int
    scale: float


def finding_rate(scenario: Scenario, assumptions: Assumptions) -> Iterator[RateFound]:
    """Search for the highest rate that a scenario's server keeps the lesson's promise at, for all its copies."""
    copies = min(scenario.replicas, _MOST_COPIES)
    server = server_of(scenario).but(replicas=copies)
    load = replace(load_of(scenario), requests=REQUESTS * copies)
    for search in highest_rate(server, load, SLO, assumptions):
        yield RateFound(search, load.requests, scenario.replicas / copies)


@dataclass(frozen=True, slots=True)
class GpusFound:
    """How far the search for the fewest GPUs is: of one of ``groups`` equal groups of users."""

    search: FleetSearch
    rate: float
    requests: int
    groups: int


def finding_gpus(scenario: Scenario, rate: float, assumptions: Assumptions) -> Iterator[GpusFound]:
    """Search for the fewest GPUs that keep the lesson's promise at ``rate`` requests a second (1/s).

    An overload must last to show: at least a minute, and three whole answers. Where that would be too many requests
    to simulate, users are split into groups with GPUs of their own, which needs no fewer GPUs.
    """
    span = max(_SHORTEST_S, 3 * scenario.output * roughly(scenario, assumptions)[1])
    groups = ceil(rate * span / _MOST_REQUESTS)
    load: Load = replace(load_of(scenario), requests=max(REQUESTS, ceil(rate / groups * span))).at(rate / groups)
    server = server_of(scenario).but(replicas=1)
    for search in fewest_gpus(server, load, SLO, assumptions):
        yield GpusFound(search, rate, load.requests, groups)
