"""Formulas of what a model is made of: its parameters, its cache and its attention, kind of layer by kind of layer.

architecture.py adds these up at once; derivations.py applies them when a reader asks where a number comes from.
"""

from math import ceil

from lessoncore.formula import formula

# Parameters.


@formula("{embedding_parameters} + {projection_parameters} + {mlp_parameters} + {head_parameters}")
def parameters_of_parts(
    embedding_parameters: float, projection_parameters: float, mlp_parameters: float, head_parameters: float
) -> float:
    """Parameters of a model (parameters): the sum of its parts.

    Source: by definition.

    >>> parameters_of_parts(525_336_576, 1_342_443_520, 5_637_144_576, 525_336_576)  # Llama 3.1 8B
    8030261248
    """
    return embedding_parameters + projection_parameters + mlp_parameters + head_parameters


@formula("{attention_parameters} + {norm_parameters}")
def projection_and_norm_parameters(attention_parameters: float, norm_parameters: float) -> float:
    """Parameters of attention's projections and of all norms (parameters).

    Source: by definition.

    >>> projection_and_norm_parameters(1_342_177_280, 266_240)
    1342443520
    """
    return attention_parameters + norm_parameters


@formula("{dense_parameters} + {expert_parameters} + {router_parameters}")
def mlp_and_expert_parameters(dense_parameters: float, expert_parameters: float, router_parameters: float) -> float:
    """Parameters of all that comes after attention (parameters): dense and shared MLPs, routed experts, routers.

    Source: by definition.

    >>> mlp_and_expert_parameters(5_637_144_576, 0, 0)
    5637144576
    """
    return dense_parameters + expert_parameters + router_parameters


@formula("{vocabulary} · {hidden_size}")
def table_parameters(vocabulary: float, hidden_size: float) -> float:
    """Parameters of the input table, or of the output head (parameters): a row for each word of the vocabulary.

    Source: arXiv 1706.03762, section 3.4.

    >>> table_parameters(vocabulary=128256, hidden_size=4096)
    525336576
    """
    return vocabulary * hidden_size


@formula("{norm_vectors} · {hidden_size} + {head_norm_parameters}")
def norm_parameters(norm_vectors: float, hidden_size: float, head_norm_parameters: float) -> float:
    """Parameters of all norms (parameters): a vector over the hidden state each, and those inside attention.

    Source: arXiv 1910.07467 (a norm has a weight for each number that it scales).

    >>> norm_parameters(norm_vectors=65, hidden_size=4096, head_norm_parameters=0)
    266240
    """
    return norm_vectors * hidden_size + head_norm_parameters


@formula("{layers} · {layer_parameters}")
def parameters_of_layers(layers: float, layer_parameters: float) -> float:
    """Parameters of equal layers (parameters).

    Source: by definition.

    >>> parameters_of_layers(layers=32, layer_parameters=41_943_040)
    1342177280
    """
    return layers * layer_parameters


@formula("{earlier_kinds_parameters} + {kind_parameters}")
def parameters_of_kinds(earlier_kinds_parameters: float, kind_parameters: float) -> float:
    """Parameters of layers of several kinds (parameters).

    Source: by definition.

    >>> parameters_of_kinds(1_189_085_184, 2_554_331_136)
    3743416320
    """
    return earlier_kinds_parameters + kind_parameters


@formula("{hidden_size} · ({query_width} + {kv_width} + {output_width}) + {bias_parameters}")
def attention_parameters(
    hidden_size: float, query_width: float, kv_width: float, output_width: float, bias_parameters: float
) -> float:
    """Parameters of the attention of a layer (parameters): four matrices, and biases where it has any.

    Source: arXiv 2305.13245 (grouped-query attention).

    >>> attention_parameters(4096, query_width=4096, kv_width=2048, output_width=4096, bias_parameters=0)
    41943040
    """
    return hidden_size * (query_width + kv_width + output_width) + bias_parameters


@formula("{heads} · {head_dim}")
def width_of_heads(heads: float, head_dim: float) -> float:
    """Numbers of all heads side by side, a width without a unit.

    Source: arXiv 1706.03762, section 3.2.2.

    >>> width_of_heads(heads=32, head_dim=128)
    4096
    """
    return heads * head_dim


@formula("2 · {heads} · {head_dim}")
def width_of_gated_heads(heads: float, head_dim: float) -> float:
    """Numbers of all queries and of their gates, a width without a unit.

    Source: arXiv 2505.06708 (gated attention; Qwen3-Next).

    >>> width_of_gated_heads(heads=16, head_dim=256)
    8192
    """
    return 2 * heads * head_dim


