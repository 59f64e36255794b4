"""What the quantisation block of a config.json says: which parts of the weights are in which format."""

import re
from typing import Any

from lessoncore.config_json import Config, shown, unsupported
from lessoncore.errors import LessonError
from lessoncore.stored import MATRICES, Stored
from lessoncore.units import whole

_DTYPES = {"float32": "fp32", "bfloat16": "bf16", "float16": "bf16", "half": "bf16"}
_IN_LAYERS = ("attention", "mlp", "experts")
# Real files name up to a thousand modules, and have one to three groups.
_MOST_MODULES = 5_000
_MOST_GROUPS = 100
_LAYER = re.compile(r"layers\.(\d{1,4})\.")
# Where a part's weights are, as names of modules spell it.
_MODULES = {
    "attention": ("self_attn", "linear_attn"),
    "mlp": (
        "shared_expert",
        "mlp.gate_proj",
        "mlp.up_proj",
        "mlp.down_proj",
        r"mlp\.(gate|up",
        "mlp.gate_up",
    ),
    "experts": (".experts", "block_sparse_moe"),
    "head": ("lm_head",),
    "embedding": ("embed_tokens",),
}


def stored(config: dict[str, Any], text_config: dict[str, Any], layers: int) -> Stored:
    """Say how the checkpoint of a config.json stores its weights.

    >>> stored({"quantization_config": {"quant_method": "mxfp4"}}, {}, layers=24)
    Stored(weights='mxfp4', parts=('experts',), rest='bf16', maths='bf16', kv='bf16')
    """
    block = next(
        (
            source[key]
            for source in (config, text_config)
            for key in ("quantization_config", "compression_config", "quantization")
            if source.get(key) is not None
        ),
        None,
    )
    rest = _dtype(config, text_config)
    if block is None:
        return Stored(weights=rest, rest=rest)
    if not isinstance(block, dict):
        raise LessonError(f"config.json: quantization_config must be an object, but is {shown(block)}.")
    reader = Config(block)
    method = reader.text("quant_method", "mlx" if "quantization" in config else "")
    if method not in _METHODS:
        raise unsupported(
            f"quantisation by {shown(method)} isn't known. Known: {', '.join(_METHODS)}; "
            "without quantization_config the weights count as 16 bits"
        )
    weights, parts, maths = _METHODS[method](reader)
    unquantised = _excluded(block, layers)
    return Stored(
        weights=weights,
        parts=tuple(part for part in parts if part not in unquantised),
        rest="bf16" if rest == "fp32" else rest,
        maths=maths,
        kv=_kv(block),
    )


def _dtype(config: dict[str, Any], text_config: dict[str, Any]) -> str:
    for source in (text_config, config):
        for key in ("dtype", "torch_dtype"):
            value = source.get(key)
            if value is not None:
                if not isinstance(value, str) or value not in _DTYPES:
                    raise LessonError(f"config.json: {key} must be one of {', '.join(_DTYPES)}, but is {shown(value)}.")
                return _DTYPES[value]
    return "bf16"


type _Read = tuple[str, tuple[str, ...], str]


def _fp8(block: Config) -> _Read:
    return "fp8", _IN_LAYERS, "fp8"


def _mxfp4(block: Config) -> _Read:
    return "mxfp4", ("experts",), "bf16"  # the library converts the experts only


def _weights_only(block: Config) -> _Read:
    return _integer(block.whole("bits", high=16), block.get("group_size")), _IN_LAYERS, "bf16"


def _mlx(block: Config) -> _Read:
    # A scale and an offset for each group: 32 bits for 64 weights are what a scale alone is for 32.
    return _integer(block.whole("bits", high=16), block.whole("group_size", 64) / 2), MATRICES, "bf16"


def _bitsandbytes(block: Config) -> _Read:
    if block.flag("load_in_4bit"):
        return "int4-g32", _IN_LAYERS, "bf16"  # an fp32 scale for each 64 weights
    if block.flag("load_in_8bit"):
        return "int8", _IN_LAYERS, "bf16"
    raise unsupported("its bitsandbytes block asks for neither 4 nor 8 bits")


