"""The work of one forward pass by part: how much arithmetic, how many bytes."""

from lessoncore.formula import Quantity, formula
from lessoncore.record import Record


@formula("{prompt} − {cached}")
def new_tokens(prompt: float, cached: float) -> float:
    """Tokens of the prompt that a prefill pass has to work on (tokens): all but those of a cached prefix.

    Source: by definition.

    >>> new_tokens(prompt=2000, cached=1500)
    500
    """
    return prompt - cached


@formula("{prompts} · {new_tokens}")
def packed_tokens(prompts: float, new_tokens: float) -> float:
    """Tokens of a prefill pass that several equal prompts share (tokens).

    Source: by definition.

    >>> packed_tokens(prompts=4, new_tokens=2000)
    8000
    """
    return prompts * new_tokens


# Arithmetic.


@formula("2 · {parameters} · {tokens}")
def matrix_flops(parameters: float, tokens: float) -> float:
    """Work of the matrix products with ``parameters`` weights (FLOP).

    F = 2 · P · t: a multiplication and an addition for each weight and token. For the textbook P is every
    parameter, the input table (a look-up) included: for Llama 3.1 8B that is 6.5% too much. Biases and norms count
    as weights (below 0.1%). Source: arXiv 2001.08361, section 2.1.

    >>> f"{matrix_flops(parameters=8_030_261_248, tokens=2000):.4g}"
    '3.212e+13'
    """
    return 2 * parameters * tokens


@formula("2 · {attention_width} · {tokens}²")
def prefill_attention_flops(attention_width: float, tokens: float) -> float:
    """Work of attention in a prefill pass over ``tokens`` tokens (FLOP), the causal half only.

    F_a = 2 · W · t²: each token attends to t/2 earlier ones on average; scores and weighted sum are a
    multiplication and an addition each. Softmax is left out (below 1%).

    Source: arXiv 2307.08691, section 4.1.

    >>> f"{prefill_attention_flops(attention_width=131072, tokens=2000):.4g}"
    '1.049e+12'
    """
    return 2 * attention_width * tokens**2


@formula("2 · {attention_width} · ({prompt}² − {cached}²)")
def resumed_attention_flops(attention_width: float, prompt: float, cached: float) -> float:
    """Work of attention when the first ``cached`` tokens of a prompt are in the cache already (FLOP).

    F_a = 2 · W · (n² − n_c²): all pairs of tokens but those among the cached ones.

    Source: arXiv 2307.08691, section 4.1, for both lengths.

    >>> resumed_attention_flops(131072, prompt=2000, cached=0) == prefill_attention_flops(131072, 2000)
    True
    """
    return 2 * attention_width * (prompt**2 - cached**2)


@formula("4 · {attention_width} · {context} · {batch}")
def decode_attention_flops(attention_width: float, context: float, batch: float) -> float:
    """Work of attention in a decode pass (FLOP): each new token attends to its whole context.

    F_a = 4 · W · c · B.

    Source: arXiv 2001.08361, table 1.

    >>> f"{decode_attention_flops(attention_width=131072, context=2250, batch=1):.4g}"
    '1.18e+09'
    """
    return 4 * attention_width * context * batch


@formula("{batch} · {sequence_flops}")
def attention_of_sequences(batch: float, sequence_flops: float) -> float:
    """Work of attention of ``batch`` equal sequences (FLOP).

    Source: by definition.

    >>> attention_of_sequences(batch=4, sequence_flops=1.18e9)
    4720000000.0
    """
    return batch * sequence_flops


@formula("{embedding_flops} + {projection_flops} + {attention_flops} + {mlp_flops} + {head_flops}")
def pass_flops(
    embedding_flops: float,
    projection_flops: float,
    attention_flops: float,
    mlp_flops: float,
    head_flops: float,
) -> float:
    """All arithmetic of a pass (FLOP): the sum of its parts.

    Source: by definition.

    >>> pass_flops(2.1e12, 5.37e12, 1.049e12, 22.55e12, 2.1e12)
    33169000000000.0
    """
    return embedding_flops + projection_flops + attention_flops + mlp_flops + head_flops


# Bytes.


@formula("{parameters} · {bytes_per_weight}")
def weight_bytes(parameters: float, bytes_per_weight: float) -> float:
    """Bytes of ``parameters`` weights (B): what they take in memory, and what a pass that uses them reads.

    Source: by definition.

    >>> weight_bytes(parameters=8_030_261_248, bytes_per_weight=2)
    16060522496
    """
    return parameters * bytes_per_weight


