"""What the model takes for granted about how close real software comes to the hardware's limits."""

from collections.abc import Callable, Mapping
from typing import Any

from lessoncore.hardware import Gpu
from lessoncore.record import Record

_NOTHING: Mapping[str, Any] = {}


class Assumptions(Record, eq=False):
    """One set of assumptions. Shares are of the datasheet's rate; sizes in bytes, times in seconds.

    ``compute_efficiency`` holds for matrix products in 16 bits, ``narrow_efficiency`` for those in narrower
    formats that have a higher peak, ``attention_efficiency`` for attention, which runs in 16 bits (0: as any other
    product). ``overlap`` is the share of the shorter of arithmetic and memory traffic that hides behind the longer one.
    ``prefill_layer_s`` and ``decode_layer_s`` are what a layer costs whatever its size, ``unpack_operations``
    what a weight costs that is stored narrower than the arithmetic works. ``skips_idle_parameters``: the input
    table is looked up rather than multiplied, and the head runs for a prompt's last token only.
    ``tokens_per_pass`` is how many tokens short prompts may fill a prefill pass with (0: one prompt a pass).
    The latency of a small all-reduce over N GPUs is ``link_latency_s + N · link_latency_per_gpu_s`` on NVLink and its
    like; where GPUs have no link of their own the two ``pcie_…`` take their place.
    ``usable_share`` is the part of a GPU's memory that a server may use, ``runtime_bytes`` what its runtime
    takes of that. The last three are for training: the share of the peak that its arithmetic reaches where
    nothing finer is assumed (0: from the terms above), the hidden states that a layer moves for each token,
    and the share of the link's rate at which sharded weights arrive.

    ``own_term_s`` gives the seconds that a reader's own code adds to a pass (lessoncore/reader_code.py).

    ``why`` explains a term in one sentence, for every term that isn't neutral.
    """

    key: str
    label: str
    source: str
    compute_efficiency: float
    memory_efficiency: float
    link_latency_s: float
    link_latency_per_gpu_s: float
    pcie_latency_s: float
    pcie_latency_per_gpu_s: float
    usable_share: float
    runtime_bytes: float
    link_efficiency: float = 1.0
    narrow_efficiency: Mapping[str, float] = _NOTHING
    attention_efficiency: float = 0.0
    overlap: float = 1.0
    prefill_layer_s: float = 0.0
    decode_layer_s: float = 0.0
    unpack_operations: float = 0.0
    skips_idle_parameters: bool = False
    tokens_per_pass: int = 0
    training_efficiency: float = 0.0
    training_traffic: float = 0.0
    sharding_efficiency: float = 0.0
    own_term_s: Callable[[dict[str, Any]], float] | None = None
    why: Mapping[str, str] = _NOTHING

    def efficiency(self, maths: str, gpu: Gpu) -> tuple[float, str]:
        """Share of the peak of ``gpu`` that matrix products in the number format ``maths`` reach, and the term it is.

        It is a higher peak that narrow formats fall short of. Where they have none they do as well as 16 bits, and are
        slower only where the peak itself is lower (int8 on a B300).

        >>> from lessoncore.catalogue import gpu
        >>> [CALIBRATED.efficiency("int8", gpu(key))[0] for key in ("h100-sxm", "mi250x-gcd", "b300-sxm")]
        [0.585, 0.74, 0.74]
        """
        if maths not in self.narrow_efficiency:
            return self.compute_efficiency, "compute_efficiency"
        if gpu.peak(maths) <= gpu.peak_flops.get("bf16", 0):
            return self.compute_efficiency, "no_higher_peak"
        return self.narrow_efficiency[maths], "narrow_efficiency"

    def reason(self, term: str) -> str:
        """Who takes a term for granted, and why.

        >>> TEXTBOOK.reason("memory_efficiency")
        "the lesson's textbook assumptions: reading weights reaches about 80% of the bandwidth"
        """
        return f"{self.source}: {self.why[term]}" if term in self.why else self.source

    def latency_terms(self, gpu: Gpu) -> tuple[str, str]:
        """The two terms of a small all-reduce's latency over the link that ``gpu`` has."""
        if gpu.over_pcie:
            return "pcie_latency_s", "pcie_latency_per_gpu_s"
        return "link_latency_s", "link_latency_per_gpu_s"

    @property
    def is_plain(self) -> bool:
        """Whether a pass is just the longer of arithmetic and memory traffic."""
        return self.overlap == 1 and not (self.prefill_layer_s or self.decode_layer_s or self.unpack_operations)


