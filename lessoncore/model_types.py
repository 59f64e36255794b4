"""What the layers of each model type are made of, read from the keys of its config.json.

One small reader a type; KINDS says which. Where a key is missing, the default is that of the transformers
library (src/transformers/models/<type>/configuration_<type>.py, version 5); what a layer is made of is written
in modeling_<type>.py beside it.
"""

from collections.abc import Callable

from lessoncore.attention import Attention, GroupedQueryAttention, LatentAttention
from lessoncore.config_json import Config, shown, unsupported
from lessoncore.errors import LessonError
from lessoncore.feedforward import Experts, Mlp
from lessoncore.record import Record

type Layer = tuple[Attention | None, Mlp | Experts | None]


class Kind(Record):
    """How to read a model type: its layers, and what is the same for all of its models.

    ``understands`` are the keys of huggingface.TELLING that the reader takes into account, ``norms`` the
    norms over the hidden state in a layer, ``tied`` whether the head is the input table where the file
    doesn't say.
    """

    layers: Callable[[Config], list[Layer]]
    understands: frozenset[str] = frozenset()
    norms: int = 2
    tied: bool = False


# What is common to all types.


def read_attention(
    c: Config,
    *,
    kv_heads: int | None = None,
    head_dim: int | None = None,
    window: int = 0,
    chunked: bool = False,
    input_bias: bool = False,
    output_bias: bool = False,
    norms: str = "",
    gate: bool = False,
    sinks: bool = False,
) -> GroupedQueryAttention:
    """Read grouped-query attention; ``kv_heads`` and ``head_dim`` are the library's defaults."""
    heads = c.whole("num_attention_heads")
    if head_dim is None and c.get("head_dim") is None:
        hidden = c.whole("hidden_size")
        if hidden % heads:
            raise LessonError(
                f"config.json: head_dim is missing, and hidden_size {hidden} can't be divided by "
                f"{heads} num_attention_heads evenly."
            )
        head_dim = hidden // heads
    return GroupedQueryAttention(
        heads=heads,
        kv_heads=c.whole("num_key_value_heads", kv_heads or heads),
        head_dim=c.whole("head_dim", head_dim),
        window=window,
        chunked=chunked,
        input_bias=input_bias,
        output_bias=output_bias,
        norms=norms,
        gate=gate,
        sinks=sinks,
    )


def read_depth(c: Config) -> int:
    return c.whole("num_hidden_layers", high=2_000)


def read_mlp(c: Config, key: str = "intermediate_size", bias: bool = False) -> Mlp:
    return Mlp(width=c.whole(key), bias=bias)


def read_experts(
    c: Config,
    *counts: str,
    width: str = "moe_intermediate_size",
    shared: Mlp | None = None,
    shared_gate: bool = False,
    correction: bool = False,
) -> Experts:
    """Read experts; with ``correction`` the router has a bias for each (arXiv 2408.15664)."""
    count = c.whole_of(*counts)
    return Experts(
        count=count,
        per_token=read_per_token(c, count),
        expert=read_mlp(c, width),
        shared=shared,
        shared_gate=shared_gate,
        router_numbers=count if correction else 0,
    )


def read_per_token(c: Config, count: int, *names: str) -> int:
    per_token = c.whole_of(*(names or ("num_experts_per_tok", "experts_per_token", "num_experts_per_token")))
    if per_token > count:
        raise LessonError(f"config.json: a token can't go to {per_token} of {count} experts.")
    return per_token


def read_windows(c: Config, default: int | None, windowed: Callable[[int], bool]) -> list[int]:
    """Give each layer's window, 0 for none: by layer_types where given, else by the type's own pattern."""
    layers = read_depth(c)
    window = c.whole("sliding_window", default or 0, low=0, high=10**9)
    types = c.each_layer("layer_types", layers, ("full_attention", "sliding_attention"))
    if types is None:
        return [window if windowed(i) else 0 for i in range(layers)]
    if not window and "sliding_attention" in types:
        raise c.missing("sliding_window")
    return [window if t == "sliding_attention" else 0 for t in types]


