"""What the transformers library takes for sizes that a config.json leaves out; loaded when one is missing.

Read off src/transformers/models/<type>/configuration_<type>.py, versions 4.57 and 5.24, which agree on what is here
(where both have the type). What they don't agree on, or don't have, stays a clear error. Defaults that hang on
other keys, such as as many key/value heads as query heads, and those of switches and windows are in the readers of
model_types.py.
"""

_SIZES = (
    *("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads"),
    "max_position_embeddings",
)


def _sizes(*sizes: int, **others: int) -> dict[str, int]:
    return dict(zip(_SIZES, sizes, strict=True)) | others


def _experts(count: int, per_token: int, width: int = 0, key: str = "num_experts", **others: int) -> dict[str, int]:
    return {key: count, "num_experts_per_tok": per_token} | ({"moe_intermediate_size": width} if width else {}) | others


_LATENT = {"kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128}
_QWEN_VL = _sizes(152064, 8192, 29568, 80, 64, 32768)

LIBRARY_DEFAULTS: dict[str, dict[str, int]] = {
    "llama": _sizes(32000, 4096, 11008, 32, 32, 2048),
    "granite": _sizes(32000, 4096, 11008, 32, 32, 2048),
    "smollm3": _sizes(128256, 2048, 11008, 36, 16, 32768),
    "seed_oss": _sizes(155136, 4096, 27648, 64, 80, 524288),
    "ernie4_5": _sizes(103424, 1024, 3072, 18, 16, 131072),
    "hunyuan_v1_dense": _sizes(290943, 4096, 11008, 32, 32, 2048),
    "exaone4": _sizes(102400, 4096, 16384, 32, 32, 2048),
    "olmo2": _sizes(50304, 4096, 11008, 32, 32, 2048),
    "olmo3": _sizes(50304, 4096, 11008, 32, 32, 2048),
    "olmoe": _sizes(50304, 2048, 2048, 16, 16, 4096) | _experts(64, 8),
    "cohere": _sizes(256000, 8192, 22528, 40, 64, 8192),
    "cohere2": _sizes(256000, 8192, 22528, 40, 64, 8192),
    "glm": _sizes(151552, 4096, 13696, 40, 32, 131072),
    "glm4": _sizes(151552, 4096, 13696, 40, 32, 131072),
    "glm4_moe": _sizes(151552, 4096, 10944, 46, 96, 131072)
    | _experts(128, 8, 1408, "n_routed_experts", first_k_dense_replace=1),
    "mistral": _sizes(32000, 4096, 14336, 32, 32, 131072),
    "ministral3": _sizes(131072, 4096, 14336, 34, 32, 262144),
    "mixtral": _sizes(32000, 4096, 14336, 32, 32, 131072) | _experts(8, 2, key="num_local_experts"),
    "qwen2": _sizes(151936, 4096, 22016, 32, 32, 32768),
    "qwen2_moe": _sizes(151936, 2048, 5632, 24, 16, 32768)
    | _experts(60, 4, 1408, shared_expert_intermediate_size=5632),
    "qwen2_vl_text": _QWEN_VL,
    "qwen2_5_vl_text": _QWEN_VL,
    "qwen3": _sizes(151936, 4096, 22016, 32, 32, 32768),
    "qwen3_moe": _sizes(151936, 2048, 6144, 24, 32, 32768) | _experts(128, 8, 768),
    "qwen3_vl_text": _sizes(151936, 4096, 22016, 32, 32, 128000),
    "qwen3_vl_moe_text": _sizes(151936, 2048, 5632, 24, 16, 128000) | _experts(60, 4, 1408),
    "qwen3_next": _sizes(151936, 2048, 5632, 48, 16, 32768)
    | _experts(512, 10, 512, shared_expert_intermediate_size=512),
    "qwen3_5_text": _sizes(248320, 4096, 12288, 32, 16, 32768),
    "qwen3_5_moe_text": {key: size for key, size in _sizes(248320, 2048, 0, 40, 16, 32768).items() if size}
    | _experts(256, 8, 512, shared_expert_intermediate_size=512),
    "phi3": _sizes(32064, 3072, 8192, 32, 32, 4096),
    "gemma": _sizes(256000, 3072, 24576, 28, 16, 8192),
    "gemma2": _sizes(256000, 2304, 9216, 26, 8, 8192),
    "gemma3_text": _sizes(262208, 2304, 9216, 26, 8, 131072),
    "gemma4_text": _sizes(262144, 2304, 9216, 30, 8, 131072),
    "gpt_oss": _sizes(201088, 2880, 2880, 36, 64, 131072) | _experts(128, 4, key="num_local_experts"),
    "deepseek_v2": {key: size for key, size in _sizes(0, 4096, 11008, 32, 32, 2048).items() if size} | _LATENT,
    "deepseek_v3": _sizes(129280, 7168, 18432, 61, 128, 4096)
    | _LATENT
    | _experts(256, 8, 2048, "n_routed_experts", first_k_dense_replace=3),
    "llama4_text": _sizes(202048, 5120, 8192, 48, 40, 131072)
    | _experts(16, 1, key="num_local_experts", intermediate_size_mlp=16384),
    "nemotron_h": {"vocab_size": 131072, "hidden_size": 4096, "intermediate_size": 21504, "num_attention_heads": 32}
    | {"max_position_embeddings": 4096, "mamba_num_heads": 128, "mamba_head_dim": 64},
}
