"""The simulation: requests arrive, copies work, and everything else follows from when who is done."""

from collections.abc import Iterator
from heapq import heappop, heappush

from lessoncore.assumptions import Assumptions
from lessoncore.errors import LessonError
from lessoncore.serving.arrivals import ClosedLoop
from lessoncore.serving.costs import PassCosts, pass_costs
from lessoncore.serving.load import Load
from lessoncore.serving.replica import Replica
from lessoncore.serving.requests import Request
from lessoncore.serving.results import Result, tokens_per_s
from lessoncore.serving.server import Server
from lessoncore.serving.timeline import Recorder
from lessoncore.units import show

# Some 2 ms in CPython and 8 ms in a browser: a page goes on with a simulation in portions of a few of these.
_EVENTS_BETWEEN_REPORTS = 250
_DRAWN_BETWEEN_REPORTS = 500


def simulate(server: Server, load: Load, assumptions: Assumptions | None = None) -> Result:
    """Serve all requests of ``load``; with the scenario's own assumptions, or others.

    >>> from lessoncore.scenario import Scenario
    >>> from lessoncore.serving import Fixed, Poisson
    >>> result = simulate(Server(Scenario()), Load(Poisson(rate=2.0), Fixed(prompt=2000, output=500), requests=400))
    >>> result.ttft.requests, round(result.ttft.p50.value_s, 3), round(result.tpot.p50.value_s, 4)
    (320, 0.06, 0.0078)
    """
    *_, last = simulating(server, load, assumptions)
    assert isinstance(last, Result)
    return last


def simulating(server: Server, load: Load, assumptions: Assumptions | None = None) -> Iterator[float | Result]:
    """Serve all requests of ``load``, and report now and then: first the share that is done, at last the result."""
    run = _Run(server, load, pass_costs(server.scenario, assumptions))
    for index in range(_DRAWN_BETWEEN_REPORTS, load.requests, _DRAWN_BETWEEN_REPORTS):
        run.draw(index)
        yield 0.0
    while run.goes_on():
        yield run.finished / load.requests
    yield run.result()


class _Run:
    """A simulation under way."""

    def __init__(self, server: Server, load: Load, costs: PassCosts) -> None:
        self.finished = 0
        self._server = server
        self._load = load
        self._recorder = Recorder()
        room = _room(server, costs)
        self._replicas = [Replica(i, server, costs, room, self._recorder) for i in range(server.scenario.replicas)]
        self._pairs = load.drawn()
        self._requests: list[Request] = []
        self._due = load.times()  # ascending, so a heap already
        self._think_s = load.arrivals.think_s if isinstance(load.arrivals, ClosedLoop) else None
        self._issued = len(self._due)
        self._ends: list[tuple[float, int, int]] = []  # when whose activity ends, and the version that this holds for
        self._events = 0

    def draw(self, index: int) -> None:
        """Draw the lengths of the first requests already: many can arrive at once, in one event."""
        self._pairs[index - 1]

    def goes_on(self) -> bool:
        """Let a number of things happen; whether there is more to come."""
        for _ in range(_EVENTS_BETWEEN_REPORTS):
            replica = self._next_end()
            if self._due and (replica is None or replica.ends_s is None or self._due[0] <= replica.ends_s):
                self._arrive(self._due[0], [])
            elif replica is not None:
                self._complete(replica)
            else:
                return False
        return True

    def _next_end(self) -> Replica | None:
        while self._ends:
            _, number, version = self._ends[0]
            replica = self._replicas[number]
            if replica.version == version:
                return replica
            heappop(self._ends)
        return None

    def _arrive(self, now: float, free: list[Replica]) -> None:
        """Take in all who come now; then the copies that are ``free``, or have somebody to begin with, go on."""
        while self._due and self._due[0] <= now:
            replica = self._take(heappop(self._due))
            if replica is not None and replica.ends_s is not None:
                self._note_end(replica)
            elif replica is not None and replica not in free:
                free.append(replica)
        for replica in free:
            replica.begin(now)
            self._note_end(replica)

    def _take(self, now: float) -> Replica | None:
        self._events += 1
        index = len(self._requests)
        prompt, output = self._pairs[index]
        request = Request(index, now, prompt, output, hit=min(self._server.scenario.cached, prompt - 1))
        self._requests.append(request)
        replica = min(self._replicas, key=_load_of)
        if replica.need(request) > replica.room:
            request.started_s = request.first_token_s = request.finished_s = now
            self._answered(now)
            return None
        self._recorder.enters_queue(now)
        replica.arrive(request, now)
        return replica

    def _complete(self, replica: Replica) -> None:
        """A copy is done with what it was at; those who were waiting for that ask again, and it goes on."""
        assert replica.ends_s is not None
        now = replica.ends_s
        self._events += 1
        for _ in replica.complete():
            self._answered(now)
        self._arrive(now, [replica])

    def _answered(self, now: float) -> None:
        self.finished += 1
        if self._think_s is not None and self._issued < self._load.requests:
            self._issued += 1
            heappush(self._due, now + self._think_s)

    def _note_end(self, replica: Replica) -> None:
        if replica.ends_s is not None and replica.noted != replica.version:
            replica.noted = replica.version
            heappush(self._ends, (replica.ends_s, replica.number, replica.version))

    def result(self) -> Result:
        """Sum up."""
        requests, load, replicas = self._requests, self._load, self._replicas
        edge = load.edge
        served = [request for request in requests if not request.refused]
        if all(request.refused for request in requests[edge : len(requests) - edge]):
            one = requests[edge]
            raise LessonError(
                f"No request that counts fits: one of {one.prompt:,} + {one.output:,} tokens needs "
                f"{show(replicas[0].need(one), 'B')} of KV cache, but there is room for {show(replicas[0].room, 'B')}."
            )
        arrivals = [request.arrival_s for request in served]
        finishes = [request.finished_s for request in served]
        window = (requests[edge].arrival_s, requests[-edge].arrival_s) if edge else (0.0, max(finishes))
        if window[0] >= window[1]:  # only refused requests come and go at one moment
            window = (window[0], max(finishes))
        return Result(
            requests=requests,
            edge=edge,
            gpus=self._server.gpus,
            window_s=window,
            tokens_per_s=tokens_per_s(served, window),
            timeline=self._recorder.timeline(arrivals, finishes, len(replicas), replicas[0].room),
            preemptions=sum(replica.preemptions for replica in replicas),
            passes=sum(replica.passes for replica in replicas),
            events=self._events,
            most_kv_bytes=max(replica.most_held for replica in replicas),
            kv_room=replicas[0].room,
            largest_batch=max(replica.largest_batch for replica in replicas),
        )


def _load_of(replica: Replica) -> int:
    return replica.in_flight


def _room(server: Server, costs: PassCosts) -> float:
    """Bytes for the caches of requests on one copy, beside the prefix that they share."""
    scenario = server.scenario
    room = costs.kv_room if server.kv_bytes is None else server.kv_bytes
    if scenario.cached:
        room -= costs.kv_bytes.at(scenario.cached)
    if room <= 0:
        users = f"{scenario.architecture.label} and the runtime" + (", with the shared prefix," * bool(scenario.cached))
        raise LessonError(
            f"{users} leave no memory for requests on {scenario.gpus} × {scenario.hardware.label}: "
            f"{show(-room, 'B')} are missing."
        )
    return room
