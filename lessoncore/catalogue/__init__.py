"""The GPUs and models that the lesson knows, each row with its source and the day it was read.

One TOML table a row. A row is cut out of the file and parsed when it is first asked for, so a page pays
only for the rows that it uses.
"""

import re
from functools import cache
from os.path import dirname, join
from typing import Any

from lessoncore.architecture import Architecture
from lessoncore.errors import unknown
from lessoncore.hardware import Gpu


@cache
def _text(name: str) -> str:
    # The package's loader reads a file next to the code from a folder and from a zip alike, and unlike
    # importlib.resources it costs nothing to import.
    data: bytes = __loader__.get_data(join(dirname(__file__), name))  # type: ignore[name-defined]
    return data.decode()


@cache
def keys(name: str) -> list[str]:
    """List the rows of a catalogue file, ``"gpus"`` or ``"models"``, in its order.

    >>> "h100-sxm" in keys("gpus")
    True
    """
    return re.findall(r'^\["(.+)"\]$', _text(f"{name}.toml"), re.MULTILINE)


@cache
def _labels(name: str) -> dict[str, str]:
    return dict(re.findall(r'^\["(.+)"\]\nlabel = "(.+)"$', _text(f"{name}.toml"), re.MULTILINE))


def label(name: str, key: str) -> str:
    """Give the name that a reader sees, without parsing the row.

    >>> label("models", "llama-3.1-8b")
    'Llama 3.1 8B'
    """
    labels = _labels(name)
    if key not in labels:
        raise unknown(name.removesuffix("s"), key, keys(name))
    return labels[key]


def _row(name: str, what: str, key: str) -> dict[str, Any]:
    import tomllib

    if key not in keys(name):
        raise unknown(what, key, keys(name))
    _, _, rest = _text(f"{name}.toml").partition(f'["{key}"]\n')
    return tomllib.loads(re.split(r"^\[\"", rest, maxsplit=1, flags=re.MULTILINE)[0])


@cache
def gpu(key: str) -> Gpu:
    """Look a GPU up by its key.

    >>> gpu("h100-sxm").driver_mib
    81559
    """
    return Gpu(key=key, **_row("gpus", "GPU", key))


@cache
def model(key: str) -> Architecture:
    """Look a model up by its key.

    >>> model("llama-3.1-8b").layers
    32
    """
    from lessoncore.huggingface import architecture_from_keys

    row = _row("models", "model", key)
    return architecture_from_keys(
        row["config"], key=key, label=row["label"], source=row["source"], read_on=row["read_on"]
    )