_LATENCIES = {
    "link_latency_s": "good kernels take 3.5 to 7 µs for a small all-reduce on NVLink, and other fast links like it",
    "link_latency_per_gpu_s": "each GPU adds a little to it",
    "pcie_latency_s": "over PCIe, which is slower, NCCL takes about 20 µs for a small all-reduce among four GPUs "
    "(haohervchb/sglang-V100, pull request 2)",
    "pcie_latency_per_gpu_s": "each GPU adds two steps to NCCL's ring, of 1 µs each over PCIe "
    "(NVIDIA/nccl, src/graph/tuning.cc)",
}

TEXTBOOK = Assumptions(
    key="textbook",
    label="textbook",
    source="the lesson's textbook assumptions",
    compute_efficiency=0.60,
    memory_efficiency=0.80,
    link_latency_s=4e-6,
    link_latency_per_gpu_s=0.35e-6,
    pcie_latency_s=12e-6,
    pcie_latency_per_gpu_s=2e-6,
    usable_share=0.90,
    runtime_bytes=2e9,
    training_efficiency=0.40,
    why={
        "compute_efficiency": "matrix products reach about 60% of the dense peak in a whole prefill pass",
        "memory_efficiency": "reading weights reaches about 80% of the bandwidth",
        **_LATENCIES,
        "usable_share": "vLLM's default lets a server use 90% of the memory",
        "runtime_bytes": "CUDA context, compiled kernels and activations take about 2 GB",
        "training_efficiency": "large runs report about 40% of the peak (Llama 3: 38 to 43%, arXiv 2407.21783)",
    },
)

# Fitted by tests/validation/fit.py to the measurements in lessoncore/evidence/measurements.csv, and rounded there.
CALIBRATED = Assumptions(
    key="calibrated",
    label="calibrated",
    source="fitted to published measurements (tests/validation)",
    compute_efficiency=0.74,
    narrow_efficiency={"fp8": 0.585, "int8": 0.585, "fp4": 0.40},
    attention_efficiency=0.60,
    memory_efficiency=0.85,
    overlap=0.32,
    prefill_layer_s=106e-6,
    decode_layer_s=65e-6,
    unpack_operations=3.5,
    skips_idle_parameters=True,
    tokens_per_pass=8192,
    link_efficiency=0.70,
    link_latency_s=4e-6,
    link_latency_per_gpu_s=0.35e-6,
    pcie_latency_s=12e-6,
    pcie_latency_per_gpu_s=2e-6,
    usable_share=0.90,
    runtime_bytes=2e9,
    training_traffic=165.0,
    sharding_efficiency=0.56,
    why={
        "compute_efficiency": "large matrix products in 16 bits reach about three quarters of the dense peak",
        "narrow_efficiency": "the narrower the format, the harder its higher peak is to feed",
        "no_higher_peak": "a narrow format without a higher peak is as easy to feed as 16 bits",
        "attention_efficiency": "attention kernels reach less than matrix products: softmax comes between",
        "memory_efficiency": "weights and cache are read at most of the bandwidth",
        "overlap": "only part of the shorter of arithmetic and memory traffic hides behind the longer",
        "prefill_layer_s": "each layer starts about ten kernels, one by one from the host in a prefill pass",
        "decode_layer_s": "decode passes are replayed as one recorded graph, which makes starting a layer cheaper",
        "unpack_operations": "a weight stored narrower than the arithmetic takes a few ordinary operations to widen",
        "skips_idle_parameters": "the input table is looked up, and only a prompt's last token needs the head",
        "tokens_per_pass": "servers fill a prefill pass with short prompts, up to 8,192 tokens by default",
        "link_efficiency": "an all-reduce of many bytes reaches about 70% of the link's rate",
        **_LATENCIES,
        "usable_share": "vLLM's default lets a server use 90% of the memory",
        "runtime_bytes": "CUDA context and compiled kernels take about 2 GB",
        "pass_tokens": "servers fill a prefill pass up to 8,192 tokens by default",
        "training_traffic": "between matrix products each token's hidden state is written and read many times",
        "sharding_efficiency": "sharded weights and gradients come at about half the link's rate, while the GPUs wait",
    },
)

ASSUMPTIONS = {a.key: a for a in (TEXTBOOK, CALIBRATED)}


def assumptions(key: str) -> Assumptions:
    """Find a set of assumptions by its key.

    >>> assumptions("textbook").memory_efficiency
    0.8
    """
    from lessoncore.errors import unknown

    if key not in ASSUMPTIONS:
        raise unknown("set of assumptions", key, list(ASSUMPTIONS))
    return ASSUMPTIONS[key]
