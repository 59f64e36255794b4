"""A server: the model on its GPUs, and the rules by which requests share its passes."""

from dataclasses import dataclass, fields, replace

from lessoncore.errors import LessonError, unknown
from lessoncore.scenario import Scenario
from lessoncore.serving.checks import number, whole


@dataclass(frozen=True, slots=True)
class Server:
    """``scenario.replicas`` copies of a model, each with a queue and continuous batching of its own.

    A request goes to the copy with the fewest requests. Each copy then decides pass by pass:

    - *Prefill first* (as vLLM 0 did): while prompts wait and there is room, the next pass reads prompts, whole and as
      many as ``tokens_a_pass`` allows (a longer one alone); answers pause. Otherwise it writes a token of each answer.
    - *Chunked* prefill (as vLLM 1 and SGLang do): every pass writes a token of each answer and fills up to
      ``tokens_a_pass`` with pieces of prompts.

    At most ``batch_limit`` requests are worked on at a time (vLLM: max_num_seqs), and their caches must fit into
    ``kv_bytes`` (B, all GPUs of a copy; nothing given: what the estimate says is left). A request is let in when its
    prompt fits and a share ``watermark`` of the room stays free (vLLM: 1%); if the answers grow beyond the room, the
    request that came in last is put back to the front of the queue and computed again later. With
    ``reserves_answers`` a request is let in only when its whole answer fits as well, and none is ever put back
    (TensorRT-LLM's default).

    Of the scenario, ``prompt``, ``output`` and ``batch`` are not used: the load says what comes. ``cached`` tokens of
    every prompt are in the cache already, once for all requests (of a shorter prompt, all but its last token).

    Left out: the rounding of caches to blocks (below 1%), the time of the host between passes, and that prefill
    gives the first token already: as in the estimate each answer token takes a decode pass.
    """

    scenario: Scenario
    batch_limit: int = 256
    tokens_a_pass: int = 8192
    chunked: bool = False
    reserves_answers: bool = False
    watermark: float = 0.01
    kv_bytes: float | None = None

    def __post_init__(self) -> None:
        """Check each setting, and that a full batch leaves room for a prompt."""
        whole("Batch limit", self.batch_limit, 1, 4096)
        whole("Tokens a pass", self.tokens_a_pass, 1, 1_048_576)
        number("Watermark, a share of the memory", self.watermark, 0, 0.5)
        if self.chunked and self.tokens_a_pass < self.batch_limit:
            raise LessonError(
                f"With chunked prefill a pass has a token of each answer, so it needs at least as many tokens as the "
                f"batch limit, {self.batch_limit:,}, but {self.tokens_a_pass:,} was given."
            )

    @property
    def gpus(self) -> int:
        """GPUs of all copies."""
        return self.scenario.gpus * self.scenario.replicas

    def but(self, **changes: object) -> "Server":
        """The same server with some settings, or values of its scenario, changed.

        >>> Server(Scenario()).but(replicas=2, chunked=True).gpus
        2
        """
        own = {field.name for field in fields(self)}
        inside = {name: value for name, value in changes.items() if name not in own}
        scenario_names = list(Scenario.names)
        for name in inside:
            if name not in scenario_names:
                raise unknown("setting of a server", name, sorted(own) + scenario_names)
        outside = {name: value for name, value in changes.items() if name in own}
        server = replace(self, **outside)  # type: ignore[arg-type]
        return replace(server, scenario=server.scenario.but(**inside)) if inside else server