def _compressed_tensors(block: Config) -> _Read:
    groups = block.get("config_groups")
    if not isinstance(groups, dict) or not groups:
        raise unsupported("its compressed-tensors block has no config_groups")
    if len(groups) > _MOST_GROUPS:
        raise unsupported(f"its compressed-tensors block has more than {_MOST_GROUPS} config_groups")
    read = {_group(group) for group in groups.values()}
    if len(read) > 1:
        raise unsupported("it mixes several number formats for its weights")
    weights, maths = read.pop()
    return weights, (*_IN_LAYERS, "head"), maths


def _group(group: object) -> tuple[str, str]:
    weights = group.get("weights") if isinstance(group, dict) else None
    if not isinstance(group, dict) or not isinstance(weights, dict):
        raise unsupported("a group of its compressed-tensors block doesn't describe its weights")
    reader = Config(weights)
    bits, kind, size = (
        reader.whole("num_bits", high=16),
        reader.text("type", "int"),
        weights.get("group_size"),
    )
    quantised_input = isinstance(group.get("input_activations"), dict)
    if kind == "int":
        return _integer(bits, size), "int8" if quantised_input and bits == 8 else "bf16"
    if kind == "float" and bits == 8:
        return "fp8", "fp8" if quantised_input else "bf16"
    if kind == "float" and bits == 4 and size in (16, 32):
        return "nvfp4" if size == 16 else "mxfp4", "fp4" if quantised_input else "bf16"
    raise unsupported(f"weights of {bits} bits of type {shown(kind)} in groups of {shown(size)} aren't known")


def _modelopt(block: Config) -> _Read:
    algorithm = block.text("quant_algo", "")
    if algorithm == "FP8":
        return "fp8", _IN_LAYERS, "fp8"
    if algorithm in ("NVFP4", "FP4"):
        return "nvfp4", _IN_LAYERS, "fp4"
    raise unsupported(f"ModelOpt's quant_algo {shown(algorithm)} isn't known. Known: FP8, NVFP4")


_METHODS = {
    "fp8": _fp8,
    "fbgemm_fp8": _fp8,
    "mxfp4": _mxfp4,
    "gptq": _weights_only,
    "awq": _weights_only,
    "bitsandbytes": _bitsandbytes,
    "compressed-tensors": _compressed_tensors,
    "modelopt": _modelopt,
    "modelopt_fp4": _modelopt,
    "mlx": _mlx,
}


def _integer(bits: int, group: object) -> str:
    if bits == 16:
        return "bf16"
    if bits == 8:
        return "int8"
    if bits == 4 and group in (None, -1):
        return "int4"
    for size in (32, 64, 128):
        if bits == 4 and group == size:
            return f"int4-g{size}"
    raise unsupported(f"integer weights of {bits} bits in groups of {shown(group)} aren't known")


def _excluded(block: dict[str, Any], layers: int) -> set[str]:
    """Name the parts that the block leaves as they are, in every layer.

    Patterns are looked through for names of modules and never run: they come from outside.
    """
    keys = ("modules_to_not_convert", "ignore", "ignored_layers", "exclude_modules")
    lists = [entry for key in keys if isinstance(entry := block.get(key), list)]
    if sum(map(len, lists)) > _MOST_MODULES:
        raise LessonError(
            f"config.json: up to {whole(_MOST_MODULES)} modules are read that aren't quantised; this has more."
        )
    everywhere: set[str] = set()
    layer_by_layer: dict[str, set[str]] = {}
    for name in (name for entry in lists for name in entry if isinstance(name, str)):
        plain = name.replace("\\.", ".") if "(" not in name else name
        for part, spellings in _MODULES.items():
            if not any(spelling in plain for spelling in spellings):
                continue
            number = _LAYER.search(plain)
            if number:
                layer_by_layer.setdefault(part, set()).add(number[1])
            else:
                everywhere.add(part)
    return everywhere | {part for part, numbers in layer_by_layer.items() if len(numbers) >= layers}


def _kv(block: dict[str, Any]) -> str:
    scheme = block.get("kv_cache_scheme")
    if isinstance(scheme, dict) and scheme.get("num_bits") == 8:
        return "fp8"
    algorithm = block.get("kv_cache_quant_algo")
    return "fp8" if isinstance(algorithm, str) and algorithm.upper() == "FP8" else "bf16"