# A reader for each type.


def llama(c: Config) -> list[Layer]:
    bias = c.flag("attention_bias")
    return [(read_attention(c, input_bias=bias, output_bias=bias), read_mlp(c, bias=c.flag("mlp_bias")))] * read_depth(
        c
    )


def _mistral(c: Config) -> list[Layer]:
    # A window that is missing is 4,096 by default; newer models say null, which means none.
    default = 0 if "sliding_window" in c.values else 4096
    windows = read_windows(c, default, lambda i: True)
    return [(read_attention(c, kv_heads=8, window=window), read_mlp(c)) for window in windows]


def _mixtral(c: Config) -> list[Layer]:
    experts = read_experts(c, "num_local_experts", width="intermediate_size")
    return [(read_attention(c, kv_heads=8, window=w), experts) for w in read_windows(c, 0, lambda i: True)]


def qwen_windows(c: Config, full_before: int) -> list[int]:
    if not c.flag("use_sliding_window"):
        return [0] * read_depth(c)
    first = c.whole("max_window_layers", full_before, low=0)
    return read_windows(c, 4096, lambda i: i >= first)


def _qwen2(c: Config) -> list[Layer]:
    return [(read_attention(c, kv_heads=32, input_bias=True, window=w), read_mlp(c)) for w in qwen_windows(c, 28)]


def qwen3_attention(c: Config, window: int, kv_heads: int, head_dim: int | None) -> GroupedQueryAttention:
    bias = c.flag("attention_bias")
    return read_attention(
        c,
        kv_heads=kv_heads,
        head_dim=head_dim,
        window=window,
        input_bias=bias,
        output_bias=bias,
        norms="head",
    )


def _qwen3(c: Config) -> list[Layer]:
    return [(qwen3_attention(c, w, 32, 128), read_mlp(c)) for w in qwen_windows(c, 28)]


def is_sparse(c: Config) -> list[bool]:
    """Say for each layer whether it has experts (Qwen's rule)."""
    layers = read_depth(c)
    step = c.whole("decoder_sparse_step", 1)
    dense = c.indices("mlp_only_layers", layers) or []
    return [i not in dense and (i + 1) % step == 0 for i in range(layers)]


def _qwen3_moe(c: Config) -> list[Layer]:
    if not c.flag("use_qk_norm", True) or c.flag("qkv_bias") or c.optional("shared_expert_intermediate_size"):
        raise unsupported("Qwen3 with shared experts, with biases or without norms of queries and keys isn't known")
    experts = read_experts(c, "num_experts", "num_local_experts")
    return [
        (qwen3_attention(c, w, 4, None), experts if sparse else read_mlp(c))
        for w, sparse in zip(qwen_windows(c, 28), is_sparse(c), strict=True)
    ]


def _qwen2_moe(c: Config) -> list[Layer]:
    experts = read_experts(c, "num_experts", shared=read_mlp(c, "shared_expert_intermediate_size"), shared_gate=True)
    attention = [
        read_attention(c, kv_heads=16, input_bias=c.flag("qkv_bias", True), window=w) for w in qwen_windows(c, 28)
    ]
    return [(a, experts if sparse else read_mlp(c)) for a, sparse in zip(attention, is_sparse(c), strict=True)]


