"""What a pass of a server takes, whatever is in it: the estimate's own formulas, their constants computed once.

A pass works on the tokens of some prompts and on one token of each answer that is being written. Its time depends
on how many tokens that are, on the attention between them, and on the cache that it reads; and on each in a
straight line. So the constants of these lines are computed once, by the formulas of passes.py, roofline.py and
parallel.py, and a pass costs a few multiplications. A test holds this against the estimate.
"""

from copy import replace
from functools import lru_cache

from lessoncore import memory
from lessoncore.assumptions import ASSUMPTIONS, Assumptions
from lessoncore.attention import GroupedQueryAttention
from lessoncore.formula import Quantity
from lessoncore.parallel import (
    all_reduce_bytes,
    all_reduce_time,
    communication_time,
    latency_over_the_link,
    with_copies,
)
from lessoncore.passes import bytes_moved, kv_write_bytes, looked_up_bytes, matrix_flops, weight_bytes_of_parts
from lessoncore.precision import precision
from lessoncore.roofline import compute_time, launch_time, memory_time, unpack_time
from lessoncore.scenario import Scenario
from lessoncore.serving.linear import PiecewiseLinear, sum_of_larger, sum_of_line
from lessoncore.sheet import Sheet

# Numbers of tokens whose time is kept, so that a long visit doesn't fill the memory.
_MOST_KEPT = 16_384
# Seconds of arithmetic and of memory traffic that depend on the number of tokens alone, and of communication.
type OfTokens = tuple[float, float, float]


class PassCosts:
    """The times of all passes of one copy of a model.

    ``attention_flops``, ``kv_bytes``: of one sequence, by its tokens; the latter with all copies that are kept.
    """

    def __init__(self, scenario: Scenario, assumptions: Assumptions | None = None) -> None:
        self.assumptions = taken = assumptions or ASSUMPTIONS[scenario.assumptions]
        self.scenario = scenario
        self._sheet = sheet = Sheet(scenario, taken)
        self._of_tokens: dict[int, OfTokens] = {}
        self._own_s: dict[tuple[int, bool], float] = {}
        self._model = model = sheet.model
        self._gpus = scenario.gpus
        self._overlap = taken.overlap
        self._copies = sheet.kv_copies.value
        active = {part: count.value for part, count in sheet.of_model.active_parameters.items()}
        self._parameters = active["projection"] + active["mlp"]
        if not taken.skips_idle_parameters:
            self._parameters += active["embedding"] + active["head"]
        head = active["head"] if taken.skips_idle_parameters else 0
        self.wanted_s = self._products_s(matrix_flops(head, 1))
        self.attention_s = self._attention_s(1.0)
        self.kv_s = self._memory_s(1.0)
        self.prefill_launch_s = launch_time(model.layers, taken.prefill_layer_s)
        self.decode_launch_s = launch_time(model.layers, taken.decode_layer_s)
        kinds = [group.attention for group in model.groups]
        self.knots = tuple(sorted({k.window for k in kinds if isinstance(k, GroupedQueryAttention) and k.window}))
        size, n, state = precision(scenario.kv).bytes, scenario.gpus, model.state_bytes(scenario.gpus)
        self.decode_attention_flops = PiecewiseLinear(model.decode_attention_flops, self.knots)
        self.kv_bytes = PiecewiseLinear(lambda c: n * (model.kv_bytes(c, size, n) + state), self.knots)

    @property
    def kv_room(self) -> float:
        """Bytes for the KV cache (B), over all GPUs of a copy, as the estimate counts them; may be negative."""
        return memory.budget(self._sheet).value

    def prefill_attention_flops(self, tokens: int, before: int) -> float:
        """Work of attention for ``tokens`` tokens of a prompt after ``before`` others (FLOP)."""
        return float(self._model.attention_flops(tokens, before))

    def of_tokens(self, tokens: int) -> OfTokens:
        """What depends on the number of tokens of a pass alone: seconds of arithmetic, memory, communication."""
        known = self._of_tokens.get(tokens)
        if known is None:
            if len(self._of_tokens) >= _MOST_KEPT:
                self._of_tokens.clear()
            compute_s = self._products_s(matrix_flops(self._parameters, tokens)) + self._unpack_s(tokens)
            known = compute_s, self._memory_s(self._bytes(tokens)), self._communication_s(tokens)
            self._of_tokens[tokens] = known
        return known

    def pass_s(self, tokens: int, wanted: int, attention_flops: float, kv_read: float, prefilling: bool) -> float:
        """Time of a pass (s).

        ``tokens`` are all that it works on, ``wanted`` those that need the output head (the last of a prompt, and
        each of an answer); ``kv_read`` are bytes of cache with all copies.
        """
        compute_s, memory_s, communication_s = self.of_tokens(tokens)
        compute_s += wanted * self.wanted_s + attention_flops * self.attention_s
        memory_s += kv_read * self.kv_s
        longer, shorter = (compute_s, memory_s) if compute_s > memory_s else (memory_s, compute_s)
        launch_s = self.prefill_launch_s if prefilling else self.decode_launch_s
        if self.assumptions.own_term_s:
            launch_s += self.own_s(tokens, prefilling)
        return longer + (1 - self._overlap) * shorter + (launch_s + communication_s)

    def own_s(self, tokens: int, prefilling: bool) -> float:
        """What a reader's own code adds to a pass (s), at the scenario's mean context."""
        from lessoncore.forward import own_term

        scenario = self.scenario
        key = (tokens, prefilling)
        if key not in self._own_s:
            compute_s, memory_s, communication_s = self.of_tokens(tokens)
            one_pass = {
                "phase": "prefill" if prefilling else "decode",
                "tokens": tokens,
                "context": scenario.prompt + (0 if prefilling else scenario.output / 2),
                "flops": matrix_flops(self._parameters, tokens),
                "bytes_moved": self._bytes(tokens),
                "compute_s": compute_s,
                "memory_s": memory_s,
                "communication_s": communication_s,
            }
            self._own_s[key] = own_term(self._sheet, one_pass).value
        return self._own_s[key]

    # The parts, each by the estimate's formula.

    def _products_s(self, flops: float) -> float:
        return compute_time(flops, self._gpus, self._sheet.compute_efficiency.value, self._sheet.peak_flops.value)

    def _attention_s(self, flops: float) -> float:
        efficiency = self.assumptions.attention_efficiency
        if not efficiency:
            return self._products_s(flops)
        return compute_time(flops, self._gpus, efficiency, self._sheet.gpu.peak("bf16"))

    def _unpack_s(self, tokens: int) -> float:
        rate = self._sheet.gpu.vector_flops
        if not (self.assumptions.attention_efficiency and rate):
            return 0.0
        narrow = self._sheet.narrow_weights(tokens)
        return unpack_time(self.assumptions.unpack_operations, narrow, self._gpus, rate)

    def _memory_s(self, moved: float) -> float:
        return memory_time(moved, self._gpus, self._sheet.memory_efficiency.value, self._sheet.bandwidth.value)

    def _bytes(self, tokens: int) -> float:
        """Bytes of weights that a pass reads and of cache that it writes."""
        sheet = self._sheet
        parts = sheet.read_bytes(Quantity(tokens, "tokens", "tokens of the pass"))
        read = {f"{part}_bytes": size.value for part, size in parts.items()}
        if self.assumptions.skips_idle_parameters:
            width = parts["embedding"].inputs["bytes_per_weight"].value
            read["embedding_bytes"] = looked_up_bytes(tokens, sheet.of_model.hidden_size.value, width)
        written = with_copies(kv_write_bytes(tokens, sheet.of_model.kv_bytes_per_token.value), self._copies)
        return bytes_moved(weight_bytes_of_parts(**read), 0, written)

    def _communication_s(self, tokens: int) -> float:
        if self._gpus == 1:
            return 0.0
        taken, sheet = self.assumptions, self._sheet
        latency = latency_over_the_link(taken, sheet.gpu, sheet.gpus).value
        reduced = all_reduce_bytes(tokens, sheet.of_model.hidden_size.value, 2)
        one = all_reduce_time(latency, self._gpus, reduced, taken.link_efficiency, sheet.gpu.link_bandwidth)
        return communication_time(self._model.all_reduces, one)