@formula("{kv_heads} · ({head_dim} + {value_dim})")
def width_of_keys_and_values(kv_heads: float, head_dim: float, value_dim: float) -> float:
    """Numbers of the keys and values of a token in a layer, a width without a unit.

    Source: arXiv 2305.13245.

    >>> width_of_keys_and_values(kv_heads=8, head_dim=128, value_dim=128)
    2048
    """
    return kv_heads * (head_dim + value_dim)


@formula(
    "{hidden_size} · {query_latent} + {query_latent} · {heads} · ({key_dim} + {rope_dim})"
    " + {hidden_size} · ({kv_latent} + {rope_dim}) + {kv_latent} · {heads} · ({key_dim} + {value_dim})"
    " + {heads} · {value_dim} · {hidden_size} + {bias_parameters}"
)
def latent_attention_parameters(
    hidden_size: float,
    query_latent: float,
    heads: float,
    key_dim: float,
    rope_dim: float,
    kv_latent: float,
    value_dim: float,
    bias_parameters: float,
) -> float:
    """Parameters of latent attention in a layer (parameters): down to the latents, up to the heads, and out.

    Source: arXiv 2405.04434, section 2.1 and appendix C.

    >>> latent_attention_parameters(7168, 1536, 128, 128, 64, kv_latent=512, value_dim=128, bias_parameters=0)
    187105280
    """
    queries = hidden_size * query_latent + query_latent * heads * (key_dim + rope_dim)
    keys_and_values = hidden_size * (kv_latent + rope_dim) + kv_latent * heads * (key_dim + value_dim)
    return queries + keys_and_values + heads * value_dim * hidden_size + bias_parameters


@formula(
    "{hidden_size} · {heads} · ({key_dim} + {rope_dim})"
    " + {hidden_size} · ({kv_latent} + {rope_dim}) + {kv_latent} · {heads} · ({key_dim} + {value_dim})"
    " + {heads} · {value_dim} · {hidden_size} + {bias_parameters}"
)
def latent_attention_parameters_of_whole_queries(
    hidden_size: float,
    heads: float,
    key_dim: float,
    rope_dim: float,
    kv_latent: float,
    value_dim: float,
    bias_parameters: float,
) -> float:
    """Parameters of latent attention whose queries aren't compressed (parameters).

    Source: arXiv 2405.04434, section 2.1 (DeepSeek-V2-Lite).

    >>> latent_attention_parameters_of_whole_queries(2048, 16, 128, 64, 512, 128, bias_parameters=0)
    13762560
    """
    queries = hidden_size * heads * (key_dim + rope_dim)
    keys_and_values = hidden_size * (kv_latent + rope_dim) + kv_latent * heads * (key_dim + value_dim)
    return queries + keys_and_values + heads * value_dim * hidden_size + bias_parameters


@formula("2 · {key_heads} · {key_dim} + {value_heads} · {value_dim}")
def delta_net_channels(key_heads: float, key_dim: float, value_heads: float, value_dim: float) -> float:
    """Numbers of queries, keys and values that the convolution of a Gated DeltaNet goes over, a width without a unit.

    Source: arXiv 2412.06464.

    >>> delta_net_channels(key_heads=16, key_dim=128, value_heads=32, value_dim=128)
    8192
    """
    return 2 * key_heads * key_dim + value_heads * value_dim


@formula(
    "{hidden_size} · ({channels} + 2 · {value_heads} · {value_dim} + 2 · {value_heads})"
    " + {channels} · {kernel} + 2 · {value_heads}"
)
def delta_net_parameters(
    hidden_size: float, channels: float, value_heads: float, value_dim: float, kernel: float
) -> float:
    """Parameters of a Gated DeltaNet (parameters): its projections, its convolution, and two numbers a head.

    Source: arXiv 2412.06464; transformers, modeling_qwen3_next.py.

    >>> delta_net_parameters(2048, channels=8192, value_heads=32, value_dim=128, kernel=4)
    33718336
    """
    projections = hidden_size * (channels + 2 * value_heads * value_dim + 2 * value_heads)
    return projections + channels * kernel + 2 * value_heads


@formula("{heads} · {head_dim} + 2 · {state_groups} · {state_size}")
def mamba_channels(heads: float, head_dim: float, state_groups: float, state_size: float) -> float:
    """Numbers that the convolution of a Mamba-2 layer goes over, a width without a unit.

    Source: arXiv 2405.21060.

    >>> mamba_channels(heads=64, head_dim=64, state_groups=8, state_size=128)
    6144
    """
    return heads * head_dim + 2 * state_groups * state_size