@formula("{embedding_bytes} + {projection_bytes} + {mlp_bytes} + {head_bytes}")
def weight_bytes_of_parts(
    embedding_bytes: float, projection_bytes: float, mlp_bytes: float, head_bytes: float
) -> float:
    """Bytes of the weights that a pass reads, or that memory holds (B): the sum of the parts.

    Source: by definition.

    >>> weight_bytes_of_parts(1.05e9, 2.68e9, 11.27e9, 1.05e9)
    16050000000.0
    """
    return embedding_bytes + projection_bytes + mlp_bytes + head_bytes


@formula("{tokens} · {hidden_size} · {bytes_per_weight}")
def looked_up_bytes(tokens: float, hidden_size: float, bytes_per_weight: float) -> float:
    """Bytes that a pass reads of the input table (B): a row for each token.

    Source: first principles.

    >>> looked_up_bytes(tokens=1, hidden_size=4096, bytes_per_weight=2)
    8192
    """
    return tokens * hidden_size * bytes_per_weight


@formula("{batch} · {context} · {kv_bytes_per_token}")
def kv_bytes(batch: float, context: float, kv_bytes_per_token: float) -> float:
    """Bytes of the KV cache of ``batch`` requests of ``context`` tokens each (B).

    Source: by definition.

    Llama 3.1 8B at 131,072 tokens in bf16 is exactly 16 GiB:

    >>> kv_bytes(batch=1, context=131072, kv_bytes_per_token=131072) / 2**30
    16.0
    """
    return batch * context * kv_bytes_per_token


@formula("{batch} · {sequence_bytes}")
def kv_bytes_of_sequences(batch: float, sequence_bytes: float) -> float:
    """Bytes of the KV cache of ``batch`` equal sequences (B), where its size isn't proportional to their length.

    So it is with sliding windows, which keep no more than the window, and with layers of fixed state.

    Source: by definition.

    >>> kv_bytes_of_sequences(batch=4, sequence_bytes=1.2e9)
    4800000000.0
    """
    return batch * sequence_bytes


@formula("{context} − 1")
def earlier_tokens(context: float) -> float:
    """Tokens before the one that a decode pass writes (tokens).

    Source: by definition.

    >>> earlier_tokens(context=2250)
    2249
    """
    return context - 1


@formula("{batch} · ({context} − 1) · {kv_bytes_per_token}")
def kv_read_bytes(batch: float, context: float, kv_bytes_per_token: float) -> float:
    """Bytes of keys and values that a decode pass reads (B): those of all tokens before the one it writes.

    Source: arXiv 2211.05102, section 2.

    >>> kv_read_bytes(batch=1, context=2250, kv_bytes_per_token=131072)
    294780928
    """
    return batch * (context - 1) * kv_bytes_per_token


@formula("{tokens} · {kv_bytes_per_token}")
def kv_write_bytes(tokens: float, kv_bytes_per_token: float) -> float:
    """Bytes of keys and values that a pass writes (B): those of its own tokens.

    Source: by definition.

    >>> kv_write_bytes(tokens=2000, kv_bytes_per_token=131072)
    262144000
    """
    return tokens * kv_bytes_per_token


@formula("{weights_read_bytes} + {kv_read_bytes} + {kv_write_bytes}")
def bytes_moved(weights_read_bytes: float, kv_read_bytes: float, kv_write_bytes: float) -> float:
    """All bytes that a pass moves between memory and arithmetic units, over all GPUs (B).

    When GPUs outnumber the key/value heads, each head is kept, read and written more than once; all of that counts.
    Activations are left out: with fused kernels they stay on the chip (in a prefill pass below 3%).

    Source: arXiv 2211.05102, section 2.

    >>> bytes_moved(weights_read_bytes=16.06e9, kv_read_bytes=0.295e9, kv_write_bytes=0)
    16355000000.0
    """
    return weights_read_bytes + kv_read_bytes + kv_write_bytes


class Flops(Record):
    """The arithmetic of a pass by part (FLOP); ``total`` is the sum of the others.

    ``projections`` are attention's matrix products with weights (and the norms), ``attention`` its products of
    tokens with tokens, ``mlp`` the MLPs, or the chosen experts with their router.
    """

    embedding: Quantity
    projections: Quantity
    attention: Quantity
    mlp: Quantity
    head: Quantity
    total: Quantity


class Bytes(Record):
    """What a pass moves by part, over all GPUs (B), with every copy of keys and values.

    ``weights`` is the sum of the first four, ``total`` that of ``weights`` and the cache.
    ``mlp`` counts every expert that at least one token of the pass chose.
    """

    embedding: Quantity
    projections: Quantity
    mlp: Quantity
    head: Quantity
    weights: Quantity
    kv_read: Quantity
    kv_write: Quantity
    total: Quantity


class Work(Record):
    """The work of a pass. ``all_reduce`` is what one all-reduce adds up (B), nothing on one GPU."""

    flops: Flops
    bytes: Bytes
    all_reduce: Quantity | None
