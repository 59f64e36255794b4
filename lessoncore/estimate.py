"""From a scenario to its times: the prefill pass, the mean decode pass and the whole answer."""

from dataclasses import dataclass

from lessoncore.architecture import attention_width, kv_bytes_per_token
from lessoncore.assumptions import TEXTBOOK, Assumptions
from lessoncore.formula import Quantity, formula, quantity
from lessoncore.memory import kv_budget, memory_used
from lessoncore.parallel import all_reduce_bytes, all_reduce_latency, all_reduce_time, communication_time
from lessoncore.passes import (
    bytes_moved,
    decode_attention_flops,
    kv_bytes,
    pass_flops,
    prefill_attention_flops,
    projection_flops,
    weight_bytes,
)
from lessoncore.precision import precision
from lessoncore.roofline import (
    PassTime,
    compute_busy,
    compute_time,
    intensity,
    memory_busy,
    memory_time,
    pass_time,
    ridge_point,
    shared_pass_time,
)
from lessoncore.scenario import Scenario

_READER = "the request"


@formula("{prompt} + {output} / 2")
def context_at_mid_answer(prompt: float, output: float) -> float:
    """Tokens that a decode pass looks back on, on average over the answer.

    >>> context_at_mid_answer(prompt=2000, output=500)
    2250.0
    """
    return prompt + output / 2


@formula("{prompt} + {output}")
def context_at_end(prompt: float, output: float) -> float:
    """Tokens in the KV cache when the answer is complete.

    >>> context_at_end(prompt=2000, output=500)
    2500
    """
    return prompt + output


@formula("{output} · {tpot_s}")
def decode_time(output: float, tpot_s: float) -> float:
    """Time of all decode passes (s), one pass for each token of the answer.

    >>> round(decode_time(output=500, tpot_s=0.0061), 3)
    3.05
    """
    return output * tpot_s


@formula("{ttft_s} + {decode_s}")
def total_time(ttft_s: float, decode_s: float) -> float:
    """Time from sending the prompt to the last token (s).

    >>> round(total_time(ttft_s=0.0559, decode_s=3.0516), 4)
    3.1075
    """
    return ttft_s + decode_s


@formula("{decode_s} / {total_s}")
def share_of_decode(decode_s: float, total_s: float) -> float:
    """Share of the whole time that goes into writing the answer.

    >>> round(share_of_decode(decode_s=3.0516, total_s=3.1075), 3)
    0.982
    """
    return decode_s / total_s


@dataclass(frozen=True, slots=True)
class Estimate:
    """Everything the model says about one scenario. Times in seconds, sizes in bytes."""

    scenario: Scenario
    assumptions: Assumptions
    prefill: PassTime
    decode: PassTime
    weight_bytes: Quantity
    kv_bytes_per_token: Quantity
    ridge: Quantity
    decode_s: Quantity
    total_s: Quantity
    decode_share: Quantity
    memory_used: Quantity
    memory_bytes: Quantity
    bandwidth: Quantity
    kv_budget: Quantity

    @property
    def ttft_s(self) -> Quantity:
        """Time to first token: the prefill pass."""
        return self.prefill.time_s

    @property
    def tpot_s(self) -> Quantity:
        """Time per output token: the mean decode pass."""
        return self.decode.time_s

    @property
    def fits(self) -> bool:
        """Whether weights and the KV cache of the whole batch fit beside the runtime."""
        return self.memory_used.value - self.weight_bytes.value <= self.kv_budget.value


