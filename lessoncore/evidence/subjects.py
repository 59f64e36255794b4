"""The GPUs and models that were measured: those of the catalogue, and a few that it leaves out."""

from datetime import date
from functools import cache
from os.path import dirname, join
from typing import Any

from lessoncore import catalogue
from lessoncore.architecture import Architecture, LayerGroup
from lessoncore.attention import GroupedQueryAttention
from lessoncore.feedforward import Mlp
from lessoncore.hardware import Gpu
from lessoncore.huggingface import architecture_from_keys

# Names in measurements.csv that the catalogue spells differently.
_SAME = {
    "llama-3-8b": "llama-3.1-8b",
    "llama-3-70b": "llama-3.1-70b",
    "llama-3.3-70b": "llama-3.1-70b",
    "mistral-7b": "mistral-7b-v0.1",  # no measured prompt fills its window of 4,096 tokens
    "h100-96gb-hbm2e-500w": "h100-96gb-500w",
    "mi250x-1gcd": "mi250x-gcd",
}
# Layers, width and heads of the MPT models, from the llm-foundry training configurations.
_MPT = {
    "mpt-1b": (24, 2048, 16),
    "mpt-3b": (32, 2560, 20),
    "mpt-7b": (32, 4096, 32),
    "mpt-13b": (40, 5120, 40),
    "mpt-30b": (48, 7168, 56),
    "mpt-70b": (80, 8192, 64),
}


def _data(name: str) -> bytes:
    data: bytes = __loader__.get_data(join(dirname(__file__), name))  # type: ignore[name-defined]
    return data


def text_of(name: str) -> str:
    """A file of this folder; see lessoncore.catalogue for why it is read like this."""
    return _data(name).decode()


@cache
def _rows(name: str) -> dict[str, Any]:
    return catalogue.parsed(_data, name)


def gpu(name: str) -> Gpu:
    """The accelerator that measurements.csv calls ``name``."""
    key = _SAME.get(name.lower(), name.lower())
    rows = _rows("gpus")
    return catalogue.gpu_of(key, rows[key]) if key in rows else catalogue.gpu(key)


@cache
def model(name: str) -> Architecture:
    """The model that measurements.csv calls ``name``."""
    key = _SAME.get(name.split()[0], name.split()[0])
    if key in _MPT:
        return _mpt(key, *_MPT[key])
    if key not in _rows("models"):
        return catalogue.model(key)
    row = _rows("models")[key]
    return architecture_from_keys(row["config"], key=key, label=key, source=row["source"])


def _mpt(key: str, layers: int, hidden_size: int, heads: int) -> Architecture:
    """MPT: as many key/value heads as query heads, an MLP four times as wide without a gate, tied embeddings."""
    attention = GroupedQueryAttention(heads=heads, kv_heads=heads, head_dim=hidden_size // heads)
    group = LayerGroup(count=layers, attention=attention, mlp=Mlp(width=4 * hidden_size, gated=False))
    return Architecture(
        key=key,
        label=key,
        hidden_size=hidden_size,
        vocabulary=50368,
        tied_embeddings=True,
        groups=(group,),
        source="mosaicml/llm-foundry, scripts/train/yamls",
        read_on=date(2026, 11, 29),
    )
