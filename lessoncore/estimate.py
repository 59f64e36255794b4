"""From a scenario to its figures: times, rates, memory, prices. Each is computed when it is first asked for."""

from functools import cached_property
from typing import TYPE_CHECKING

from lessoncore import memory
from lessoncore.assumptions import ASSUMPTIONS, Assumptions
from lessoncore.formula import Quantity, formula, quantity
from lessoncore.forward import attention_time, decode_pass, prefill_pass, products_time
from lessoncore.passes import decode_attention_flops, kv_bytes
from lessoncore.roofline import (
    PassTime,
    batch_crossover,
    crossover,
    crossover_by_datasheet,
    decode_limit,
    flop_rate,
    reached_decode_limit,
    reached_ridge,
    ridge_point,
)
from lessoncore.scenario import Scenario
from lessoncore.sheet import Sheet

if TYPE_CHECKING:
    from lessoncore.serving.served import Served
    from lessoncore.training import TrainingEstimate


@formula("{prompt} + {output} / 2")
def context_at_mid_answer(prompt: float, output: float) -> float:
    """Context of a decode pass (tokens), the token it writes included, on average over the answer.

    Source: first principles, the mean of n + 1 to n + m without its half a token.

    >>> context_at_mid_answer(prompt=2000, output=500)
    2250.0
    """
    return prompt + output / 2


@formula("{prompt} + {output}")
def context_at_end(prompt: float, output: float) -> float:
    """Context when the answer is complete (tokens): what the KV cache then holds.

    Source: by definition.

    >>> context_at_end(prompt=2000, output=500)
    2500
    """
    return prompt + output


@formula("{output} · {tpot_s}")
def decode_time(output: float, tpot_s: float) -> float:
    """Time of all decode passes (s), one pass for each token of the answer.

    Source: by definition.

    >>> round(decode_time(output=500, tpot_s=0.0061), 3)
    3.05
    """
    return output * tpot_s


@formula("{ttft_s} + {decode_s}")
def total_time(ttft_s: float, decode_s: float) -> float:
    """Time from sending the prompt to the last token (s).

    Source: by definition.

    >>> round(total_time(ttft_s=0.0559, decode_s=3.0516), 4)
    3.1075
    """
    return ttft_s + decode_s


@formula("{decode_s} / {total_s}")
def share_of_decode(decode_s: float, total_s: float) -> float:
    """Share of the whole time that goes into writing the answer.

    Source: by definition.

    >>> round(share_of_decode(decode_s=3.0516, total_s=3.1075), 3)
    0.982
    """
    return decode_s / total_s


@formula("{attention_flops} / {flops}")
def share_of_attention(attention_flops: float, flops: float) -> float:
    """Share of attention in the arithmetic of a pass.

    Source: by definition.

    >>> round(share_of_attention(attention_flops=1.05e12, flops=33.17e12), 3)
    0.032
    """
    return attention_flops / flops


