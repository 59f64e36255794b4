"""What is asked of a server: how many requests, when, and how long they are."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from lessoncore.errors import LessonError
from lessoncore.serving.arrivals import Arrivals, AtOnce, Bursty, ClosedLoop, Poisson, Recorded
from lessoncore.serving.checks import number, whole
from lessoncore.serving.lengths import Lengths, Listed, Pair, pairs

MOST_REQUESTS = 200_000


@dataclass(frozen=True, slots=True)
class Load:
    """Requests for a simulation.

    The same seed gives the same requests, and their lengths don't depend on when they arrive: at another rate
    the same requests come in the same order, sooner or later. ``left_out`` is the share of requests at each end
    that no percentile counts: the first find the server empty, the last have nobody behind them. It is not applied
    to requests that come all at once or from a trace, where beginning and end are part of what is asked.
    """

    arrivals: Arrivals
    lengths: Lengths
    requests: int = 1000
    seed: int = 1
    left_out: float = 0.1

    def __post_init__(self) -> None:
        """Check numbers, and that something is left to count."""
        whole("Requests", self.requests, 1, MOST_REQUESTS)
        whole("Seed", self.seed, 0, 2**32)
        number("Share to leave out at each end", self.left_out, 0, 0.45)
        if self.edge and isinstance(self.arrivals, ClosedLoop) and self.requests < 2 * self.edge + self.arrivals.users:
            raise LessonError(
                f"{self.arrivals.users:,} users: the first and the last request of each are left out, and one of each "
                f"must be left, so at least {2 * self.edge + self.arrivals.users:,} requests are needed, but "
                f"{self.requests:,} was given."
            )

    @property
    def edge(self) -> int:
        """Requests that percentiles leave out at each end; in a closed loop at least one of each user."""
        if isinstance(self.arrivals, (AtOnce, Recorded)) or not self.left_out:
            return 0
        users = self.arrivals.users if isinstance(self.arrivals, ClosedLoop) else 0
        return max(int(self.requests * self.left_out), users)

    @property
    def rate(self) -> float | None:
        """Requests a second that arrive whatever the server does (1/s); nothing where there is no such rate."""
        if isinstance(self.arrivals, (Poisson, Bursty, Recorded)):
            return self.arrivals.rate or None
        return None

    def at(self, rate: float) -> "Load":
        """The same requests, arriving at another rate."""
        if not isinstance(self.arrivals, (Poisson, Bursty, Recorded)):
            raise LessonError("Only requests that arrive at a rate of their own can arrive at another.")
        return replace(self, arrivals=self.arrivals.at(rate))

    def times(self) -> list[float]:
        """When requests arrive (s), as far as that is known from the start."""
        return self.arrivals.times(self.requests, Random(2 * self.seed))

    def pairs(self) -> list[Pair]:
        """The lengths of all requests, in the order of arrival."""
        return pairs(self.lengths, self.requests, Random(2 * self.seed + 1))

    def drawn(self) -> "Drawn":
        """The same lengths one by one, as they are asked for; kept, for the same requests come at many rates."""
        if isinstance(self.lengths, Listed):
            return Drawn(self.lengths, self.seed, list(self.lengths.listed))
        return _drawn(self.lengths, self.seed)


class Drawn:
    """Lengths of requests; those that aren't ``known`` yet are drawn when they are asked for."""

    def __init__(self, lengths: Lengths, seed: int, known: list[Pair]) -> None:
        self._known = known
        self._more: Iterator[Pair] = lengths.draws(Random(2 * seed + 1))

    def __getitem__(self, index: int) -> Pair:
        """The lengths of the request with this number, from 0."""
        while len(self._known) <= index:
            self._known.append(next(self._more))
        return self._known[index]


@lru_cache(maxsize=8)
def _drawn(lengths: Lengths, seed: int) -> Drawn:
    return Drawn(lengths, seed, [])
