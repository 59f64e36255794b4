"""Model types that readers paste and the catalogue doesn't have, as in model_types.py; loaded when one is needed."""

from lessoncore.attention import GroupedQueryAttention
from lessoncore.config_json import Config, unsupported
from lessoncore.model_types import (
    EXPERTS,
    WINDOWS,
    Kind,
    Layer,
    is_sparse,
    llama,
    qwen3_attention,
    qwen_windows,
    read_attention,
    read_depth,
    read_experts,
    read_mlp,
    read_windows,
    with_first_dense,
)


def _ministral3(c: Config) -> list[Layer]:
    return [
        (read_attention(c, kv_heads=8, head_dim=128, window=w), read_mlp(c)) for w in read_windows(c, 0, lambda i: True)
    ]


def _internlm2(c: Config) -> list[Layer]:
    bias = c.flag("bias")  # of attention; the MLP has none (its repository's modeling_internlm2.py)
    return [(read_attention(c, input_bias=bias, output_bias=bias), read_mlp(c))] * read_depth(c)


def _smollm3(c: Config) -> list[Layer]:
    if c.flag("use_sliding_window"):
        raise unsupported("SmolLM3 with windows isn't known")
    bias = c.flag("attention_bias")
    attention = read_attention(c, kv_heads=4, input_bias=bias, output_bias=bias)
    return [(attention, read_mlp(c, bias=c.flag("mlp_bias")))] * read_depth(c)


def _seed_oss(c: Config) -> list[Layer]:
    attention = read_attention(
        c,
        kv_heads=8,
        head_dim=128,
        input_bias=c.flag("attention_bias", True),
        output_bias=c.flag("attention_out_bias"),
    )
    return [(attention, read_mlp(c, bias=c.flag("mlp_bias")))] * read_depth(c)


def _ernie(c: Config) -> list[Layer]:
    bias = c.flag("use_bias")
    attention = read_attention(c, kv_heads=2, head_dim=128, input_bias=bias, output_bias=bias)
    return [(attention, read_mlp(c, bias=bias))] * read_depth(c)


def _hunyuan(c: Config) -> list[Layer]:
    if not c.flag("use_qk_norm", True):
        raise unsupported("Hunyuan without norms of queries and keys isn't known")
    bias = c.flag("attention_bias")
    return [(read_attention(c, input_bias=bias, output_bias=bias, norms="head"), read_mlp(c))] * read_depth(c)


def _exaone4(c: Config) -> list[Layer]:
    if c.get("layer_types") is None and (c.has("sliding_window") or "sliding_window" not in c.values):
        raise c.missing("layer_types")  # other versions write the pattern in other ways
    return [(read_attention(c, norms="head", window=w), read_mlp(c)) for w in read_windows(c, 0, lambda i: False)]


def _olmo_attention(c: Config, window: int = 0) -> GroupedQueryAttention:
    """Read attention whose norms go over all heads at once (OLMo 2, arXiv 2501.00656)."""
    bias = c.flag("attention_bias")
    return read_attention(c, window=window, input_bias=bias, output_bias=bias, norms="layer")


def _olmo2(c: Config) -> list[Layer]:
    return [(_olmo_attention(c), read_mlp(c))] * read_depth(c)


def _olmo3(c: Config) -> list[Layer]:
    return [(_olmo_attention(c, w), read_mlp(c)) for w in read_windows(c, 4096, lambda i: (i + 1) % 4 > 0)]


def _olmoe(c: Config) -> list[Layer]:
    return [(_olmo_attention(c), read_experts(c, "num_experts", width="intermediate_size"))] * read_depth(c)


def _cohere(c: Config) -> list[Layer]:
    bias, norms = c.flag("attention_bias"), "layer" if c.flag("use_qk_norm") else ""
    return [(read_attention(c, input_bias=bias, output_bias=bias, norms=norms), read_mlp(c))] * read_depth(c)


def _cohere2(c: Config) -> list[Layer]:
    bias, every = c.flag("attention_bias"), c.whole("sliding_window_pattern", 4)
    return [
        (read_attention(c, window=w, input_bias=bias, output_bias=bias), read_mlp(c))
        for w in read_windows(c, 4096, lambda i: (i + 1) % every > 0)
    ]


def _glm_attention(
    c: Config, kv_heads: int, head_dim: int | None, bias: bool, norms: str = ""
) -> GroupedQueryAttention:
    return read_attention(
        c, kv_heads=kv_heads, head_dim=head_dim, input_bias=c.flag("attention_bias", bias), norms=norms
    )


def _glm(c: Config) -> list[Layer]:
    return [(_glm_attention(c, 2, 128, bias=True), read_mlp(c))] * read_depth(c)


def _glm4_moe(c: Config) -> list[Layer]:
    norms = "head" if c.flag("use_qk_norm") else ""
    return with_first_dense(c, _glm_attention(c, 8, None, bias=False, norms=norms), correction=True)


def _qwen2_vl(c: Config) -> list[Layer]:
    return [(read_attention(c, kv_heads=8, input_bias=True, window=w), read_mlp(c)) for w in qwen_windows(c, 80)]


def _qwen3_vl(c: Config) -> list[Layer]:
    return [(qwen3_attention(c, 0, 32, 128), read_mlp(c))] * read_depth(c)


def _qwen3_vl_moe(c: Config) -> list[Layer]:
    experts = read_experts(c, "num_experts", "num_local_experts")
    attention = qwen3_attention(c, 0, 16, None)
    return [(attention, experts if sparse else read_mlp(c)) for sparse in is_sparse(c)]


OTHER_KINDS: dict[str, Kind] = {
    "granite": Kind(llama),  # it only scales what a Llama computes
    "internlm2": Kind(_internlm2),
    "smollm3": Kind(_smollm3, tied=True),
    "seed_oss": Kind(_seed_oss),
    "ernie4_5": Kind(_ernie, tied=True),
    "hunyuan_v1_dense": Kind(_hunyuan, frozenset({"use_qk_norm"})),
    "exaone4": Kind(_exaone4, WINDOWS),
    "olmo2": Kind(_olmo2),
    "olmo3": Kind(_olmo3, WINDOWS),
    "olmoe": Kind(_olmoe, EXPERTS),
    "cohere": Kind(_cohere, frozenset({"use_qk_norm"}), norms=1, tied=True),
    "cohere2": Kind(_cohere2, WINDOWS, norms=1, tied=True),
    "glm": Kind(_glm),
    "glm4": Kind(_glm, norms=4),
    "glm4_moe": Kind(
        _glm4_moe, frozenset({"n_routed_experts", "n_shared_experts", "moe_intermediate_size", "use_qk_norm"})
    ),
    "ministral3": Kind(_ministral3, WINDOWS),
    "qwen2_vl": Kind(_qwen2_vl, WINDOWS),  # before version 4.52 of the library the text's keys stood at the top
    "qwen2_vl_text": Kind(_qwen2_vl, WINDOWS),
    "qwen2_5_vl": Kind(_qwen2_vl, WINDOWS),
    "qwen2_5_vl_text": Kind(_qwen2_vl, WINDOWS),
    "qwen3_vl_text": Kind(_qwen3_vl),
    "qwen3_vl_moe_text": Kind(_qwen3_vl_moe, EXPERTS),
}
