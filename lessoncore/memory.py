"""What has to fit into the GPUs' memory, and what fits."""

from math import floor

from lessoncore.architecture import Architecture
from lessoncore.attention import GroupedQueryAttention
from lessoncore.feedforward import Experts
from lessoncore.formula import Counted, Quantity, formula, quantity
from lessoncore.passes import kv_bytes, kv_bytes_of_sequences
from lessoncore.record import Record
from lessoncore.sheet import Sheet

# A context that no window outgrows, where caches stop growing.
ENDLESS = 2**40
_WIDEST = "the widest MLP, or the experts of a token side by side"


@formula("{weight_bytes} + {kv_bytes} · {kv_copies}")
def memory_used(weight_bytes: float, kv_bytes: float, kv_copies: float) -> float:
    """Bytes that weights and KV cache take (B), over all GPUs that share the model.

    Source: by definition.

    >>> memory_used(weight_bytes=16.06e9, kv_bytes=0.33e9, kv_copies=1)
    16390000000.0
    """
    return weight_bytes + kv_bytes * kv_copies


@formula("{pass_tokens} · (4 · {hidden_size} + 2 · {mlp_width} / {gpus}) · {bytes_per_activation}")
def activation_bytes(
    pass_tokens: float, hidden_size: float, mlp_width: float, gpus: float, bytes_per_activation: float
) -> float:
    """Bytes of activations on one GPU during the largest pass (B), with fused attention.

    Four hidden states (the residual, its norm, attention's result and what is added up) and two of the wide
    vectors inside the MLP, which the GPUs share. What kernels use besides is left out.

    Source: first principles, for fused attention (arXiv 2205.14135).

    >>> round(activation_bytes(8192, hidden_size=4096, mlp_width=14336, gpus=1, bytes_per_activation=2) / 1e9, 2)
    0.74
    """
    return pass_tokens * (4 * hidden_size + 2 * mlp_width / gpus) * bytes_per_activation


@formula("{gpus} · ({usable_share} · {memory_bytes} − {runtime_bytes}) − {weight_bytes}")
def kv_budget(
    gpus: float, usable_share: float, memory_bytes: float, runtime_bytes: float, weight_bytes: float
) -> float:
    """Bytes that are left for the KV cache (B), over all GPUs; negative when the weights don't fit.

    Source: vLLM documentation, gpu_memory_utilization.

    >>> round(kv_budget(1, 0.90, 81559 * 2**20, 2e9, 16_060_522_496) / 1e9, 1)
    58.9
    """
    return gpus * (usable_share * memory_bytes - runtime_bytes) - weight_bytes


@formula("{usable_share} · {memory_bytes} − {runtime_bytes} − {gpu_weight_bytes}")
def kv_budget_of_a_gpu(
    usable_share: float, memory_bytes: float, runtime_bytes: float, gpu_weight_bytes: float
) -> float:
    """Bytes that are left for the KV cache on each GPU (B).

    Source: vLLM documentation, gpu_memory_utilization.

    >>> round(kv_budget_of_a_gpu(0.90, 81559 * 2**20, 2e9, gpu_weight_bytes=141.1e9 / 4) / 1e9, 1)
    39.7
    """
    return usable_share * memory_bytes - runtime_bytes - gpu_weight_bytes


@formula("{gpus} · ({usable_share} · {memory_bytes} − {runtime_bytes} − {activation_bytes}) − {weight_bytes}")
def kv_budget_beside_activations(
    gpus: float,
    usable_share: float,
    memory_bytes: float,
    runtime_bytes: float,
    activation_bytes: float,
    weight_bytes: float,
) -> float:
    """Bytes that are left for the KV cache when activations are counted apart (B), over all GPUs.

    Llama 3.1 8B on an H100 at 0.95 utilisation: about 58 GiB measured (57 vLLM runs, llm-d planner).

    Source: vLLM documentation, gpu_memory_utilization.

    >>> round(kv_budget_beside_activations(1, 0.95, 81559 * 2**20, 2e9, 0.74e9, 16_060_522_496) / 2**30, 1)
    58.2
    """
    return gpus * (usable_share * memory_bytes - runtime_bytes - activation_bytes) - weight_bytes


@formula("max(0, ⌊{kv_budget} / ({kv_bytes_per_token} · {kv_copies})⌋)")
def tokens_that_fit(kv_budget: float, kv_bytes_per_token: float, kv_copies: float) -> float:
    """Tokens for whose keys and values there is room (tokens), shared by all requests.

    Source: by definition.

    >>> tokens_that_fit(kv_budget=58.9e9, kv_bytes_per_token=131072, kv_copies=1)
    449371
    """
    return max(0, floor(kv_budget / (kv_bytes_per_token * kv_copies)))