@formula(
    "{hidden_size} · (2 · {heads} · {head_dim} + {channels} + {heads}) + {channels} · {kernel} + {bias_parameters}"
    " + 3 · {heads}"
)
def mamba_parameters(
    hidden_size: float, heads: float, head_dim: float, channels: float, kernel: float, bias_parameters: float
) -> float:
    """Parameters of a Mamba-2 layer (parameters): in and out, its convolution, and three numbers a head.

    Source: arXiv 2405.21060; transformers, modeling_nemotron_h.py.

    >>> mamba_parameters(2688, heads=64, head_dim=64, channels=6144, kernel=4, bias_parameters=6144)
    38738112
    """
    projections = hidden_size * (2 * heads * head_dim + channels + heads)
    return projections + channels * kernel + bias_parameters + 3 * heads


@formula("{mlp_matrices} · {hidden_size} · {mlp_width} + {bias_parameters}")
def mlp_parameters(mlp_matrices: float, hidden_size: float, mlp_width: float, bias_parameters: float) -> float:
    """Parameters of an MLP or of an expert (parameters): three matrices when gated, else two.

    Source: arXiv 2002.05202.

    >>> mlp_parameters(mlp_matrices=3, hidden_size=4096, mlp_width=14336, bias_parameters=0)
    176160768
    """
    return mlp_matrices * hidden_size * mlp_width + bias_parameters


@formula("{layers} · {experts_read} · {layer_parameters}")
def parameters_of_experts(layers: float, experts_read: float, layer_parameters: float) -> float:
    """Parameters of the routed experts of equal layers (parameters): of all, the chosen or the touched ones.

    Source: by definition.

    >>> parameters_of_experts(layers=32, experts_read=8, layer_parameters=176_160_768)  # Mixtral 8x7B
    45097156608
    """
    return layers * experts_read * layer_parameters


@formula("{experts} · {hidden_size} + {bias_parameters}")
def router_parameters(experts: float, hidden_size: float, bias_parameters: float) -> float:
    """Parameters of a router (parameters): a row for each expert, and biases or scales where it has any.

    Source: arXiv 1701.06538, section 2.1.

    >>> router_parameters(experts=8, hidden_size=4096, bias_parameters=0)
    32768
    """
    return experts * hidden_size + bias_parameters


# Bytes of a weight, where the parts of a checkpoint have different formats.


@formula(
    "({attention_parameters} · {attention_weight_bytes} + {norm_parameters} · {norm_weight_bytes})"
    " / ({attention_parameters} + {norm_parameters})"
)
def mean_bytes_of_projections(
    attention_parameters: float, attention_weight_bytes: float, norm_parameters: float, norm_weight_bytes: float
) -> float:
    """Mean bytes of a weight of attention and norms (B).

    Source: by definition.

    >>> mean_bytes_of_projections(3, 1, 1, 2)
    1.25
    """
    size = attention_parameters * attention_weight_bytes + norm_parameters * norm_weight_bytes
    return size / (attention_parameters + norm_parameters)


@formula(
    "({dense_parameters} · {dense_weight_bytes} + {expert_parameters} · {expert_weight_bytes}"
    " + {router_parameters} · {router_weight_bytes}) / ({dense_parameters} + {expert_parameters} + {router_parameters})"
)
def mean_bytes_of_mlps(
    dense_parameters: float,
    dense_weight_bytes: float,
    expert_parameters: float,
    expert_weight_bytes: float,
    router_parameters: float,
    router_weight_bytes: float,
) -> float:
    """Mean bytes of a weight of MLPs, experts and routers (B).

    Source: by definition.

    >>> mean_bytes_of_mlps(0, 2, 3, 1, 1, 2)
    1.25
    """
    size = dense_parameters * dense_weight_bytes + expert_parameters * expert_weight_bytes
    size += router_parameters * router_weight_bytes
    return size / (dense_parameters + expert_parameters + router_parameters)


# The cache.


@formula("{layers} · {kv_heads} · ({head_dim} + {value_dim}) · {bytes_per_kv}")
def kv_bytes_of_layers(layers: float, kv_heads: float, head_dim: float, value_dim: float, bytes_per_kv: float) -> float:
    """Bytes that a token leaves in the caches of equal layers (B), where keys and values may differ in width.

    Source: arXiv 2305.13245.

    >>> kv_bytes_of_layers(layers=9, kv_heads=4, head_dim=192, value_dim=128, bytes_per_kv=2)  # MiMo-V2-Flash
    23040
    """
    return layers * kv_heads * (head_dim + value_dim) * bytes_per_kv


