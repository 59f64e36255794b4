"""What the model takes for granted about how close real software comes to the hardware's limits."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Assumptions:
    """One set of assumptions. Shares are of the datasheet's rate; sizes in bytes, times in seconds.

    ``usable_share`` is the part of a GPU's memory that a server may use, ``runtime_bytes`` what its runtime
    takes of that. The latency of a small all-reduce over N GPUs is ``link_latency_s + N · link_latency_per_gpu_s``.
    """

    key: str
    label: str
    compute_efficiency: float
    memory_efficiency: float
    link_efficiency: float
    link_latency_s: float
    link_latency_per_gpu_s: float
    usable_share: float
    runtime_bytes: float
    source: str


# Well-tuned matrix products reach about 60% of the dense peak in a whole prefill pass and reading weights about
# 80% of the bandwidth; vLLM's default lets a server use 90% of the memory.
TEXTBOOK = Assumptions(
    key="textbook",
    label="textbook",
    compute_efficiency=0.60,
    memory_efficiency=0.80,
    link_efficiency=1.0,
    link_latency_s=4e-6,
    link_latency_per_gpu_s=0.35e-6,
    usable_share=0.90,
    runtime_bytes=2e9,
    source="the lesson's textbook assumptions",
)