@formula("max(0, ⌊{kv_budget} / ({request_kv_bytes} · {kv_copies})⌋)")
def requests_that_fit(kv_budget: float, request_kv_bytes: float, kv_copies: float) -> float:
    """Requests of one length whose caches fit at the same time.

    Source: by definition.

    >>> requests_that_fit(kv_budget=58.9e9, request_kv_bytes=2500 * 131072, kv_copies=1)
    179
    """
    return max(0, floor(kv_budget / (request_kv_bytes * kv_copies)))


@formula("⌊{kv_tokens} / {batch}⌋")
def context_that_fits(kv_tokens: float, batch: float) -> float:
    """Tokens that each request of the batch may have at most (tokens), prompt and answer together.

    Source: by definition.

    >>> context_that_fits(kv_tokens=449_433, batch=24)
    18726
    """
    return floor(kv_tokens / batch)


@formula("{whole_bytes} / {gpus}")
def per_gpu(whole_bytes: float, gpus: float) -> float:
    """The share of one GPU (B).

    Source: by definition.

    >>> per_gpu(whole_bytes=141.1e9, gpus=4)
    35275000000.0
    """
    return whole_bytes / gpus


@formula("{usable_share} · {memory_bytes}")
def usable_bytes(usable_share: float, memory_bytes: float) -> float:
    """What a server may use of a GPU's memory (B).

    Source: vLLM documentation, gpu_memory_utilization.

    >>> round(usable_bytes(0.90, 81559 * 2**20) / 1e9, 1)
    77.0
    """
    return usable_share * memory_bytes


@formula("{usable_bytes} − {gpu_weight_bytes} − {gpu_kv_bytes} − {runtime_bytes} − {activation_bytes}")
def free_bytes(
    usable_bytes: float,
    gpu_weight_bytes: float,
    gpu_kv_bytes: float,
    runtime_bytes: float,
    activation_bytes: float,
) -> float:
    """What is left of a GPU's usable memory (B); negative by as much as is missing.

    Source: by definition.

    >>> round(free_bytes(77.0e9, 16.1e9, 0.3e9, 2e9, 0) / 1e9, 1)
    58.6
    """
    return usable_bytes - gpu_weight_bytes - gpu_kv_bytes - runtime_bytes - activation_bytes


class MemoryFit(Record):
    """One GPU's memory by part (B); ``usable`` is the sum of the parts after it.

    ``room`` is negative by as much as is missing. ``total`` is what the driver reports.
    """

    total: Quantity
    usable: Quantity
    weights: Quantity
    kv: Quantity
    runtime: Quantity
    activations: Quantity
    room: Quantity

    @property
    def fits(self) -> bool:
        """Whether everything fits."""
        return self.room.value >= 0


def budget(sheet: Sheet) -> Quantity:
    """What is left for the KV cache, over all GPUs."""
    shares = {
        "gpus": sheet.gpus,
        "usable_share": sheet.assumed("usable_share", sheet.assumptions.usable_share),
        "memory_bytes": sheet.memory_bytes,
        "runtime_bytes": _runtime(sheet),
        "weight_bytes": sheet.of_model.weight_bytes,
    }
    if not sheet.assumptions.tokens_per_pass:
        return quantity("kv_budget", kv_budget, **shares)
    return quantity("kv_budget", kv_budget_beside_activations, activation_bytes=activations(sheet), **shares)


def activations(sheet: Sheet) -> Quantity:
    """What the largest pass needs on each GPU beside weights and cache."""
    tokens = sheet.assumptions.tokens_per_pass
    if not tokens:
        return Quantity(0, "activation_bytes", "counted with the runtime")
    return quantity(
        "activation_bytes",
        activation_bytes,
        pass_tokens=sheet.assumed("pass_tokens", tokens),
        hidden_size=sheet.of_model.hidden_size,
        mlp_width=Quantity(_mlp_width(sheet.model), "mlp_width", f"{_WIDEST}: {sheet.model.source}"),
        gpus=sheet.gpus,
        bytes_per_activation=Quantity(2, "bytes_per_activation", "bf16 activations"),
    )


