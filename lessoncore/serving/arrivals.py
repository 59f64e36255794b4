"""When requests arrive: on their own (open), or as soon as the user's last one is done (closed)."""

from dataclasses import dataclass, replace
from itertools import pairwise
from math import sqrt
from random import Random

from lessoncore.errors import LessonError
from lessoncore.serving.checks import number, whole
from lessoncore.serving.draws import waiting_time


def _check_rate(rate: float) -> None:
    number("Rate, in requests a second", rate, 0, 1e6, above=True)


@dataclass(frozen=True, slots=True)
class Poisson:
    """Requests of many independent users: ``rate`` a second (1/s) on average, whatever came before."""

    rate: float

    def __post_init__(self) -> None:
        """Refuse a rate that isn't one."""
        _check_rate(self.rate)

    def times(self, count: int, random: Random) -> list[float]:
        """Draw when ``count`` requests arrive (s)."""
        now, times = 0.0, []
        for _ in range(count):
            now += waiting_time(random) / self.rate
            times.append(now)
        return times

    def at(self, rate: float) -> "Poisson":
        """The same pattern at another rate."""
        return replace(self, rate=rate)


@dataclass(frozen=True, slots=True)
class Bursty:
    """As many requests as Poisson's on average (``rate``, 1/s), but in bursts with pauses between.

    ``variation`` is the deviation of the gaps between arrivals divided by their mean: 1 for Poisson, above 1
    here. A gap is short with probability p and long otherwise, exponential either way, and both kinds make up
    half of the time: p = (1 + √((v² − 1)/(v² + 1))) / 2. Source: the balanced hyperexponential distribution of
    queueing theory, Tijms, A First Course in Stochastic Models (2003), appendix B.

    >>> Bursty(rate=2.0, variation=3.0).times(2, Random(1))
    [0.4962334457489079, 0.57395185010174]
    """

    rate: float
    variation: float = 3.0

    def __post_init__(self) -> None:
        """Refuse a rate or a variation that isn't one."""
        _check_rate(self.rate)
        number("Variation of the gaps", self.variation, 1, 100)

    def times(self, count: int, random: Random) -> list[float]:
        """Draw when ``count`` requests arrive (s)."""
        square = self.variation * self.variation
        short = (1 + sqrt((square - 1) / (square + 1))) / 2
        now, times = 0.0, []
        for _ in range(count):
            share = short if random.random() < short else 1 - short
            now += waiting_time(random) / (2 * share * self.rate)
            times.append(now)
        return times

    def at(self, rate: float) -> "Bursty":
        """The same pattern at another rate."""
        return replace(self, rate=rate)


@dataclass(frozen=True, slots=True)
class AtOnce:
    """All requests at the start: offline work, or the worst burst."""

    def times(self, count: int, random: Random) -> list[float]:
        """All arrive at 0 s."""
        return [0.0] * count


@dataclass(frozen=True, slots=True)
class Recorded:
    """Requests that arrived at known times (s), ascending."""

    seconds: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse an order that time can't have."""
        if not self.seconds or any(a > b for a, b in pairwise(self.seconds)):
            raise LessonError("A trace needs at least one request, and its arrivals in ascending order.")

    @property
    def rate(self) -> float:
        """Requests a second (1/s) from the first to the last; 0 where that is no time."""
        span = self.seconds[-1] - self.seconds[0]
        return (len(self.seconds) - 1) / span if span > 0 else 0.0

    def times(self, count: int, random: Random) -> list[float]:
        """The first ``count`` of them."""
        return list(self.seconds[:count])

    def at(self, rate: float) -> "Recorded":
        """The same pattern, faster or slower.

        >>> Recorded((0.0, 1.0, 4.0)).at(1.0).seconds
        (0.0, 0.5, 2.0)
        """
        _check_rate(rate)
        if not self.rate:
            raise LessonError("All requests of this trace arrive at the same time: it has no rate to change.")
        factor = self.rate / rate
        return Recorded(tuple(t * factor for t in self.seconds))


@dataclass(frozen=True, slots=True)
class ClosedLoop:
    """``users`` who each wait for the answer, think for ``think_s`` seconds, and ask again.

    All ask at the start. There are never more than ``users`` requests at a time, so a slow server is asked less
    often: a closed loop can't overload it, and hides how long a queue would grow.
    """

    users: int
    think_s: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what can't be users or a time."""
        whole("Users", self.users, 1, 100_000)
        number("Time to think, in seconds", self.think_s, 0, 1e6)

    def times(self, count: int, random: Random) -> list[float]:
        """The first request of each user; the simulation adds those that follow."""
        return [0.0] * min(self.users, count)


type Arrivals = Poisson | Bursty | AtOnce | Recorded | ClosedLoop