def _qwen3_5_attentions(c: Config, kv_heads: int) -> list[Attention]:
    from lessoncore.linear_attention import GatedDeltaNet

    layers = read_depth(c)
    interval = c.whole("full_attention_interval", 4)
    types = c.each_layer("layer_types", layers, ("linear_attention", "full_attention")) or [
        "linear_attention" if (i + 1) % interval else "full_attention" for i in range(layers)
    ]
    bias = c.flag("attention_bias")
    if not c.flag("attn_output_gate", True):
        raise unsupported("Qwen3.5 without the gate on attention's output isn't known")
    full = read_attention(
        c, kv_heads=kv_heads, head_dim=256, input_bias=bias, output_bias=bias, norms="head", gate=True
    )
    linear = GatedDeltaNet(
        key_heads=c.whole("linear_num_key_heads", 16),
        value_heads=c.whole("linear_num_value_heads", 32),
        key_dim=c.whole("linear_key_head_dim", 128),
        value_dim=c.whole("linear_value_head_dim", 128),
        kernel=c.whole("linear_conv_kernel_dim", 4),
    )
    return [full if t == "full_attention" else linear for t in types]


def _qwen3_5(c: Config) -> list[Layer]:
    return [(attention, read_mlp(c)) for attention in _qwen3_5_attentions(c, kv_heads=4)]


def _qwen3_5_moe(c: Config) -> list[Layer]:
    experts = read_experts(c, "num_experts", shared=read_mlp(c, "shared_expert_intermediate_size"), shared_gate=True)
    return [
        (attention, experts if sparse else read_mlp(c))
        for attention, sparse in zip(_qwen3_5_attentions(c, kv_heads=2), is_sparse(c), strict=True)
    ]


def _phi3(c: Config) -> list[Layer]:
    return [(read_attention(c, window=w), read_mlp(c)) for w in read_windows(c, 0, lambda i: True)]


def _gemma(c: Config) -> list[Layer]:
    bias = c.flag("attention_bias")
    return [
        (read_attention(c, kv_heads=16, head_dim=256, input_bias=bias, output_bias=bias), read_mlp(c))
    ] * read_depth(c)


def _gemma2(c: Config) -> list[Layer]:
    bias = c.flag("attention_bias")
    return [
        (read_attention(c, kv_heads=4, head_dim=256, window=w, input_bias=bias, output_bias=bias), read_mlp(c))
        for w in read_windows(c, 4096, lambda i: i % 2 == 0)
    ]


def _gemma3(c: Config) -> list[Layer]:
    bias = c.flag("attention_bias")
    every = c.whole("sliding_window_pattern", 6)
    return [
        (
            read_attention(c, kv_heads=4, head_dim=256, window=w, input_bias=bias, output_bias=bias, norms="head"),
            read_mlp(c),
        )
        for w in read_windows(c, 4096, lambda i: (i + 1) % every > 0)
    ]


def _gemma4(c: Config) -> list[Layer]:
    if c.optional("hidden_size_per_layer_input", 256) or c.optional("num_kv_shared_layers"):
        raise unsupported("Gemma 4 with an embedding for each layer or shared caches isn't known")
    if c.flag("attention_bias") or c.text("use_bidirectional_attention", "vision") != "vision":
        raise unsupported("Gemma 4 with biases or attention that looks ahead isn't known")
    local = read_attention(c, kv_heads=4, head_dim=256, window=c.whole("sliding_window", 512), norms="head")
    alike = c.flag("attention_k_eq_v")
    everywhere = GroupedQueryAttention(
        heads=local.heads,
        kv_heads=c.whole("num_global_key_value_heads", local.kv_heads) if alike else local.kv_heads,
        head_dim=c.whole("global_head_dim", 512),
        norms="head",
        keys_are_values=alike,
    )
    layers = read_depth(c)
    types = c.each_layer("layer_types", layers, ("full_attention", "sliding_attention")) or [
        "sliding_attention" if (i + 1) % 6 else "full_attention" for i in range(layers)
    ]
    types = [*types[:-1], "full_attention"]  # the library insists
    mlp: Mlp | Experts = read_mlp(c)
    if c.flag("enable_moe_block"):
        count = c.whole("num_experts")
        mlp = Experts(
            count=count,
            per_token=read_per_token(c, count, "top_k_experts"),
            expert=read_mlp(c, "moe_intermediate_size"),
            shared=read_mlp(c),
            router_numbers=c.whole("hidden_size") + count,  # a scale for each input and each expert
            norms=3,
        )
    return [(local if t == "sliding_attention" else everywhere, mlp) for t in types]