def cache(sheet: Sheet, batch: Quantity, context: Quantity, symbol: str = "kv_bytes") -> Quantity:
    """KV cache of ``batch`` requests with ``context`` tokens each, every key and value counted once."""
    if sheet.model.uniform_attention:
        return quantity(
            symbol, kv_bytes, batch=batch, context=context, kv_bytes_per_token=sheet.of_model.kv_bytes_per_token
        )
    one = sheet.sequence_bytes(context)
    return quantity(symbol, kv_bytes_of_sequences, batch=batch, sequence_bytes=one)


def longest_context(sheet: Sheet, kv_budget: Quantity, kv_tokens: Quantity) -> Quantity:
    """How many tokens each request of the batch may have."""
    if sheet.model.uniform_attention:
        return quantity("longest_context", context_that_fits, kv_tokens=kv_tokens, batch=sheet.batch)
    of, gpus = sheet.of_model, sheet.scenario.gpus
    longest = _longest_context(sheet.model, kv_budget.value / (sheet.batch.value * gpus), of.bytes_per_kv.value, gpus)
    if longest == ENDLESS:
        return Quantity(ENDLESS, "longest_context", "no end: with every window full no token takes more memory")
    return Counted(
        longest,
        "longest_context",
        of.counted,
        lambda: of.derivations.longest_context(kv_budget, sheet.batch, sheet.gpus, of.bytes_per_kv),
    )


def _longest_context(model: Architecture, room: float, bytes_per_kv: float, gpus: int) -> float:
    """Tokens of one sequence whose cache takes at most ``room`` bytes of a GPU: see Derivations.longest_context."""
    layers = sorted(
        (
            kind.window if isinstance(kind, GroupedQueryAttention) and kind.window else ENDLESS,
            count * kind.kv_numbers(gpus),
        )
        for count, kind in model.caching
    )
    filled, growing = model.state_bytes(gpus), bytes_per_kv * sum(numbers for _, numbers in layers)
    longest = 0.0
    for window, numbers in layers:
        longest = max(longest, (room - filled) // growing)
        if window == ENDLESS:
            return longest
        filled += window * numbers * bytes_per_kv
        growing -= numbers * bytes_per_kv
    return longest if filled > room else ENDLESS


def fit(sheet: Sheet, kv_of_batch: Quantity, copies: Quantity) -> MemoryFit:
    """Share the memory of one GPU out to what has to be in it; the cache is kept ``copies`` times in all."""
    usable = quantity(
        "usable_bytes",
        usable_bytes,
        usable_share=sheet.assumed("usable_share", sheet.assumptions.usable_share),
        memory_bytes=sheet.memory_bytes,
    )
    parts = {
        "gpu_weight_bytes": quantity(
            "gpu_weight_bytes", per_gpu, whole_bytes=sheet.of_model.weight_bytes, gpus=sheet.gpus
        ),
        "gpu_kv_bytes": quantity("gpu_kv_bytes", kv_per_gpu, kv_bytes=kv_of_batch, kv_copies=copies, gpus=sheet.gpus),
        "runtime_bytes": _runtime(sheet),
        "activation_bytes": activations(sheet),
    }
    room = quantity("room_bytes", free_bytes, usable_bytes=usable, **parts)
    return MemoryFit(
        total=sheet.memory_bytes,
        usable=usable,
        weights=parts["gpu_weight_bytes"],
        kv=parts["gpu_kv_bytes"],
        runtime=parts["runtime_bytes"],
        activations=parts["activation_bytes"],
        room=room,
    )


@formula("{kv_bytes} · {kv_copies} / {gpus}")
def kv_per_gpu(kv_bytes: float, kv_copies: float, gpus: float) -> float:
    """KV cache on one GPU (B): heads are divided among the GPUs, or copied when there are too few.

    Source: arXiv 2211.05102, section 3.3.

    >>> kv_per_gpu(kv_bytes=16e9, kv_copies=2, gpus=16)
    2000000000.0
    """
    return kv_bytes * kv_copies / gpus


def _runtime(sheet: Sheet) -> Quantity:
    return sheet.assumed("runtime_bytes", sheet.assumptions.runtime_bytes)


def _mlp_width(model: Architecture) -> int:
    """The widest MLP, or the experts that a token goes through side by side."""
    widths = [1]
    for group in model.groups:
        mlp = group.mlp
        if isinstance(mlp, Experts):
            widths.append(mlp.per_token * mlp.expert.width + (mlp.shared.width if mlp.shared else 0))
        elif mlp is not None:
            widths.append(mlp.width)
    return max(widths)