class _Sheet:
    """The given quantities of a scenario, and the passes built on them."""

    def __init__(self, scenario: Scenario, assumptions: Assumptions) -> None:
        gpu, model = scenario.hardware, scenario.architecture
        taken = assumptions.source
        self.scenario = scenario
        self.assumptions = assumptions
        self.gpus = Quantity(scenario.gpus, "gpus", _READER)
        self.batch = Quantity(scenario.batch, "batch", _READER)
        self.prompt = Quantity(scenario.prompt, "prompt", _READER)
        self.output = Quantity(scenario.output, "output", _READER)
        self.layers = Quantity(model.layers, "layers", model.source)
        self.hidden_size = Quantity(model.hidden_size, "hidden_size", model.source)
        self.head_dim = Quantity(model.head_dim, "head_dim", model.source)
        self.parameters = Quantity(model.parameters.total, "parameters", f"counted from {model.source}")
        self.peak_flops = Quantity(gpu.peak(scenario.maths), "peak_flops", gpu.source)
        self.bandwidth = Quantity(gpu.bandwidth, "bandwidth", gpu.source)
        self.memory_bytes = Quantity(gpu.memory_bytes, "memory_bytes", gpu.source)
        self.link_bandwidth = Quantity(gpu.link_bandwidth, "link_bandwidth", gpu.source)
        self.compute_efficiency = Quantity(assumptions.compute_efficiency, "compute_efficiency", taken)
        self.memory_efficiency = Quantity(assumptions.memory_efficiency, "memory_efficiency", taken)
        self.attention_width = quantity(
            "attention_width",
            attention_width,
            layers=self.layers,
            heads=Quantity(model.heads, "heads", model.source),
            head_dim=self.head_dim,
        )
        self.kv_bytes_per_token = quantity(
            "kv_bytes_per_token",
            kv_bytes_per_token,
            layers=self.layers,
            kv_heads=Quantity(model.kv_heads, "kv_heads", model.source),
            head_dim=self.head_dim,
            bytes_per_kv=Quantity(precision(scenario.kv).bytes, "bytes_per_kv", scenario.kv),
        )
        self.weight_bytes = quantity(
            "weight_bytes",
            weight_bytes,
            parameters=self.parameters,
            bytes_per_weight=Quantity(precision(scenario.weights).bytes, "bytes_per_weight", scenario.weights),
        )

    def timed(self, symbol: str, tokens: Quantity, attention: Quantity, cache: Quantity) -> PassTime:
        """Time a pass of ``tokens`` tokens with the given attention work and KV traffic."""
        flops = quantity(
            "flops",
            pass_flops,
            projection_flops=quantity("projection_flops", projection_flops, parameters=self.parameters, tokens=tokens),
            attention_flops=attention,
        )
        moved = quantity("bytes_moved", bytes_moved, weight_bytes=self.weight_bytes, kv_bytes=cache)
        compute_s = quantity(
            "compute_s",
            compute_time,
            flops=flops,
            gpus=self.gpus,
            compute_efficiency=self.compute_efficiency,
            peak_flops=self.peak_flops,
        )
        memory_s = quantity(
            "memory_s",
            memory_time,
            bytes_moved=moved,
            gpus=self.gpus,
            memory_efficiency=self.memory_efficiency,
            bandwidth=self.bandwidth,
        )
        time_s = self._pass_time(symbol, compute_s, memory_s, tokens)
        return PassTime(
            flops=flops,
            bytes_moved=moved,
            compute_s=compute_s,
            memory_s=memory_s,
            time_s=time_s,
            intensity=quantity("intensity", intensity, flops=flops, bytes_moved=moved),
            compute_busy=quantity(
                "compute_busy",
                compute_busy,
                flops=flops,
                gpus=self.gpus,
                peak_flops=self.peak_flops,
                pass_s=time_s,
            ),
            memory_busy=quantity(
                "memory_busy",
                memory_busy,
                bytes_moved=moved,
                gpus=self.gpus,
                bandwidth=self.bandwidth,
                pass_s=time_s,
            ),
        )

    def _pass_time(self, symbol: str, compute_s: Quantity, memory_s: Quantity, tokens: Quantity) -> Quantity:
        if self.scenario.gpus == 1:
            return quantity(symbol, pass_time, compute_s=compute_s, memory_s=memory_s)
        return quantity(
            symbol,
            shared_pass_time,
            compute_s=compute_s,
            memory_s=memory_s,
            communication_s=self._communication(tokens),
        )

    def _communication(self, tokens: Quantity) -> Quantity:
        taken = self.assumptions
        latency = quantity(
            "all_reduce_latency_s",
            all_reduce_latency,
            link_latency_s=Quantity(taken.link_latency_s, "link_latency_s", taken.source),
            link_latency_per_gpu_s=Quantity(taken.link_latency_per_gpu_s, "link_latency_per_gpu_s", taken.source),
            gpus=self.gpus,
        )
        one = quantity(
            "all_reduce_s",
            all_reduce_time,
            all_reduce_latency_s=latency,
            gpus=self.gpus,
            all_reduce_bytes=quantity(
                "all_reduce_bytes",
                all_reduce_bytes,
                tokens=tokens,
                hidden_size=self.hidden_size,
                bytes_per_activation=Quantity(2, "bytes_per_activation", "bf16 activations"),
            ),
            link_bandwidth=self.link_bandwidth,
        )
        return quantity("communication_s", communication_time, layers=self.layers, all_reduce_s=one)

    def cache(self, batch: Quantity, context: Quantity) -> Quantity:
        """KV cache of ``batch`` requests with ``context`` tokens each."""
        return quantity("kv_bytes", kv_bytes, batch=batch, context=context, kv_bytes_per_token=self.kv_bytes_per_token)

    def prefill(self) -> PassTime:
        """The pass that reads the prompt."""
        attention = quantity(
            "attention_flops",
            prefill_attention_flops,
            attention_width=self.attention_width,
            tokens=self.prompt,
        )
        one = Quantity(1, "batch", "one prompt a pass")
        return self.timed("ttft_s", self.prompt, attention, self.cache(one, self.prompt))

    def decode(self) -> PassTime:
        """The mean pass that writes one token for each request of the batch."""
        context = quantity("context", context_at_mid_answer, prompt=self.prompt, output=self.output)
        attention = quantity(
            "attention_flops",
            decode_attention_flops,
            attention_width=self.attention_width,
            context=context,
            batch=self.batch,
        )
        return self.timed("tpot_s", self.batch, attention, self.cache(self.batch, context))


