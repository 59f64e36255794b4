"""The work of one forward pass: how much arithmetic, how many bytes, by part."""

from lessoncore.formula import formula


@formula("2 · {parameters} · {tokens}")
def projection_flops(parameters: float, tokens: float) -> float:
    """Work of the matrix products of a pass (FLOP): a multiplication and an addition for each weight and token.

    F_p = 2 · P · t. Counts every parameter, the input embedding (a look-up) included: for Llama 3.1 8B that is
    6.5% too much. Source: arXiv 2001.08361, section 2.1.

    >>> f"{projection_flops(parameters=8_030_261_248, tokens=2000):.4g}"
    '3.212e+13'
    """
    return 2 * parameters * tokens


@formula("2 · {attention_width} · {tokens}²")
def prefill_attention_flops(attention_width: float, tokens: float) -> float:
    """Work of attention in a prefill pass over ``tokens`` tokens (FLOP), the causal half only.

    F_a = 2 · W · t²: each token attends to t/2 earlier ones on average; scores and weighted sum are a
    multiplication and an addition each. Softmax is left out (below 1%).

    >>> f"{prefill_attention_flops(attention_width=131072, tokens=2000):.4g}"
    '1.049e+12'
    """
    return 2 * attention_width * tokens**2


@formula("4 · {attention_width} · {context} · {batch}")
def decode_attention_flops(attention_width: float, context: float, batch: float) -> float:
    """Work of attention in a decode pass (FLOP): each new token attends to its whole context.

    F_a = 4 · W · c · B.

    >>> f"{decode_attention_flops(attention_width=131072, context=2250, batch=1):.4g}"
    '1.18e+09'
    """
    return 4 * attention_width * context * batch


@formula("{projection_flops} + {attention_flops}")
def pass_flops(projection_flops: float, attention_flops: float) -> float:
    """All arithmetic of a pass (FLOP).

    >>> pass_flops(3.212e13, 1.049e12)
    33169000000000.0
    """
    return projection_flops + attention_flops


@formula("{parameters} · {bytes_per_weight}")
def weight_bytes(parameters: float, bytes_per_weight: float) -> float:
    """Bytes of the model's weights (B): what they take in memory, and what one pass reads of them.

    >>> weight_bytes(parameters=8_030_261_248, bytes_per_weight=2)
    16060522496
    """
    return parameters * bytes_per_weight


@formula("{batch} · {context} · {kv_bytes_per_token}")
def kv_bytes(batch: float, context: float, kv_bytes_per_token: float) -> float:
    """Bytes of the KV cache of ``batch`` requests of ``context`` tokens each (B).

    Llama 3.1 8B at 131,072 tokens in bf16 is exactly 16 GiB:

    >>> kv_bytes(batch=1, context=131072, kv_bytes_per_token=131072) / 2**30
    16.0
    """
    return batch * context * kv_bytes_per_token


@formula("{weight_bytes} + {kv_bytes}")
def bytes_moved(weight_bytes: float, kv_bytes: float) -> float:
    """All bytes that a pass moves between the GPU's memory and its arithmetic units (B).

    Activations are left out: with fused kernels they stay on the chip.

    >>> bytes_moved(weight_bytes=16.06e9, kv_bytes=0.295e9)
    16355000000.0
    """
    return weight_bytes + kv_bytes