@formula("{layers} · ({kv_latent} + {rope_dim}) · {bytes_per_kv}")
def latent_kv_bytes(layers: float, kv_latent: float, rope_dim: float, bytes_per_kv: float) -> float:
    """Bytes that a token leaves in the caches of layers with latent attention (B): once for all heads.

    Source: arXiv 2405.04434, section 2.1.

    >>> latent_kv_bytes(layers=61, kv_latent=512, rope_dim=64, bytes_per_kv=2)  # DeepSeek-V3
    70272
    """
    return layers * (kv_latent + rope_dim) * bytes_per_kv


@formula("{earlier_kinds_bytes} + {kind_bytes}")
def bytes_of_kinds(earlier_kinds_bytes: float, kind_bytes: float) -> float:
    """Bytes in the caches of layers of several kinds (B).

    Source: by definition.

    >>> bytes_of_kinds(earlier_kinds_bytes=23040, kind_bytes=199680)
    222720
    """
    return earlier_kinds_bytes + kind_bytes


@formula("min({context}, {window})")
def kept_tokens(context: float, window: float) -> float:
    """Tokens that a layer with a window keeps (tokens), and that the next token looks back on.

    Source: arXiv 2310.06825, section 2.

    >>> kept_tokens(context=9000, window=4096)
    4096
    """
    return min(context, window)


@formula("{kind_kv_bytes} · {kept_tokens}")
def cached_bytes(kind_kv_bytes: float, kept_tokens: float) -> float:
    """Bytes of the caches of equal layers for one sequence (B).

    Source: by definition.

    >>> cached_bytes(kind_kv_bytes=1024, kept_tokens=4096)
    4194304
    """
    return kind_kv_bytes * kept_tokens


@formula("{layers} · (4 · {value_heads} · {key_dim} · {value_dim} + 2 · ({kernel} − 1) · {channels})")
def delta_net_state_bytes(
    layers: float, value_heads: float, key_dim: float, value_dim: float, kernel: float, channels: float
) -> float:
    """Bytes of state that layers of Gated DeltaNet keep of a sequence, whatever its length (B).

    A matrix in fp32 for each head, and the convolution's last inputs in bf16. Source: arXiv 2412.06464; the formats are
    those of vLLM and transformers.

    >>> delta_net_state_bytes(layers=1, value_heads=32, key_dim=128, value_dim=128, kernel=4, channels=8192)
    2146304
    """
    return layers * (4 * value_heads * key_dim * value_dim + 2 * (kernel - 1) * channels)


@formula("{layers} · (4 · {heads} · {head_dim} · {state_size} + 2 · ({kernel} − 1) · {channels})")
def mamba_state_bytes(
    layers: float, heads: float, head_dim: float, state_size: float, kernel: float, channels: float
) -> float:
    """Bytes of state that layers of Mamba-2 keep of a sequence, whatever its length (B).

    A matrix in fp32 for each head, and the convolution's last inputs in bf16. Source: arXiv 2405.21060; the formats are
    those of vLLM and transformers.

    >>> mamba_state_bytes(layers=1, heads=64, head_dim=64, state_size=128, kernel=4, channels=6144)
    2134016
    """
    return layers * (4 * heads * head_dim * state_size + 2 * (kernel - 1) * channels)


@formula("⌈{heads} / {gpus}⌉")
def heads_of_a_gpu(heads: float, gpus: float) -> float:
    """How many heads' cache or state each GPU keeps (a number): a head is copied rather than cut.

    Source: arXiv 2211.05102, section 3.3.

    >>> heads_of_a_gpu(heads=8, gpus=4), heads_of_a_gpu(heads=2, gpus=8)
    (2, 1)
    """
    return ceil(heads / gpus)


@formula("{channels} · {gpu_heads} / {heads}")
def channels_of_a_gpu(channels: float, gpu_heads: float, heads: float) -> float:
    """The width that a convolution goes over on each GPU (a number): the channels of its heads.

    Source: by definition.

    >>> channels_of_a_gpu(channels=8192, gpu_heads=4, heads=32)
    1024.0
    """
    return channels * gpu_heads / heads


