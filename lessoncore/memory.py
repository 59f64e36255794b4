"""What has to fit into a GPU's memory."""

from lessoncore.formula import formula


@formula("{weight_bytes} + {kv_bytes}")
def memory_used(weight_bytes: float, kv_bytes: float) -> float:
    """Bytes that weights and KV cache take (B), over all GPUs that share the model.

    >>> memory_used(weight_bytes=16.06e9, kv_bytes=0.33e9)
    16390000000.0
    """
    return weight_bytes + kv_bytes


@formula("{gpus} · ({usable_share} · {memory_bytes} − {runtime_bytes}) − {weight_bytes}")
def kv_budget(
    gpus: float, usable_share: float, memory_bytes: float, runtime_bytes: float, weight_bytes: float
) -> float:
    """Bytes that are left for the KV cache (B), over all GPUs; negative when the weights don't fit.

    >>> round(kv_budget(1, 0.90, 81559 * 2**20, 2e9, 16_060_522_496) / 1e9, 1)
    58.9
    """
    return gpus * (usable_share * memory_bytes - runtime_bytes) - weight_bytes
