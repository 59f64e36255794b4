"""Tensor parallelism: what it costs that several GPUs share every layer."""

from lessoncore.assumptions import Assumptions
from lessoncore.formula import Quantity, formula, quantity
from lessoncore.hardware import Gpu


@formula("{gpus} / {kv_shards}")
def kv_copies(gpus: float, kv_shards: float) -> float:
    """How often each key and value is kept: once, or more often when GPUs outnumber the key/value heads.

    Eight heads on sixteen GPUs are kept twice; the one latent of MLA is kept by every GPU.

    Source: tenstorrent/vllm issue 50.

    >>> kv_copies(gpus=16, kv_shards=8)
    2.0
    """
    return gpus / kv_shards


@formula("{gpus} · {gpu_sequence_bytes} / {sequence_bytes}")
def mean_kv_copies(gpus: float, gpu_sequence_bytes: float, sequence_bytes: float) -> float:
    """How often each byte of a sequence's cache is kept, on average over layers of several kinds.

    One kind may have fewer key/value heads than there are GPUs and copy them, another may divide more heads or
    a state evenly; and as windows end, their shares of the whole change with the context. Source: by definition.

    >>> mean_kv_copies(gpus=8, gpu_sequence_bytes=1.373e9, sequence_bytes=2.904e9) > 3
    True
    """
    return gpus * gpu_sequence_bytes / sequence_bytes


@formula("{kv_once_bytes} · {kv_copies}")
def with_copies(kv_once_bytes: float, kv_copies: float) -> float:
    """Bytes of keys and values over all GPUs (B), copies included.

    Source: by definition.

    >>> with_copies(kv_once_bytes=0.3e9, kv_copies=2)
    600000000.0
    """
    return kv_once_bytes * kv_copies


@formula("{link_latency_s} + {link_latency_per_gpu_s} · {gpus}")
def all_reduce_latency(link_latency_s: float, link_latency_per_gpu_s: float, gpus: float) -> float:
    """Time of an all-reduce of almost nothing (s).

    Good kernels on NVLink take 3.5 to 7 µs, NCCL over PCIe about 20 µs among four GPUs.

    Source: ai-dynamo/aiconfigurator issue 1062; haohervchb/sglang-V100, pull request 2.

    >>> round(all_reduce_latency(4e-6, 0.35e-6, gpus=4) * 1e6, 2)
    5.4
    """
    return link_latency_s + link_latency_per_gpu_s * gpus


def latency_over_the_link(taken: Assumptions, gpu: Gpu, gpus: Quantity) -> Quantity:
    """Latency of a small all-reduce over the link that ``gpu`` has, by the assumptions for that kind of link."""
    once, each = taken.latency_terms(gpu)
    return quantity(
        "all_reduce_latency_s",
        all_reduce_latency,
        link_latency_s=Quantity(getattr(taken, once), "link_latency_s", taken.reason(once)),
        link_latency_per_gpu_s=Quantity(getattr(taken, each), "link_latency_per_gpu_s", taken.reason(each)),
        gpus=gpus,
    )


@formula("{tokens} · {hidden_size} · {bytes_per_activation}")
def all_reduce_bytes(tokens: float, hidden_size: float, bytes_per_activation: float) -> float:
    """Bytes that one all-reduce adds up: the hidden state of every token of the pass (B).

    Source: arXiv 1909.08053, section 3.

    >>> all_reduce_bytes(tokens=1, hidden_size=8192, bytes_per_activation=2)
    16384
    """
    return tokens * hidden_size * bytes_per_activation


@formula(
    "{all_reduce_latency_s} + 2 · ({gpus} − 1) / {gpus} · {all_reduce_bytes} / ({link_efficiency} · {link_bandwidth})"
)
def all_reduce_time(
    all_reduce_latency_s: float,
    gpus: float,
    all_reduce_bytes: float,
    link_efficiency: float,
    link_bandwidth: float,
) -> float:
    """Time of one ring all-reduce over ``gpus`` GPUs (s).

    λ + 2(N − 1)/N · D_n / (η_l · β_link), as in the NCCL tests' bus bandwidth.

    Source: nccl-tests, PERFORMANCE.md.

    >>> round(all_reduce_time(5.4e-6, 4, all_reduce_bytes=16384, link_efficiency=1, link_bandwidth=450e9) * 1e6, 2)
    5.45
    """
    on_the_link = 2 * (gpus - 1) / gpus * all_reduce_bytes / (link_efficiency * link_bandwidth)
    return all_reduce_latency_s + on_the_link


@formula("2 · {layers}")
def all_reduces_of(layers: float) -> float:
    """All-reduces of a pass: one after the attention and one after the MLP of each layer.

    Source: arXiv 1909.08053, section 3.

    >>> all_reduces_of(layers=80)
    160
    """
    return 2 * layers


@formula("{all_reduces} · {all_reduce_s}")
def communication_time(all_reduces: float, all_reduce_s: float) -> float:
    """Time that a pass spends on all-reduces (s).

    Source: by definition.

    >>> round(communication_time(all_reduces=160, all_reduce_s=5.45e-6) * 1e3, 3)
    0.872
    """
    return all_reduces * all_reduce_s