def estimate(scenario: Scenario, assumptions: Assumptions = TEXTBOOK) -> Estimate:
    """Estimate the times and the memory of ``scenario``.

    >>> e = estimate(Scenario())  # Llama 3.1 8B in bf16 on one H100, 2,000 tokens in, 500 out
    >>> e.ttft_s, e.tpot_s, e.total_s
    (Quantity(ttft_s=55.87\xa0ms), Quantity(tpot_s=6.103\xa0ms), Quantity(total_s=3.107\xa0s))
    """
    sheet = _Sheet(scenario, assumptions)
    prefill, decode = sheet.prefill(), sheet.decode()
    decode_s = quantity("decode_s", decode_time, output=sheet.output, tpot_s=decode.time_s)
    total_s = quantity("total_s", total_time, ttft_s=prefill.time_s, decode_s=decode_s)
    end = quantity("context_end", context_at_end, prompt=sheet.prompt, output=sheet.output)
    return Estimate(
        scenario=scenario,
        assumptions=assumptions,
        prefill=prefill,
        decode=decode,
        weight_bytes=sheet.weight_bytes,
        kv_bytes_per_token=sheet.kv_bytes_per_token,
        ridge=quantity("ridge", ridge_point, peak_flops=sheet.peak_flops, bandwidth=sheet.bandwidth),
        decode_s=decode_s,
        total_s=total_s,
        decode_share=quantity("decode_share", share_of_decode, decode_s=decode_s, total_s=total_s),
        memory_used=quantity(
            "memory_used",
            memory_used,
            weight_bytes=sheet.weight_bytes,
            kv_bytes=sheet.cache(sheet.batch, end),
        ),
        memory_bytes=sheet.memory_bytes,
        bandwidth=sheet.bandwidth,
        kv_budget=quantity(
            "kv_budget",
            kv_budget,
            gpus=sheet.gpus,
            usable_share=Quantity(assumptions.usable_share, "usable_share", assumptions.source),
            memory_bytes=sheet.memory_bytes,
            runtime_bytes=Quantity(assumptions.runtime_bytes, "runtime_bytes", assumptions.source),
            weight_bytes=sheet.weight_bytes,
        ),
    )
