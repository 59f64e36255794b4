"""The GPUs and models that the lesson knows, each row with its source and the day it was read.

One TOML table a row. What a row means is worked out when it is first asked for, so a page pays only for the rows
that it uses.
"""

import json
from collections.abc import Callable
from datetime import date
from functools import cache
from os.path import dirname, join
from typing import Any

from lessoncore.architecture import Architecture
from lessoncore.errors import unknown
from lessoncore.hardware import Gpu


def parsed(read: Callable[[str], bytes], name: str) -> dict[str, dict[str, Any]]:
    """The rows of a TOML file, given what reads a file of its folder."""
    try:
        return dict(json.loads(read(f"{name}.json")))  # in the browser, where the build puts JSON in TOML's place
    except OSError:
        import tomllib  # takes the browser longer to load than a page's rows to read

        return tomllib.loads(read(f"{name}.toml").decode())


@cache
def _rows(name: str) -> dict[str, dict[str, Any]]:
    return parsed(_data, name)


def _data(file: str) -> bytes:
    # The package's loader reads a file next to the code from a folder and from a zip alike, and unlike
    # importlib.resources it costs nothing to import.
    data: bytes = __loader__.get_data(join(dirname(__file__), file))  # type: ignore[name-defined]
    return data


@cache
def keys(name: str) -> list[str]:
    """List the rows of a catalogue file, ``"gpus"`` or ``"models"``, in its order.

    >>> "h100-sxm" in keys("gpus")
    True
    """
    return list(_rows(name))


def label(name: str, key: str) -> str:
    """Give the name that a reader sees.

    >>> label("models", "llama-3.1-8b")
    'Llama 3.1 8B'
    """
    return str(_row(name, name.removesuffix("s"), key)["label"])


def _row(name: str, what: str, key: str) -> dict[str, Any]:
    rows = _rows(name)
    if key not in rows:
        raise unknown(what, key, list(rows))
    return rows[key]


def _day(row: dict[str, Any]) -> date:
    """The day a row was read, which JSON holds as text."""
    return date.fromisoformat(str(row["read_on"]))


@cache
def gpu(key: str) -> Gpu:
    """Look a GPU up by its key.

    >>> gpu("h100-sxm").driver_mib
    81559
    """
    return gpu_of(key, _row("gpus", "GPU", key))


def gpu_of(key: str, row: dict[str, Any]) -> Gpu:
    """A GPU from its row."""
    return Gpu(**row | {"key": key, "read_on": _day(row)})


@cache
def model(key: str) -> Architecture:
    """Look a model up by its key.

    >>> model("llama-3.1-8b").layers
    32
    """
    from lessoncore.huggingface import architecture_from_keys

    row = _row("models", "model", key)
    return architecture_from_keys(row["config"], key=key, label=row["label"], source=row["source"], read_on=_day(row))
