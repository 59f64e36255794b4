"""One copy of the model: who waits, who is worked on, and what its next pass is.

Between two decode passes usually nothing changes but that every context is a token longer. So decode passes are not
gone through one by one: a *run* of them lasts until an answer is complete, a window is full, memory ends, or somebody
comes who can be let in, and its time is a sum in closed form (costs.DecodeRun).
"""

from collections import deque
from heapq import heappop, heappush
from itertools import count

from lessoncore.serving.costs import DecodeRun, PassCosts
from lessoncore.serving.requests import Request
from lessoncore.serving.server import Server
from lessoncore.serving.timeline import Recorder


class Replica:
    """One copy of the model on its GPUs.

    ``ends_s`` is when its present activity ends, None while it is idle. ``in_flight`` are the requests that are here,
    ``held`` the bytes of cache of those worked on (the shared prefix apart).
    """

    def __init__(self, number: int, server: Server, costs: PassCosts, room: float, recorder: Recorder) -> None:
        self.number = number
        self.ends_s: float | None = None
        self.version = self.noted = 0  # changes whenever ends_s does; the version that the simulation knows
        self.in_flight = 0
        self.waiting: deque[Request] = deque()
        self.room = room
        self.held = 0.0
        self.most_held = 0.0
        self.largest_batch = 0
        self.passes = 0
        self.preemptions = 0
        self._server = server
        self._costs = costs
        self._recorder = recorder
        self._spare = server.watermark * room
        self._order = count(1)
        # Requests that are worked on: in the order of their admission (those that left are skipped when met), and
        # of them the prompts that are being read.
        self._admitted: list[Request] = []
        self._batch = 0
        self._filling: list[Request] = []
        # The answers that are being written, and what their next decode pass needs.
        self._decoding = 0
        self._step = 0  # decode passes so far
        self._decode_s = 0.0  # time of all passes so far with decoding in them
        self._attention = self._attention_step = 0.0
        self._kv = self._kv_step = 0.0
        self._held_step = 0.0
        self._endings: list[tuple[int, int, Request]] = []
        self._turns: list[tuple[int, int, Request]] = []
        # The present activity.
        self._began_s = 0.0
        self._run: DecodeRun | None = None
        self._run_passes = 0
        self._pieces: list[tuple[Request, int]] = []  # prompts in the present pass, and how many tokens of each
        self._decodes = False  # whether the present pass writes tokens, too

    # What the simulation calls.

    def need(self, request: Request) -> float:
        """Bytes of cache that a request needs at its end (B), were it alone."""
        return self._costs.kv_bytes.at(request.prompt + request.output - request.hit)

    def arrive(self, request: Request, now: float) -> None:
        """Take a request in; if it can join the batch, a run of decode passes ends after the present pass."""
        request.replica = self.number
        self.in_flight += 1
        self.waiting.append(request)
        if self._run is not None and len(self.waiting) == 1 and self._batch < self._server.batch_limit:
            passes = self._run.passes_until(now - self._began_s, self._run_passes)
            if passes < self._run_passes and self._lets_in(request, self.held + passes * self._held_step):
                self._last_until(passes)

    def complete(self) -> list[Request]:
        """Carry out the activity that ends now; returns the requests that it completes."""
        assert self.ends_s is not None
        took = self.ends_s - self._began_s
        before = self.held
        written = self._decoding * self._run_passes if self._run is not None or self._decodes else 0
        if written:
            self._write(self._run_passes, took)
        read = self._read_prompts(self.ends_s, took) if self._pieces else 0
        self._recorder.activity(self._began_s, self.ends_s, (before + self.held) / 2, written, read)
        self.passes += self._run_passes
        finished = self._leave_finished(self.ends_s) if written else []
        self._run = None
        self._pieces = []
        self.ends_s = None
        self.version += 1
        return finished

    def begin(self, now: float) -> None:
        """Decide on the next activity, and start it."""
        put_back = self._make_room(now)
        if self._server.chunked:
            self._pieces = self._fill_pass(now, put_back)
        elif not put_back:
            self._pieces = self._whole_prompts(now)
        if self._pieces:
            self._begin_prefill(now)
        elif self._decoding:
            self._begin_run(now, most=1 if put_back else self._next(self._endings) - self._step)

    # Letting requests in, and putting them back.

    def _lets_in(self, request: Request, held: float) -> bool:
        """Whether a request fits beside ``held`` bytes of others."""
        if self._batch >= self._server.batch_limit:
            return False
        if not self._batch:
            return True  # refused on arrival if it doesn't fit alone
        if self._server.reserves_answers:
            return held + self.need(request) <= self.room
        return held + self._costs.kv_bytes.at(request.known - request.hit) <= self.room - self._spare

    def _let_in(self, now: float) -> Request:
        request = self.waiting.popleft()
        request.admitted = next(self._order)
        request.filled = request.hit
        if request.started_s < 0:
            request.started_s = now
        if self._server.reserves_answers:
            request.reserved = self.need(request)
        else:
            request.reserved = self._costs.kv_bytes.at(request.known - request.hit)
        self.held += request.reserved
        self._admitted.append(request)
        self._batch += 1
        self.largest_batch = max(self.largest_batch, self._batch)
        self.most_held = max(self.most_held, self.held)
        self._recorder.leaves_queue(now)
        return request

    def _make_room(self, now: float) -> bool:
        """Put requests back until the next decode pass fits; whether any was."""
        if self.held + self._held_step <= self.room:
            return False
        while self.held + self._held_step > self.room:
            self._put_back(now)
        return True

    def _put_back(self, now: float) -> None:
        """Put the request that was let in last back to the front of the queue; it will be computed again."""
        request = self._admitted.pop()
        while not request.admitted:
            request = self._admitted.pop()
        if request.joined >= 0:
            request.written = request.output - (request.ends_at - self._step)
            self._stop_decoding(request)
        else:
            self._filling.remove(request)
        self._free(request)
        request.preemptions += 1
        self.preemptions += 1
        self.waiting.appendleft(request)
        self._recorder.enters_queue(now)

    def _free(self, request: Request) -> None:
        """Give back what a request holds; of an answer that grows, _stop_decoding has set what that is."""
        self.held -= request.reserved
        request.reserved = 0.0
        request.admitted = 0
        self._batch -= 1
        if not self._batch:
            self.held = 0.0  # nothing is left, not even of rounding

    # Prefill.

    def _whole_prompts(self, now: float) -> list[tuple[Request, int]]:
        """Let prompts in for a pass of their own, as many as may share it."""
        pieces: list[tuple[Request, int]] = []
        left = self._server.tokens_a_pass
        while self.waiting:
            head = self.waiting[0]
            tokens = head.known - head.hit
            if (pieces and tokens > left) or not self._lets_in(head, self.held):
                break
            pieces.append((self._let_in(now), tokens))
            left -= tokens
        self._filling = [request for request, _ in pieces]
        return pieces

    def _fill_pass(self, now: float, put_back: bool) -> list[tuple[Request, int]]:
        """Fill the next pass with pieces of prompts: of those begun first, then of those let in now."""
        pieces: list[tuple[Request, int]] = []
        left = self._server.tokens_a_pass - self._decoding
        for request in self._filling:
            tokens = min(left, request.known - request.filled)
            if tokens:
                pieces.append((request, tokens))
                left -= tokens
        while left and self.waiting and not put_back and self._lets_in(self.waiting[0], self.held + self._held_step):
            request = self._let_in(now)
            self._filling.append(request)
            tokens = min(left, request.known - request.filled)
            pieces.append((request, tokens))
            left -= tokens
        return pieces

    def _begin_prefill(self, now: float) -> None:
        """Start a pass over the pieces, in chunked mode with a token of each answer."""
        costs = self._costs
        self._decodes = self._server.chunked and self._decoding > 0
        tokens = wanted = self._decoding if self._decodes else 0
        attention, kv = (self._attention, self._kv) if self._decodes else (0.0, 0.0)
        for request, piece in self._pieces:
            tokens += piece
            wanted += request.filled + piece == request.known
            attention += costs.prefill_attention_flops(piece, request.filled)
            kv += costs.kv_bytes.at(request.filled) if request.filled else 0.0
        self._began_s = now
        self._run_passes = 1
        self.ends_s = now + costs.pass_s(tokens, wanted, attention, kv, prefilling=True)
        self.version += 1

    def _read_prompts(self, now: float, took: float) -> int:
        """Note what the pass has read, and let the prompts that are complete go on to their answers."""
        tokens = 0
        for request, piece in self._pieces:
            tokens += piece
            request.filled += piece
            if request.first_token_s < 0:
                request.prefill_s += took
            else:
                request.decode_s += took
            if request.filled == request.known:
                if request.first_token_s < 0:
                    request.first_token_s = now
                self._filling.remove(request)
                self._start_decoding(request)
        return tokens

    # Decode.

    def _start_decoding(self, request: Request) -> None:
        costs = self._costs
        request.ends_at = self._step + request.output - request.written
        request.mark_s = self._decode_s
        self._decoding += 1
        heappush(self._endings, (request.ends_at, request.admitted, request))
        self._join(request, request.known + 1)
        if costs.knots:
            self._note_turns(request)

    def _join(self, request: Request, context: int) -> None:
        """Add a request whose next pass attends to ``context`` tokens to the sums of the batch."""
        costs = self._costs
        request.joined = self._step
        request.context = context
        request.attention_slope = costs.decode_attention_flops.slope(context)
        request.kv_slope = costs.kv_bytes.slope(context - 1)
        self._attention += costs.decode_attention_flops.at(context)
        self._attention_step += request.attention_slope
        self._kv += costs.kv_bytes.at(context - 1)
        self._kv_step += request.kv_slope
        if not self._server.reserves_answers:
            request.own_slope = costs.kv_bytes.slope(context - 1 - request.hit)
            self._held_step += request.own_slope

    def _part(self, request: Request) -> int:
        """Take a request out of the sums of the batch; returns the context that its next pass would have."""
        costs = self._costs
        passes = self._step - request.joined
        context = request.context + passes
        request.joined = -1
        self._attention -= costs.decode_attention_flops.at(context)
        self._attention_step -= request.attention_slope
        self._kv -= costs.kv_bytes.at(context - 1)
        self._kv_step -= request.kv_slope
        self._held_step -= request.own_slope
        request.reserved += passes * request.own_slope
        return context

    def _stop_decoding(self, request: Request) -> None:
        self._part(request)
        request.decode_s += self._decode_s - request.mark_s
        self._decoding -= 1
        if not self._decoding:  # nothing is left, not even of rounding
            self._attention = self._attention_step = self._kv = self._kv_step = self._held_step = 0.0

    def _note_turns(self, request: Request) -> None:
        """Note when a window of the request will be full, so that something stops growing."""
        at = request.context - self._step
        turns = {k - at for knot in self._costs.knots for k in (knot, knot + 1, knot + 1 + request.hit)}
        for turn in turns:
            if self._step < turn < request.ends_at:
                heappush(self._turns, (turn, request.admitted, request))

    def _begin_run(self, now: float, most: int) -> None:
        """Start a run of decode passes: as many as go by without a change, ``most`` at most."""
        passes = most
        if self._turns:
            passes = min(passes, self._next(self._turns, self._step + most) - self._step)
        if self._held_step > 0:
            passes = min(passes, int((self.room - self.held) / self._held_step))
            while passes > 1 and self.held + passes * self._held_step > self.room:
                passes -= 1
        self._run = DecodeRun(
            self._costs, self._decoding, self._attention, self._attention_step, self._kv, self._kv_step
        )
        self._began_s = now
        self._last_until(max(1, passes))

    def _last_until(self, passes: int) -> None:
        assert self._run is not None
        self._run_passes = passes
        self.ends_s = self._began_s + self._run.seconds(passes)
        self.version += 1

    @staticmethod
    def _next(notes: list[tuple[int, int, Request]], otherwise: int = 0) -> int:
        """The step of the next note, without those of requests that were put back since."""
        while notes and (notes[0][2].admitted != notes[0][1] or notes[0][2].joined < 0):
            heappop(notes)
        return notes[0][0] if notes else otherwise

    def _write(self, passes: int, took: float) -> None:
        """Every answer is ``passes`` tokens longer."""
        self._step += passes
        self._decode_s += took
        self._attention += passes * self._attention_step
        self._kv += passes * self._kv_step
        self.held += passes * self._held_step
        self.most_held = max(self.most_held, self.held)
        while self._turns and self._turns[0][0] <= self._step:
            _, admitted, request = heappop(self._turns)
            if request.admitted == admitted and request.joined >= 0:
                self._join(request, self._part(request))

    def _leave_finished(self, now: float) -> list[Request]:
        finished = []
        while self._endings and self._endings[0][0] <= self._step:
            _, admitted, request = heappop(self._endings)
            if request.admitted == admitted and request.joined >= 0:
                request.written = request.output
                request.finished_s = now
                self._stop_decoding(request)
                self._free(request)
                self.in_flight -= 1
                finished.append(request)
        return finished
