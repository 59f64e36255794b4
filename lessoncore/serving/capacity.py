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

# So many copies are searched with; more are as many times more.
_MOST_COPIES = 8
# Requests for each copy: several times what it works on at a time, or an overload is over before it shows.
_BATCHES = 6
_MOST_A_COPY = 1500
# Requests of a search for GPUs at most; where that would be too few, users are split into equal groups.
_MOST_REQUESTS = 3840

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


def requests_a_copy(scenario: Scenario) -> int:
    """Requests that each copy should get in a search."""
    return max(REQUESTS, min(_MOST_A_COPY, _BATCHES * scenario.batch))


def finding_rate(scenario: Scenario, assumptions: Assumptions) -> Iterator[RateFound]:
    """Search for the highest rate that a scenario's server keeps the lesson's promise at, for all its copies."""
    copies = min(scenario.replicas, _MOST_COPIES)
    server = server_of(scenario).but(replicas=copies)
    load = replace(load_of(scenario), requests=requests_a_copy(scenario) * copies)
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

    An overload must last to show, so there are requests for as many copies as are needed at least: copies side by side
    come close to what they can finish, where it shows late. Where that would be too many to simulate, users are split
    into groups with GPUs of their own, which needs no fewer GPUs.
    """
    each, most = 2 * requests_a_copy(scenario), roughly(scenario, assumptions)[0]
    groups = ceil(rate / most / max(1, _MOST_REQUESTS // each))
    load: Load = replace(load_of(scenario), requests=each * ceil(rate / groups / most)).at(rate / groups)
    server = server_of(scenario).but(replicas=1)
    for search in fewest_gpus(server, load, SLO, assumptions):
        yield GpusFound(search, rate, load.requests, groups)