def _gpt_oss(c: Config) -> list[Layer]:
    bias = c.flag("attention_bias", True)
    count = c.whole_of("num_local_experts", "num_experts")
    experts = Experts(
        count=count,
        per_token=read_per_token(c, count),
        expert=read_mlp(c, bias=True),
        router_numbers=count,
    )
    return [
        (
            read_attention(c, kv_heads=8, head_dim=64, window=w, input_bias=bias, output_bias=bias, sinks=True),
            experts,
        )
        for w in read_windows(c, 128, lambda i: i % 2 == 0)
    ]


def _latent(c: Config) -> LatentAttention:
    c.stated("q_lora_rank")
    return LatentAttention(
        heads=c.whole("num_attention_heads"),
        latent=c.whole("kv_lora_rank"),
        query_latent=c.optional("q_lora_rank"),
        key_dim=c.whole("qk_nope_head_dim"),
        rope_dim=c.whole("qk_rope_head_dim"),
        value_dim=c.whole("v_head_dim"),
        input_bias=c.flag("attention_bias"),
    )


def with_first_dense(c: Config, attention: Attention, correction: bool) -> list[Layer]:
    """Read layers of which the first have an MLP and the others experts (DeepSeek's rule)."""
    layers = read_depth(c)
    c.stated("n_shared_experts")
    shared = c.optional("n_shared_experts")
    width = c.whole("moe_intermediate_size")
    experts = read_experts(c, "n_routed_experts", shared=Mlp(shared * width) if shared else None, correction=correction)
    dense = c.whole("first_k_dense_replace", low=0)
    step = c.whole("moe_layer_freq", 1)
    return [(attention, experts if i >= dense and i % step == 0 else read_mlp(c)) for i in range(layers)]


def _deepseek_v2(c: Config) -> list[Layer]:
    return with_first_dense(c, _latent(c), correction=False)


def _deepseek_v3(c: Config) -> list[Layer]:
    method = c.text("topk_method", "noaux_tc")
    if method != "noaux_tc":
        raise unsupported(f"the router's topk_method {shown(method)} isn't known for this type")
    return with_first_dense(c, _latent(c), correction=True)


def _llama4(c: Config) -> list[Layer]:
    layers = read_depth(c)
    bias = c.flag("attention_bias")
    chunk = c.whole("attention_chunk_size", 8192, low=0, high=10**9)
    interval = c.whole("no_rope_layer_interval", 4)
    rope = c.each_layer("no_rope_layers", layers, (0, 1)) if c.get("no_rope_layers") else None
    local = rope or [int((i + 1) % interval > 0) for i in range(layers)]
    types = c.each_layer("layer_types", layers, ("chunked_attention", "full_attention"))
    if types is not None:
        local = [int(t == "chunked_attention") for t in types]
    step = c.whole("interleave_moe_layer_step", 1)
    sparse = c.indices("moe_layers", layers)
    if sparse is None:
        sparse = list(range(step - 1, layers, step))
    experts = read_experts(c, "num_local_experts", width="intermediate_size", shared=read_mlp(c))
    return [
        (
            read_attention(
                c,
                kv_heads=8,
                head_dim=128,
                window=chunk if local[i] else 0,
                chunked=bool(local[i] and chunk),
                input_bias=bias,
                output_bias=bias,
            ),
            experts if i in sparse else read_mlp(c, "intermediate_size_mlp"),
        )
        for i in range(layers)
    ]