class Estimate:
    """Everything the model says about one scenario. Times in seconds, sizes in bytes, money in US dollars."""

    def __init__(self, scenario: Scenario, assumptions: Assumptions) -> None:
        self.scenario = scenario
        self.assumptions = assumptions
        self._sheet = Sheet(scenario, assumptions)

    # Time.

    @cached_property
    def prefill(self) -> PassTime:
        """The pass that reads the prompt."""
        return prefill_pass(self._sheet)

    @cached_property
    def decode(self) -> PassTime:
        """The mean pass that writes one token for each request of the batch: the one at mid-answer."""
        return decode_pass(self._sheet, self.context)

    @cached_property
    def context(self) -> Quantity:
        """Tokens that the mean decode pass looks back on."""
        return quantity("context", context_at_mid_answer, prompt=self._sheet.prompt, output=self._sheet.output)

    def decode_at(self, context: float) -> PassTime:
        """The decode pass in which each request has ``context`` tokens."""
        return decode_pass(self._sheet, Quantity(context, "context", "chosen"))

    @property
    def ttft_s(self) -> Quantity:
        """Time to first token: the prefill pass, without any wait in a queue."""
        return self.prefill.time_s

    @property
    def tpot_s(self) -> Quantity:
        """Time per output token: the mean decode pass. The first token's time isn't in it."""
        return self.decode.time_s

    @cached_property
    def decode_s(self) -> Quantity:
        """Time of all decode passes."""
        return quantity("decode_s", decode_time, output=self._sheet.output, tpot_s=self.tpot_s)

    @cached_property
    def total_s(self) -> Quantity:
        """Time of the whole answer."""
        return quantity("total_s", total_time, ttft_s=self.ttft_s, decode_s=self.decode_s)

    @cached_property
    def decode_share(self) -> Quantity:
        """Share of the time that is decode."""
        return quantity("decode_share", share_of_decode, decode_s=self.decode_s, total_s=self.total_s)

    @cached_property
    def attention_share(self) -> Quantity:
        """Share of attention in the arithmetic of the prefill pass."""
        flops = self.prefill.work.flops
        return quantity("attention_share", share_of_attention, attention_flops=flops.attention, flops=flops.total)

    @cached_property
    def prefill_products_s(self) -> Quantity:
        """Time for the matrix products with weights in the prefill pass."""
        return products_time(self._sheet, self.prefill.work)

    @cached_property
    def prefill_attention_s(self) -> Quantity:
        """Time for the attention of the prefill pass."""
        return attention_time(self._sheet, self.prefill.work)

    @cached_property
    def prefill_rate(self) -> Quantity:
        """Arithmetic rate that the prefill pass reaches on each GPU."""
        return self._rate(self.prefill)

    @cached_property
    def decode_rate(self) -> Quantity:
        """Arithmetic rate that the mean decode pass reaches on each GPU."""
        return self._rate(self.decode)

    def _rate(self, one: PassTime) -> Quantity:
        return quantity("flop_rate", flop_rate, flops=one.flops, gpus=self._sheet.gpus, pass_s=one.time_s)

    # Limits of the GPU.

    @property
    def bandwidth(self) -> Quantity:
        """Memory bandwidth of a GPU."""
        return self._sheet.bandwidth

    @property
    def peak_flops(self) -> Quantity:
        """Peak arithmetic rate of a GPU in the scenario's number format."""
        return self._sheet.peak_flops

    @cached_property
    def training(self) -> "TrainingEstimate":
        """The same model trained on 15 trillion tokens on the same kind of GPU."""
        from lessoncore.training import Training, training

        return training(
            Training(gpu=self.scenario.gpu, model=self.scenario.architecture, price=self.scenario.price),
            self.assumptions,
        )

    @cached_property
    def ridge(self) -> Quantity:
        """FLOP per byte from which a pass is compute-bound by the datasheet."""
        return quantity("ridge", ridge_point, peak_flops=self._sheet.peak_flops, bandwidth=self._sheet.bandwidth)

    @cached_property
    def reached_ridge(self) -> Quantity:
        """FLOP per byte from which a pass is compute-bound with the efficiencies that are assumed."""
        return quantity(
            "reached_ridge",
            reached_ridge,
            compute_efficiency=self._sheet.compute_efficiency,
            peak_flops=self._sheet.peak_flops,
            memory_efficiency=self._sheet.memory_efficiency,
            bandwidth=self._sheet.bandwidth,
        )

    @cached_property
    def crossover_by_datasheet(self) -> Quantity:
        """Tokens up to which a pass is memory-bound, by the datasheet."""
        return quantity(
            "datasheet_crossover",
            crossover_by_datasheet,
            weight_bytes=self._sheet.of_model.weight_bytes,
            peak_flops=self._sheet.peak_flops,
            active_parameters=self._sheet.of_model.parameters_a_token,
            bandwidth=self._sheet.bandwidth,
        )

    @cached_property
    def crossover(self) -> Quantity:
        """Tokens up to which a pass is memory-bound, with the efficiencies that are assumed."""
        return quantity(
            "crossover",
            crossover,
            weight_bytes=self._sheet.of_model.weight_bytes,
            compute_efficiency=self._sheet.compute_efficiency,
            peak_flops=self._sheet.peak_flops,
            active_parameters=self._sheet.of_model.parameters_a_token,
            memory_efficiency=self._sheet.memory_efficiency,
            bandwidth=self._sheet.bandwidth,
        )

    @cached_property
    def decode_limit_s(self) -> Quantity:
        """Shortest possible time per output token, by the datasheet: the time to read a GPU's share of the weights."""
        return quantity(
            "decode_limit_s", decode_limit, weight_bytes=self.memory_fit.weights, bandwidth=self._sheet.bandwidth
        )

    @cached_property
    def reached_decode_limit_s(self) -> Quantity:
        """Shortest time per output token at the bandwidth that is reached."""
        return quantity(
            "decode_limit_s",
            reached_decode_limit,
            weight_bytes=self.memory_fit.weights,
            memory_efficiency=self._sheet.memory_efficiency,
            bandwidth=self._sheet.bandwidth,
        )

    @cached_property
    def batch_crossover(self) -> Quantity | None:
        """Requests up to which a decode pass is memory-bound; nothing where a batch of any size is.

        Nor is there one number where it depends on the batch in other ways: experts, several GPUs, other terms.
        """
        of, one = self._sheet.of_model, Quantity(1, "batch", "one request")
        if not self._sheet.model.uniform_attention or self._sheet.model.has_experts or self.scenario.gpus > 1:
            return None
        if not self.assumptions.is_plain or self.assumptions.attention_efficiency:
            return None
        flops = quantity(
            "sequence_flops",
            decode_attention_flops,
            attention_width=of.attention_width,
            context=self.context,
            batch=one,
        )
        moved = quantity(
            "sequence_bytes", kv_bytes, batch=one, context=self.context, kv_bytes_per_token=self.kv_bytes_per_token
        )
        if (2 * of.parameters_a_token.value + flops.value) / self.reached_ridge.value <= moved.value:
            return None
        return quantity(
            "batch_crossover",
            batch_crossover,
            weight_bytes=of.weight_bytes,
            active_parameters=of.parameters_a_token,
            sequence_flops=flops,
            reached_ridge=self.reached_ridge,
            sequence_bytes=moved,
        )

    # Rates.

    @cached_property
    def tokens_per_s(self) -> Quantity:
        """Tokens that the batch writes in a second of decode."""
        from lessoncore.rates import tokens_per_second

        return quantity("tokens_per_s", tokens_per_second, batch=self._sheet.batch, tpot_s=self.tpot_s)

    @cached_property
    def user_tokens_per_s(self) -> Quantity:
        """Tokens that one user gets in a second of decode."""
        from lessoncore.rates import tokens_per_second_of_a_user

        return quantity("user_tokens_per_s", tokens_per_second_of_a_user, tpot_s=self.tpot_s)

    @cached_property
    def gpu_tokens_per_s(self) -> Quantity:
        """Tokens that each GPU contributes in a second of decode."""
        from lessoncore.rates import tokens_per_second_of_a_gpu

        return quantity(
            "gpu_tokens_per_s", tokens_per_second_of_a_gpu, tokens_per_s=self.tokens_per_s, gpus=self._sheet.gpus
        )

    @cached_property
    def packed_prefill(self) -> PassTime:
        """The prefill pass of a busy server, which short prompts share."""
        prompts = self._sheet.assumptions.tokens_per_pass // int(self._sheet.new_tokens.value)
        return prefill_pass(self._sheet, max(1, min(prompts, self.scenario.batch)))

    @cached_property
    def prefill_share_s(self) -> Quantity:
        """Time of the GPUs that one prompt takes on a busy server."""
        from lessoncore.rates import prefill_share

        packed = self.packed_prefill
        if packed.time_s.symbol == "ttft_s":
            return packed.time_s
        prompts = round(packed.work.flops.projections.inputs["tokens"].value / self._sheet.new_tokens.value)
        shared = Quantity(prompts, "prompts", "short prompts share a pass")
        return quantity("prefill_share_s", prefill_share, packed_prefill_s=packed.time_s, prompts=shared)

    @cached_property
    def request_s(self) -> Quantity:
        """Time of the GPUs that a request takes all told, on a server that is always busy."""
        from lessoncore.rates import request_time

        return quantity(
            "request_s",
            request_time,
            prefill_share_s=self.prefill_share_s,
            output=self._sheet.output,
            tpot_s=self.tpot_s,
            batch=self._sheet.batch,
        )

    @cached_property
    def requests_per_s(self) -> Quantity:
        """Requests that all copies finish in a second when always busy."""
        from lessoncore.rates import requests_per_second

        replicas = Quantity(self.scenario.replicas, "replicas", "the request")
        return quantity("requests_per_s", requests_per_second, replicas=replicas, request_s=self.request_s)

    @cached_property
    def throughput(self) -> Quantity:
        """Answer tokens that all copies write in a second when always busy, prefill included."""
        from lessoncore.rates import throughput

        return quantity("throughput", throughput, output=self._sheet.output, requests_per_s=self.requests_per_s)

    @cached_property
    def loaded_tpot_s(self) -> Quantity:
        """Time between a user's tokens when the other requests are replaced as they finish."""
        from lessoncore.rates import loaded_tpot

        return quantity(
            "loaded_tpot_s",
            loaded_tpot,
            tpot_s=self.tpot_s,
            batch=self._sheet.batch,
            output=self._sheet.output,
            prefill_share_s=self.prefill_share_s,
        )

    @cached_property
    def served(self) -> "Served | None":
        """Its server under ``rate`` requests a second, simulated; nothing where memory has no room for them."""
        from lessoncore.serving.served import served

        return served(self.scenario, self.assumptions)

    # Memory.

    @property
    def input_table_bytes(self) -> Quantity:
        """Bytes of the table that turns tokens into numbers, of which a pass needs a few rows."""
        return self._sheet.of_model.stored_bytes["embedding"]

    @property
    def model_givens(self) -> dict[str, Quantity]:
        """What the model's shape and the request give to a formula, by symbol; for models with one kind of layer."""
        sheet, of = self._sheet, self._sheet.of_model
        return {
            "parameters": of.parameters,
            "bytes_per_weight": of.bytes_per_weight,
            "prompt": sheet.prompt,
            "batch": sheet.batch,
            **of.attention_width.inputs,
        }

    @property
    def weight_bytes(self) -> Quantity:
        """Bytes of the weights, over all GPUs of a copy."""
        return self._sheet.of_model.weight_bytes

    @property
    def kv_bytes_per_token(self) -> Quantity:
        """Bytes that a token adds to the cache."""
        return self._sheet.of_model.kv_bytes_per_token

    @property
    def memory_bytes(self) -> Quantity:
        """Memory of a GPU, as the driver reports it."""
        return self._sheet.memory_bytes

    @cached_property
    def context_end(self) -> Quantity:
        """Tokens of a request when its answer is complete."""
        return quantity("context_end", context_at_end, prompt=self._sheet.prompt, output=self._sheet.output)

    @cached_property
    def kv_bytes(self) -> Quantity:
        """KV cache of the whole batch when its answers are complete."""
        return memory.cache(self._sheet, self._sheet.batch, self.context_end)

    @cached_property
    def _kv_copies(self) -> Quantity:
        """How often each byte of that cache is kept, over all GPUs."""
        return self._sheet.copies_of(self.context_end)

    @cached_property
    def memory_used(self) -> Quantity:
        """Bytes of weights and KV cache, over all GPUs of a copy."""
        return quantity(
            "memory_used",
            memory.memory_used,
            weight_bytes=self.weight_bytes,
            kv_bytes=self.kv_bytes,
            kv_copies=self._kv_copies,
        )

    @cached_property
    def kv_budget(self) -> Quantity:
        """Bytes left for the KV cache, over all GPUs of a copy; negative when the weights don't fit."""
        return memory.budget(self._sheet)

    @cached_property
    def memory_fit(self) -> memory.MemoryFit:
        """One GPU's memory by part."""
        return memory.fit(self._sheet, self.kv_bytes, self._kv_copies)

    @property
    def fits(self) -> bool:
        """Whether weights and the KV cache of the whole batch fit beside the runtime."""
        return self.memory_used.value - self.weight_bytes.value <= self.kv_budget.value

    @property
    def too_long(self) -> bool:
        """Whether prompt and answer are longer than the model was made for, where that is known."""
        return 0 < self._sheet.model.longest_context < self.context_end.value

    @cached_property
    def kv_tokens(self) -> Quantity:
        """Tokens for whose keys and values there is room, shared by all requests."""
        return quantity(
            "kv_tokens",
            memory.tokens_that_fit,
            kv_budget=self.kv_budget,
            kv_bytes_per_token=self.kv_bytes_per_token,
            kv_copies=self._sheet.kv_copies,
        )

    @cached_property
    def largest_batch(self) -> Quantity:
        """Requests of this length that fit at the same time."""
        one = Quantity(1, "batch", "one request")
        return quantity(
            "largest_batch",
            memory.requests_that_fit,
            kv_budget=self.kv_budget,
            request_kv_bytes=memory.cache(self._sheet, one, self.context_end, "request_kv_bytes"),
            kv_copies=self._kv_copies,
        )

    @cached_property
    def longest_context(self) -> Quantity:
        """Tokens, prompt and answer together, that each request of this batch may have."""
        return memory.longest_context(self._sheet, self.kv_budget, self.kv_tokens)

    def advice(self) -> list[str]:
        """What to change when it doesn't fit, a sentence each, and whether it is too long for the model."""
        from lessoncore.advice import advice

        return advice(self)

    # Money and energy.

    @cached_property
    def price(self) -> Quantity | None:
        """Price of a GPU hour: the scenario's, else the middle of the catalogue's range, else nothing."""
        from lessoncore.price import price_of

        return price_of(self._sheet.gpu, self.scenario.price, "the request")

    @cached_property
    def input_cost(self) -> Quantity | None:
        """Price of a million prompt tokens; nothing where no price is known."""
        from lessoncore.price import input_cost

        return self.price and quantity(
            "input_cost",
            input_cost,
            gpus=self._sheet.gpus,
            price=self.price,
            prefill_share_s=self.prefill_share_s,
            prompt=self._sheet.prompt,
        )

    @cached_property
    def output_cost(self) -> Quantity | None:
        """Price of a million answer tokens; nothing where no price is known."""
        from lessoncore.price import output_cost

        return self.price and quantity(
            "output_cost",
            output_cost,
            gpus=self._sheet.gpus,
            price=self.price,
            tpot_s=self.tpot_s,
            batch=self._sheet.batch,
        )

    @cached_property
    def request_cost(self) -> Quantity | None:
        """Price of one request; nothing where no price is known."""
        from lessoncore.price import request_cost

        if not (self.input_cost and self.output_cost):
            return None
        return quantity(
            "request_cost",
            request_cost,
            prompt=self._sheet.prompt,
            input_cost=self.input_cost,
            output=self._sheet.output,
            output_cost=self.output_cost,
        )

    @cached_property
    def fleet_price(self) -> Quantity | None:
        """Price of an hour of all GPUs of all copies; nothing where no price is known."""
        from lessoncore.price import fleet_price

        replicas = Quantity(self.scenario.replicas, "replicas", "the request")
        return self.price and quantity(
            "fleet_price", fleet_price, replicas=replicas, gpus=self._sheet.gpus, price=self.price
        )

    @cached_property
    def input_energy(self) -> Quantity | None:
        """Energy of a prompt token, at most; nothing where the board's power isn't known."""
        from lessoncore.price import input_energy

        return self._board_power and quantity(
            "input_energy",
            input_energy,
            gpus=self._sheet.gpus,
            board_power=self._board_power,
            prefill_share_s=self.prefill_share_s,
            prompt=self._sheet.prompt,
        )

    @cached_property
    def output_energy(self) -> Quantity | None:
        """Energy of an answer token, at most; nothing where the board's power isn't known."""
        from lessoncore.price import output_energy

        return self._board_power and quantity(
            "output_energy",
            output_energy,
            gpus=self._sheet.gpus,
            board_power=self._board_power,
            tpot_s=self.tpot_s,
            batch=self._sheet.batch,
        )

    @cached_property
    def _board_power(self) -> Quantity | None:
        gpu = self._sheet.gpu
        return Quantity(gpu.tdp_w, "board_power", gpu.source) if gpu.tdp_w else None


def estimate(scenario: Scenario, assumptions: Assumptions | None = None) -> Estimate:
    """Estimate the times, the memory and the price of ``scenario``, with its own assumptions or others.

    >>> e = estimate(Scenario())  # Llama 3.1 8B in bf16 on one H100, 2,000 tokens in, 500 out
    >>> e.ttft_s, e.tpot_s, e.total_s
    (Quantity(ttft_s=55.87\xa0ms), Quantity(tpot_s=6.103\xa0ms), Quantity(total_s=3.107\xa0s))
    """
    return Estimate(scenario, assumptions or ASSUMPTIONS[scenario.assumptions])
