"""The serving queue once more, the slow and obvious way: pass by pass, every sum taken anew.

It follows the rules that lessoncore.serving.server states, with one pass at a time and no heap, no sum that is kept
and no closed form; what a pass takes comes from PassCosts, which is held against the estimate elsewhere.
"""

from dataclasses import dataclass, field

from lessoncore.assumptions import Assumptions
from lessoncore.precision import precision
from lessoncore.serving import ClosedLoop, Load, Server
from lessoncore.serving.costs import PassCosts


@dataclass(eq=False)
class Job:
    """A request."""

    index: int
    arrival_s: float
    prompt: int
    output: int
    hit: int
    started_s: float = -1.0
    first_token_s: float = -1.0
    finished_s: float = -1.0
    prefill_s: float = 0.0
    decode_s: float = 0.0
    preemptions: int = 0
    written: int = 0
    filled: int = 0

    @property
    def known(self) -> int:
        return self.prompt + self.written

    @property
    def decoding(self) -> bool:
        return self.filled >= self.known

    def times(self) -> tuple[float, ...]:
        return self.arrival_s, self.started_s, self.first_token_s, self.finished_s, self.prefill_s, self.decode_s


@dataclass(eq=False)
class Copy:
    """A copy of the model."""

    server: Server
    costs: PassCosts
    room: float
    waiting: list[Job] = field(default_factory=list)
    running: list[Job] = field(default_factory=list)
    pieces: dict[int, int] = field(default_factory=dict)
    began_s: float = 0.0
    ends_s: float | None = None

    def bytes(self, tokens: int) -> float:
        model, kv = self.costs.scenario.architecture, precision(self.costs.scenario.kv).bytes
        gpus = self.costs.scenario.gpus
        return gpus * (model.kv_bytes(tokens, kv, gpus) + model.state_bytes(gpus))

    def holds(self, job: Job, more: int = 0) -> float:
        if self.server.reserves_answers:
            return self.bytes(job.prompt + job.output - job.hit)
        return self.bytes(job.known - job.hit + (more if job.decoding else 0))

    def held(self, more: int = 0) -> float:
        return sum(self.holds(job, more) for job in self.running)

    def lets_in(self, job: Job, held: float) -> bool:
        if len(self.running) >= self.server.batch_limit:
            return False
        spare = 0.0 if self.server.reserves_answers else self.server.watermark * self.room
        return not self.running or held + self.holds(job) <= self.room - spare

    def let_in(self, now: float) -> Job:
        job = self.waiting.pop(0)
        job.filled = job.hit
        if job.started_s < 0:
            job.started_s = now
        self.running.append(job)
        return job

    def begin(self, now: float) -> None:
        put_back = False
        while self.held(more=1) > self.room:
            job = self.running.pop()
            job.filled = 0
            job.preemptions += 1
            self.waiting.insert(0, job)
            put_back = True
        self.pieces = {}
        left = self.server.tokens_a_pass
        if self.server.chunked:
            left -= sum(job.decoding for job in self.running)
            for job in self.running:
                if not job.decoding and left:
                    self.pieces[job.index] = min(left, job.known - job.filled)
                    left -= self.pieces[job.index]
            while left and not put_back and self.waiting and self.lets_in(self.waiting[0], self.held(more=1)):
                job = self.let_in(now)
                self.pieces[job.index] = min(left, job.known - job.filled)
                left -= self.pieces[job.index]
        else:
            while not put_back and self.waiting and self.lets_in(self.waiting[0], self.held()):
                if self.pieces and self.waiting[0].known - self.waiting[0].hit > left:
                    break
                job = self.let_in(now)
                self.pieces[job.index] = job.known - job.filled
                left -= self.pieces[job.index]
        self.decodes = self.server.chunked or not self.pieces
        if self.running:
            self.began_s, self.ends_s = now, now + self.takes()

    def takes(self) -> float:
        model, costs = self.costs.scenario.architecture, self.costs
        tokens = wanted = 0
        attention = kv = 0.0
        for job in self.running:
            if job.index in self.pieces:
                piece = self.pieces[job.index]
                tokens += piece
                wanted += job.filled + piece == job.known
                attention += model.attention_flops(piece, job.filled)
                kv += self.bytes(job.filled) if job.filled else 0
            elif job.decoding and self.decodes:
                tokens += 1
                wanted += 1
                attention += model.decode_attention_flops(job.known + 1)
                kv += self.bytes(job.known)
        return costs.pass_s(tokens, wanted, attention, kv, prefilling=bool(self.pieces))

    def complete(self) -> list[Job]:
        assert self.ends_s is not None
        now, took = self.ends_s, self.ends_s - self.began_s
        self.ends_s = None
        decoding = [job for job in self.running if job.decoding]
        for job in self.running:
            if job.index in self.pieces:
                job.filled += self.pieces[job.index]
                if job.first_token_s < 0:
                    job.prefill_s += took
                else:
                    job.decode_s += took
                if job.decoding and job.first_token_s < 0:
                    job.first_token_s = now
        if self.decodes:
            for job in decoding:
                job.written += 1
                job.filled += 1
                job.decode_s += took
        done = [job for job in self.running if job.written == job.output]
        for job in done:
            job.finished_s = now
            self.running.remove(job)
        return done


def pass_by_pass(server: Server, load: Load, assumptions: Assumptions, room: float) -> list[Job]:
    """Serve all requests, each of which must fit alone into ``room`` bytes."""
    costs = PassCosts(server.scenario, assumptions)
    copies = [Copy(server, costs, room) for _ in range(server.scenario.replicas)]
    due, pairs, jobs = load.times(), load.pairs(), []
    issued = len(due)
    while True:
        busy = [copy for copy in copies if copy.ends_s is not None]
        copy = min(busy, key=lambda copy: copy.ends_s or 0.0, default=None)
        if copy is None and not due:
            return jobs
        now = copy.ends_s if copy and copy.ends_s is not None and (not due or copy.ends_s < due[0]) else due[0]
        free = []
        if copy and copy.ends_s == now and (not due or now < due[0]):
            for _ in copy.complete():
                if isinstance(load.arrivals, ClosedLoop) and issued < load.requests:
                    due.append(now + load.arrivals.think_s)
                    issued += 1
            due.sort()
            free.append(copy)
        while due and due[0] <= now:
            prompt, output = pairs[len(jobs)]
            job = Job(len(jobs), due.pop(0), prompt, output, min(server.scenario.cached, prompt - 1))
            jobs.append(job)
            to = min(copies, key=lambda copy: len(copy.waiting) + len(copy.running))
            to.waiting.append(job)
            if to.ends_s is None and to not in free:
                free.append(to)
        for each in free:
            each.begin(now)