def _minimax_m2(c: Config) -> list[Layer]:
    if c.optional("shared_intermediate_size"):
        raise unsupported("MiniMax M2 with shared experts isn't known")
    norms = "layer" if c.flag("use_qk_norm", True) else ""
    if c.text("qk_norm_type", "per_layer") != "per_layer":
        raise unsupported("MiniMax M2 with another qk_norm_type than per_layer isn't known")
    experts = read_experts(
        c,
        "num_local_experts",
        width="intermediate_size",
        correction=c.flag("use_routing_bias", True),
    )
    return [(read_attention(c, kv_heads=8, head_dim=128, norms=norms), experts)] * read_depth(c)


def _mimo_v2(c: Config) -> list[Layer]:
    layers = read_depth(c)
    if c.optional("n_shared_experts") or c.flag("attention_bias"):
        raise unsupported("MiMo-V2 with shared experts or biases in attention isn't known")
    experts = read_experts(c, "n_routed_experts", correction=True)
    local = c.each_layer("hybrid_layer_pattern", layers, (0, 1))
    sparse = c.each_layer("moe_layer_freq", layers, (0, 1))
    if local is None or sparse is None:
        raise c.missing("hybrid_layer_pattern" if local is None else "moe_layer_freq")

    def attention(prefix: str, window: int, sinks: bool) -> GroupedQueryAttention:
        return GroupedQueryAttention(
            heads=c.whole(f"{prefix}num_attention_heads"),
            kv_heads=c.whole(f"{prefix}num_key_value_heads"),
            head_dim=c.whole(f"{prefix}head_dim"),
            value_dim=c.whole(f"{prefix}v_head_dim"),
            window=window,
            sinks=sinks,
        )

    window = c.whole_of("sliding_window", "sliding_window_size")
    kinds = (
        attention("", 0, c.flag("add_full_attention_sink_bias")),
        attention("swa_", window, c.flag("add_swa_attention_sink_bias", True)),
    )
    return [(kinds[local[i]], experts if sparse[i] else read_mlp(c)) for i in range(layers)]


def _nemotron_h(c: Config) -> list[Layer]:
    from lessoncore.linear_attention import Mamba2

    pattern = c.text("hybrid_override_pattern", "")
    if not pattern or set(pattern) - set("M*E-") or len(pattern) != read_depth(c):
        raise LessonError(
            "config.json: hybrid_override_pattern must have one of M, *, E and - for each of the "
            f"{read_depth(c)} layers, but is {shown(pattern)}."
        )
    if c.has("moe_latent_size") or c.flag("use_bias") or c.flag("mamba_proj_bias") or c.has("sliding_window"):
        raise unsupported("Nemotron-H with latent experts, a window or biases in its Mamba layers isn't known")
    bias, mlp_bias = c.flag("attention_bias"), c.flag("mlp_bias")
    blocks: dict[str, Layer] = {}
    if "M" in pattern:
        blocks["M"] = (
            Mamba2(
                heads=c.whole("mamba_num_heads"),
                head_dim=c.whole("mamba_head_dim"),
                state=c.whole("ssm_state_size", 128),
                groups=c.whole("n_groups", 8),
                kernel=c.whole("conv_kernel", 4),
                convolution_bias=c.flag("use_conv_bias", True),
            ),
            None,
        )
    if "*" in pattern:
        blocks["*"] = (read_attention(c, kv_heads=8, head_dim=128, input_bias=bias, output_bias=bias), None)
    if "-" in pattern:
        blocks["-"] = (None, Mlp(c.whole("intermediate_size"), gated=False, bias=mlp_bias))
    if "E" in pattern:
        count = c.whole("n_routed_experts")
        shared = c.optional("n_shared_experts", 1)
        if shared > 1:
            raise unsupported("Nemotron-H with several shared experts isn't known")
        width = c.whole("moe_shared_expert_intermediate_size") if shared else 0
        blocks["E"] = (
            None,
            Experts(
                count=count,
                per_token=read_per_token(c, count),
                expert=Mlp(c.whole("moe_intermediate_size"), gated=False, bias=mlp_bias),
                shared=Mlp(width, gated=False, bias=mlp_bias) if shared else None,
                router_numbers=count,
            ),
        )
    return [blocks[block] for block in pattern]