@formula("max(0, ⌊({kv_budget} / ({batch} · {gpus}) − {filled_bytes}) / {growing_bytes}⌋)")
def context_beside_full_windows(
    kv_budget: float, batch: float, gpus: float, filled_bytes: float, growing_bytes: float
) -> float:
    """Tokens that each request of the batch may have at most (tokens), where some layers have stopped growing.

    ``filled_bytes`` is what full windows and fixed states take of each request on each GPU, ``growing_bytes`` what a
    token adds there in the other layers. Source: by definition.

    >>> context_beside_full_windows(10e9, batch=4, gpus=1, filled_bytes=0.5e9, growing_bytes=1e5)
    20000.0
    """
    return max(0, (kv_budget / (batch * gpus) - filled_bytes) // growing_bytes)


# Attention's arithmetic.


@formula("2 · {heads} · ({head_dim} + {value_dim})")
def flops_of_a_pair(heads: float, head_dim: float, value_dim: float) -> float:
    """Work of attention for a pair of tokens in a layer (FLOP): score and weighted sum, in all heads.

    A multiplication and an addition each. Source: arXiv 2001.08361, table 1.

    >>> flops_of_a_pair(heads=32, head_dim=128, value_dim=128)
    16384
    """
    return 2 * heads * (head_dim + value_dim)


@formula("2 · {heads} · ({key_dim} + {rope_dim} + {value_dim})")
def flops_of_a_latent_pair(heads: float, key_dim: float, rope_dim: float, value_dim: float) -> float:
    """Work of latent attention for a pair of tokens in prefill (FLOP): keys and values written out for each head.

    Source: arXiv 2405.04434, section 2.1.

    >>> flops_of_a_latent_pair(heads=128, key_dim=128, rope_dim=64, value_dim=128)
    81920
    """
    return 2 * heads * (key_dim + rope_dim + value_dim)


@formula("2 · {heads} · (2 · {kv_latent} + {rope_dim})")
def flops_of_an_absorbed_pair(heads: float, kv_latent: float, rope_dim: float) -> float:
    """Work of latent attention for a pair of tokens in decode (FLOP): every head works on the latent itself.

    Source: arXiv 2405.04434, section 2.1.2.

    >>> flops_of_an_absorbed_pair(heads=128, kv_latent=512, rope_dim=64)
    278528
    """
    return 2 * heads * (2 * kv_latent + rope_dim)


@formula("{layers} · ({flops_per_pair} · {pairs})")
def flops_of_layers(layers: float, flops_per_pair: float, pairs: float) -> float:
    """Work of the attention of equal layers (FLOP).

    Source: by definition.

    >>> flops_of_layers(layers=32, flops_per_pair=16384, pairs=2_000_000)
    1048576000000
    """
    return layers * (flops_per_pair * pairs)


@formula("{layers} · {tokens} · (7 · {value_heads} · {key_dim} · {value_dim} + 2 · {kernel} · {channels})")
def delta_net_flops(
    layers: float,
    tokens: float,
    value_heads: float,
    key_dim: float,
    value_dim: float,
    kernel: float,
    channels: float,
) -> float:
    """Work of layers of Gated DeltaNet beside their projections (FLOP): decay, read, update and query the state.

    In the recurrent form; the chunked form that kernels use for prompts does more. Source: arXiv 2412.06464.

    >>> delta_net_flops(1, 1, value_heads=32, key_dim=128, value_dim=128, kernel=4, channels=8192)
    3735552
    """
    return layers * (tokens * (7 * value_heads * key_dim * value_dim + 2 * kernel * channels))


@formula("{layers} · {tokens} · (5 · {heads} · {head_dim} · {state_size} + 2 · {kernel} · {channels})")
def mamba_flops(
    layers: float,
    tokens: float,
    heads: float,
    head_dim: float,
    state_size: float,
    kernel: float,
    channels: float,
) -> float:
    """Work of layers of Mamba-2 beside their projections (FLOP): decay, update and query the state.

    In the recurrent form. Source: arXiv 2405.21060.

    >>> mamba_flops(1, 1, heads=64, head_dim=64, state_size=128, kernel=4, channels=6144)
    2670592
    """
    return layers * (tokens * (5 * heads * head_dim * state_size + 2 * kernel * channels))


@formula("{earlier_kinds_flops} + {kind_flops}")
def flops_of_kinds(earlier_kinds_flops: float, kind_flops: float) -> float:
    """Work of the attention of layers of several kinds (FLOP).

    Source: by definition.

    >>> flops_of_kinds(earlier_kinds_flops=3e12, kind_flops=1e12)
    4000000000000.0
    """
    return earlier_kinds_flops + kind_flops