def pass_costs(scenario: Scenario, assumptions: Assumptions | None) -> PassCosts:
    """The pass times of a copy: computed once, whatever the load is and however many copies there are."""
    copy = replace(scenario, batch=1, replicas=1, rate=1.0, price=0.0)
    if not (isinstance(copy.gpu, str) and isinstance(copy.model, str)):
        return PassCosts(copy, assumptions)  # given themselves, not by name: nothing to keep them by
    return _pass_costs(copy, assumptions)


@lru_cache(maxsize=16)
def _pass_costs(scenario: Scenario, assumptions: Assumptions | None) -> PassCosts:
    return PassCosts(scenario, assumptions)


class DecodeRun:
    """Decode passes of the same requests one after the other, each context growing by a token a pass.

    Arithmetic and memory traffic of the passes are two straight lines, so the time of any number of them is a sum
    in closed form.
    """

    __slots__ = ("_compute_s", "_compute_step", "_memory_s", "_memory_step", "_overlap", "_rest_s")

    def __init__(
        self,
        costs: PassCosts,
        requests: int,
        attention_flops: float,
        attention_step: float,
        kv_read: float,
        kv_step: float,
    ) -> None:
        """``attention_flops`` and ``kv_read`` are those of the first pass, the steps what each pass adds."""
        compute_s, memory_s, communication_s = costs.of_tokens(requests)
        self._compute_s = compute_s + requests * costs.wanted_s + attention_flops * costs.attention_s
        self._compute_step = attention_step * costs.attention_s
        self._memory_s = memory_s + kv_read * costs.kv_s
        self._memory_step = kv_step * costs.kv_s
        self._overlap = costs.assumptions.overlap
        self._rest_s = costs.decode_launch_s + communication_s
        if costs.assumptions.own_term_s:
            self._rest_s += costs.own_s(requests, prefilling=False)

    def seconds(self, passes: int) -> float:
        """Time of the first ``passes`` of them (s)."""
        c, dc, m, dm = self._compute_s, self._compute_step, self._memory_s, self._memory_step
        longer = sum_of_larger(c, dc, m, dm, passes)
        hidden = 1 - self._overlap
        if not hidden:
            return longer + passes * self._rest_s
        both = sum_of_line(c + m, dc + dm, passes)
        return longer + hidden * (both - longer) + passes * self._rest_s

    def passes_until(self, seconds: float, most: int) -> int:
        """The fewest passes that take at least ``seconds``: 1 to ``most``, of which it must be possible."""
        if most == 1:
            return 1
        low, high = 1, most  # no pass is shorter than the first, nor longer than the last
        low = max(low, min(high, int(seconds / (self.seconds(most) - self.seconds(most - 1)))))
        high = max(low, min(high, int(seconds / self.seconds(1)) + 1))
        if low > 1 and self.seconds(low) >= seconds:
            low = 1
        if self.seconds(high) < seconds:
            high = most
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.seconds(middle) >= seconds else (middle + 1, high)
        return low