EXPERTS = frozenset({"num_experts", "num_local_experts", "moe_intermediate_size", "shared_expert_intermediate_size"})
_LATENT = frozenset(
    {"n_routed_experts", "n_shared_experts", "moe_intermediate_size", "moe_layer_freq"}
    | {"kv_lora_rank", "q_lora_rank", "v_head_dim"}
)
WINDOWS = frozenset({"layer_types", "sliding_window"})
_TWO_SHAPES = frozenset(
    {"global_head_dim", "num_global_key_value_heads", "attention_k_eq_v", "hidden_size_per_layer_input"}
    | {"num_kv_shared_layers"}
)
_LINEAR = frozenset({"layer_types", "linear_num_value_heads", "attn_output_gate"})

KINDS: dict[str, Kind] = {
    "llama": Kind(llama),
    "mistral": Kind(_mistral, WINDOWS),
    "mixtral": Kind(_mixtral, EXPERTS | WINDOWS),
    "qwen2": Kind(_qwen2, WINDOWS),
    "qwen2_moe": Kind(_qwen2_moe, EXPERTS | WINDOWS),
    "qwen3": Kind(_qwen3, WINDOWS),
    "qwen3_moe": Kind(_qwen3_moe, EXPERTS | WINDOWS | {"use_qk_norm"}),
    "qwen3_next": Kind(_qwen3_5_moe, _LINEAR | EXPERTS),
    "qwen3_5_text": Kind(_qwen3_5, _LINEAR),
    "qwen3_5_moe_text": Kind(_qwen3_5_moe, _LINEAR | EXPERTS),
    "phi3": Kind(_phi3, WINDOWS),
    "gemma": Kind(_gemma, tied=True),
    "gemma2": Kind(_gemma2, WINDOWS, norms=4, tied=True),
    "gemma3_text": Kind(_gemma3, WINDOWS, norms=4, tied=True),
    "gemma4_text": Kind(_gemma4, EXPERTS | WINDOWS | _TWO_SHAPES, norms=4, tied=True),
    "gpt_oss": Kind(_gpt_oss, EXPERTS | WINDOWS),
    "deepseek_v2": Kind(_deepseek_v2, _LATENT),
    "deepseek_v3": Kind(_deepseek_v3, _LATENT),
    "kimi_k2": Kind(_deepseek_v3, _LATENT),
    "llama4_text": Kind(_llama4, EXPERTS | {"layer_types", "attention_chunk_size", "use_qk_norm"}),
    "minimax_m2": Kind(_minimax_m2, EXPERTS | {"use_qk_norm", "shared_intermediate_size"}),
    "mimo_v2_flash": Kind(
        _mimo_v2,
        _LATENT | {"sliding_window", "attention_chunk_size", "hybrid_layer_pattern"},
    ),
    "nemotron_h": Kind(
        _nemotron_h, _LATENT | {"ssm_state_size", "mamba_num_heads", "hybrid_override_pattern"}, norms=1
    ),
}

# Types that are known, and why they aren't covered.
REFUSED = {
    "deepseek_v32": "its sparse attention picks the tokens to look at with an indexer (index_topk), "
    "whose cache and arithmetic the formulas don't cover",
    "glm_moe_dsa": "its sparse attention picks the tokens to look at with an indexer (index_topk), "
    "whose cache and arithmetic the formulas don't cover",
    "deepseek_v4": "its attention compresses the cache by another ratio in each layer (compress_ratios) and "
    "picks tokens with an indexer, which the formulas don't cover",
    "minimax_m3": "its sparse attention picks blocks of tokens with an indexer (sparse_attention_config), "
    "which the formulas don't cover",
    "kimi_linear": "its linear attention (Kimi Delta Attention, linear_attn_config) and its experts in a "
    "narrower space (routed_expert_hidden_size) aren't covered by the formulas",
}
