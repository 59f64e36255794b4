"""Tensor parallelism: what it costs that several GPUs share every layer."""

from lessoncore.formula import formula


@formula("{link_latency_s} + {link_latency_per_gpu_s} · {gpus}")
def all_reduce_latency(link_latency_s: float, link_latency_per_gpu_s: float, gpus: float) -> float:
    """Time of an all-reduce of almost nothing (s).

    Good kernels on NVLink take 3.5 to 7 µs (ai-dynamo/aiconfigurator issue 1062).

    >>> round(all_reduce_latency(4e-6, 0.35e-6, gpus=4) * 1e6, 2)
    5.4
    """
    return link_latency_s + link_latency_per_gpu_s * gpus


@formula("{tokens} · {hidden_size} · {bytes_per_activation}")
def all_reduce_bytes(tokens: float, hidden_size: float, bytes_per_activation: float) -> float:
    """Bytes that one all-reduce adds up: the hidden state of every token of the pass (B).

    >>> all_reduce_bytes(tokens=1, hidden_size=8192, bytes_per_activation=2)
    16384
    """
    return tokens * hidden_size * bytes_per_activation


@formula("{all_reduce_latency_s} + 2 · ({gpus} − 1) / {gpus} · {all_reduce_bytes} / {link_bandwidth}")
def all_reduce_time(all_reduce_latency_s: float, gpus: float, all_reduce_bytes: float, link_bandwidth: float) -> float:
    """Time of one ring all-reduce over ``gpus`` GPUs (s).

    λ + 2(N − 1)/N · D_n / β_link, as in the NCCL tests' bus bandwidth (nccl-tests, PERFORMANCE.md).

    >>> round(all_reduce_time(5.4e-6, gpus=4, all_reduce_bytes=16384, link_bandwidth=450e9) * 1e6, 2)
    5.45
    """
    return all_reduce_latency_s + 2 * (gpus - 1) / gpus * all_reduce_bytes / link_bandwidth


@formula("2 · {layers} · {all_reduce_s}")
def communication_time(layers: float, all_reduce_s: float) -> float:
    """Time that a pass spends on all-reduces (s): one after attention and one after the MLP of each layer.

    >>> round(communication_time(layers=80, all_reduce_s=5.45e-6) * 1e3, 3)
    0.872
    """
    return 2 * layers * all_reduce_s
