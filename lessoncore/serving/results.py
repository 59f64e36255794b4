"""What came out of a simulation."""

from dataclasses import dataclass, field
from functools import cached_property

from lessoncore.errors import LessonError
from lessoncore.serving.percentiles import Latency, end_to_end_parts, latency, tpot_parts, ttft_parts
from lessoncore.serving.requests import Request
from lessoncore.serving.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Slo:
    """A service level objective: a ``share`` of all requests must have both times within these limits (s)."""

    ttft_s: float
    tpot_s: float
    share: float = 0.99

    def __post_init__(self) -> None:
        """Refuse what can't be kept or broken."""
        if not (self.ttft_s > 0 and self.tpot_s > 0 and 0 < self.share <= 1):
            raise LessonError(
                f"An SLO needs times above 0 s and a share above 0, up to 1, but {self.ttft_s!r} s, {self.tpot_s!r} s "
                f"and {self.share!r} were given."
            )


@dataclass(frozen=True, slots=True)
class Goodput:
    """How an SLO was kept: the share of requests that met both limits, and each (refused ones met neither).

    ``requests_per_s`` counts the requests that met both (1/s).
    """

    share: float
    ttft_share: float
    tpot_share: float
    requests_per_s: float
    keeps: bool

    @property
    def breaks_first(self) -> str:
        """The limit that fewer requests met: ``"ttft"``, ``"tpot"``, or nothing when the SLO is kept."""
        if self.keeps:
            return ""
        return "ttft" if self.ttft_share <= self.tpot_share else "tpot"


@dataclass(frozen=True)
class Result:
    """A simulated run. Times in seconds, sizes in bytes.

    ``requests`` are all requests in the order of arrival; percentiles and goodput leave out ``edge`` of them at each
    end. ``window_s`` is the time from the first arrival that counts to the first after the last (all of it where none
    is left out); in it ``tokens_per_s`` answer tokens were written a second. ``passes`` is how many passes the copies
    made, ``events`` how many steps the simulation took for them. ``most_kv_bytes`` and ``largest_batch`` are the most
    that one copy had in use at a time, of ``kv_room`` bytes.
    """

    requests: list[Request] = field(repr=False)
    edge: int
    gpus: int
    window_s: tuple[float, float]
    tokens_per_s: float
    timeline: Timeline = field(repr=False)
    preemptions: int
    passes: int
    events: int
    most_kv_bytes: float
    kv_room: float
    largest_batch: int

    @cached_property
    def counted(self) -> list[Request]:
        """The requests that percentiles rest on, refused ones among them."""
        return self.requests[self.edge : len(self.requests) - self.edge]

    @cached_property
    def served(self) -> list[Request]:
        """Those of them that got an answer."""
        return [request for request in self.counted if not request.refused]

    @property
    def refused(self) -> int:
        """Requests of the whole run that would not fit into memory even alone."""
        return sum(request.refused for request in self.requests)

    @cached_property
    def ttft(self) -> Latency:
        """Time to first token, the wait included."""
        return latency([ttft_parts(request) for request in self.served])

    @cached_property
    def tpot(self) -> Latency:
        """Time per output token after the first."""
        return latency([tpot_parts(request) for request in self.served])

    @cached_property
    def end_to_end(self) -> Latency:
        """Time from arrival to the last token."""
        return latency([end_to_end_parts(request) for request in self.served])

    @property
    def duration_s(self) -> float:
        """Length of the window."""
        return self.window_s[1] - self.window_s[0]

    @property
    def arrivals_per_s(self) -> float:
        """Requests that arrived in a second of the window (1/s)."""
        return len(self.counted) / self.duration_s

    @property
    def gpu_tokens_per_s(self) -> float:
        """Answer tokens a second that each GPU contributed in the window."""
        return self.tokens_per_s / self.gpus

    @property
    def mean_in_flight(self) -> float:
        """Requests in the system on average, waiting ones included, from the start until all are done."""
        end = self.timeline.end_s
        return sum(r.end_to_end_s for r in self.requests if not r.refused) / end

    def goodput(self, slo: Slo) -> Goodput:
        """Hold the requests against an SLO."""
        n = len(self.counted)
        ttft = sum(request.ttft_s <= slo.ttft_s for request in self.served)
        tpot = sum(request.tpot_s <= slo.tpot_s for request in self.served)
        both = sum(r.ttft_s <= slo.ttft_s and r.tpot_s <= slo.tpot_s for r in self.served)
        return Goodput(both / n, ttft / n, tpot / n, both / self.duration_s, keeps=both >= slo.share * n - 1e-9)


def tokens_per_s(requests: list[Request], window_s: tuple[float, float]) -> float:
    """Answer tokens written in a second of the window, each answer taken to grow evenly (tokens/s)."""
    start, end = window_s
    tokens = 0.0
    for request in requests:
        a, b = request.first_token_s, request.finished_s
        inside = min(b, end) - max(a, start)
        if inside > 0 and not request.refused:
            tokens += request.output * (inside / (b - a))
    return tokens / (end - start)
