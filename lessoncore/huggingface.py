"""From any Hugging Face config.json to an Architecture, or to the reason why not.

model_types.py knows the types; this module finds the one that fits and refuses what none covers: a wrong
number is worse than none.
"""

from collections import Counter
from datetime import date
from typing import Any

from lessoncore.architecture import Architecture, LayerGroup
from lessoncore.config_json import Config, parse, shown, unsupported
from lessoncore.errors import LessonError, closest
from lessoncore.model_types import KINDS, REFUSED, Kind
from lessoncore.quantisation import stored
from lessoncore.units import whole

# Keys that change what a model is made of: where one is set that the type's reader ignores, it's refused.
TELLING = {
    "num_experts": "experts",
    "num_local_experts": "experts",
    "n_routed_experts": "experts",
    "moe_intermediate_size": "experts",
    "n_shared_experts": "shared experts",
    "shared_expert_intermediate_size": "shared experts",
    "shared_intermediate_size": "shared experts",
    "moe_layer_freq": "experts",
    "routed_expert_hidden_size": "experts in a narrower space",
    "kv_lora_rank": "latent attention",
    "q_lora_rank": "latent attention",
    "v_head_dim": "values of another width than keys",
    "index_topk": "sparse attention with an indexer",
    "sparse_attention_config": "sparse attention",
    "compress_ratios": "a compressed cache",
    "linear_attn_config": "linear attention",
    "linear_num_value_heads": "linear attention",
    "layer_types": "layers of different kinds",
    "attention_chunk_size": "attention in chunks",
    "hybrid_layer_pattern": "layers of different kinds",
    "hybrid_override_pattern": "layers of different kinds",
    "block_configs": "layers of different kinds",
    "ssm_state_size": "state-space layers",
    "mamba_num_heads": "state-space layers",
    "mamba_d_state": "state-space layers",
    "cross_attention_layers": "cross-attention",
    "num_kv_shared_layers": "layers that share their cache",
    "use_cla": "layers that share their cache",
    "hidden_size_per_layer_input": "an embedding for each layer",
    "global_head_dim": "layers with other heads",
    "num_global_key_value_heads": "layers with other heads",
    "attention_k_eq_v": "keys that serve as values",
    "attn_output_gate": "a gate on attention's output",
    "attention_output_gate": "a gate on attention's output",
    "use_qk_norm": "norms of queries and keys",
    "qk_layernorm": "norms of queries and keys",
    "hc_mult": "several residual streams",
    "is_encoder_decoder": "an encoder",
}

# What a plain Llama must say of itself to be one without a model_type.
_PLAIN = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size")


def architecture_from_config(text: str, key: str = "pasted", label: str = "pasted config.json") -> Architecture:
    """Read a model from the text of its config.json.

    Raises LessonError with the reason for anything that can't be computed with. Encoders of images and sound
    and layers for multi-token prediction aren't counted; ``left_out`` says so.

    >>> architecture_from_config('''{"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096,
    ...     "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
    ...     "vocab_size": 128256, "tie_word_embeddings": false}''').parameters.total
    8030261248
    >>> architecture_from_config('{"model_type": "deepseek_v32"}')  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    lessoncore.errors.LessonError: not supported, because its sparse attention picks the tokens to look at ...
    """
    return architecture_from_keys(parse(text), key=key, label=label, source="the pasted config.json")


def architecture_from_keys(
    values: dict[str, Any], key: str, label: str, source: str, read_on: date | None = None
) -> Architecture:
    """Read a model from the keys of its config.json."""
    nested = values.get("text_config")
    if nested is not None and not isinstance(nested, dict):
        raise LessonError(f"config.json: text_config must be an object, but is {shown(nested)}.")
    outer = Config(values)
    if nested is None:
        config, kind = outer, _kind(outer)
    else:
        model_type = Config(nested).text("model_type", f"{outer.model_type}_text")
        inner = nested.copy()
        inner["model_type"] = model_type
        config = Config(inner)
        kind = _kind(config)
    _refuse_strange(config, kind)
    _refuse_heads_other_than_words(outer)
    layers = kind.layers(config)
    groups = tuple(
        LayerGroup(count, attention, mlp, norms=kind.norms) for (attention, mlp), count in Counter(layers).items()
    )
    return Architecture(
        key=key,
        label=label,
        hidden_size=config.whole("hidden_size"),
        vocabulary=config.whole("vocab_size"),
        tied_embeddings=_tied(outer, config, kind),
        groups=groups,
        source=source,
        read_on=read_on,
        longest_context=_longest_context(config),
        stored=stored(values, nested or {}, len(layers)),
        left_out=_left_out(outer, config),
        defaulted=", ".join(f"{name} {whole(size)}" for name, size in config.defaulted.items()),
    )


def _kind(c: Config) -> Kind:
    if c.model_type in KINDS:
        return KINDS[c.model_type]
    if c.model_type in REFUSED:
        raise unsupported(REFUSED[c.model_type])
    from lessoncore.other_model_types import OTHER_KINDS  # the catalogue needs none of them

    if c.model_type in OTHER_KINDS:
        return OTHER_KINDS[c.model_type]
    # A type may have what its keys don't tell of, as OLMo 2 its norms of queries and keys: only the class is proof.
    if not c.model_type and c.get("architectures") == ["LlamaForCausalLM"] and all(map(c.has, _PLAIN)):
        return KINDS["llama"]
    known = [*KINDS, *OTHER_KINDS]
    name = f"its model_type {shown(c.model_type)} isn't known" if c.model_type else "it has no model_type"
    hint = "if its layers are those of a known type, give that as model_type"
    raise unsupported(f"{name}; {hint}.{closest(c.model_type[:60], known)} Known: {', '.join(known)}")


def _refuse_strange(c: Config, kind: Kind) -> None:
    for key, meaning in TELLING.items():
        value = c.values.get(key)
        if key in kind.understands or value is None or value is False or value == 0 or value == []:
            continue
        if key == "layer_types" and isinstance(value, list) and all(entry == "full_attention" for entry in value):
            continue
        raise unsupported(f"it has {meaning} ({key}), which a model of type {shown(c.model_type)} has not")


def _refuse_heads_other_than_words(c: Config) -> None:
    names = c.values.get("architectures")
    if names is None or names == []:
        return
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise LessonError(f"config.json: architectures must be a list of texts, but is {shown(names)}.")
    if not any(end in names[0] for end in ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel")):
        raise unsupported(f"a {shown(names[0])} doesn't write text")


def _tied(outer: Config, config: Config, kind: Kind) -> bool:
    answers = {c.flag("tie_word_embeddings") for c in (outer, config) if c.has("tie_word_embeddings")}
    if len(answers) > 1:
        raise LessonError("config.json: tie_word_embeddings is both true and false, outside and inside text_config.")
    return answers.pop() if answers else kind.tied


def _longest_context(c: Config) -> int:
    key = "max_position_embeddings"
    return c.whole(key, low=0, high=10**9) if c.has(key) else c.of_library(key) or 0


def _left_out(outer: Config, config: Config) -> str:
    parts = []
    if outer.has("vision_config"):
        parts.append("the encoder of images")
    if outer.has("audio_config"):
        parts.append("the encoder of sound")
    if any(config.has(k) and config.get(k) for k in ("num_nextn_predict_layers", "mtp_num_hidden_layers", "use_mtp")):
        parts.append("layers for multi-token prediction")
    return " and ".join(parts)
