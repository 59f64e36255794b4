"""A request on its way through a server, and the times that it leaves behind."""


class Request:
    """One request: what is asked, when it passed which point (s), and how long passes worked on it.

    ``started_s`` is when the first pass with it began, ``first_token_s`` when its prompt had been read,
    ``finished_s`` when its answer was complete. ``prefill_s`` and ``decode_s`` are the times of the passes that
    worked on it before and after ``first_token_s``; computing again after it was put back counts among them.
    ``hit`` prompt tokens were in the cache when it came. ``replica`` is −1 for a request that was refused because
    it would not fit even alone.
    """

    __slots__ = (
        "admitted",
        "arrival_s",
        "attention_slope",
        "context",
        "decode_s",
        "ends_at",
        "filled",
        "finished_s",
        "first_token_s",
        "hit",
        "index",
        "joined",
        "kv_slope",
        "mark_s",
        "output",
        "own_slope",
        "preemptions",
        "prefill_s",
        "prompt",
        "replica",
        "reserved",
        "started_s",
        "written",
    )

    def __init__(self, index: int, arrival_s: float, prompt: int, output: int, hit: int) -> None:
        self.index = index
        self.arrival_s = arrival_s
        self.prompt = prompt
        self.output = output
        self.hit = hit
        self.replica = -1
        self.started_s = self.first_token_s = self.finished_s = -1.0
        self.prefill_s = self.decode_s = 0.0
        self.preemptions = 0
        # What its replica keeps of it while it is there.
        self.written = 0  # answer tokens written so far
        self.filled = 0  # tokens that are in the cache, while its prompt is read
        self.admitted = 0  # number of its latest admission; 0 while it waits
        self.reserved = 0.0  # bytes of cache that it holds without growing
        self.joined = -1  # the replica's decode step at which its contexts below held; -1 while it isn't decoding
        self.context = 0  # tokens that its next decode pass, at step ``joined``, attends to
        self.ends_at = 0  # decode step after which its answer is complete
        self.attention_slope = self.kv_slope = self.own_slope = 0.0
        self.mark_s = 0.0

    @property
    def known(self) -> int:
        """Tokens of which the cache must hold keys and values before the next one can be written."""
        return self.prompt + self.written

    @property
    def refused(self) -> bool:
        """Whether it could never be served."""
        return self.replica < 0

    @property
    def ttft_s(self) -> float:
        """Time to first token (s): from its arrival until its prompt has been read, the wait included."""
        return self.first_token_s - self.arrival_s

    @property
    def tpot_s(self) -> float:
        """Time per output token (s): from its first token to its last, over its tokens. TTFT isn't in it."""
        return (self.finished_s - self.first_token_s) / self.output

    @property
    def end_to_end_s(self) -> float:
        """Time from its arrival to its last token (s)."""
        return self.finished_s - self.arrival_s

    def __repr__(self) -> str:
        return f"Request({self.index}: {self.prompt} + {self.output} tokens, {self.arrival_s} to {self.finished_s} s)"
