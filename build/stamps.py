"""Content hashes: what was made from what, so that nothing is made twice and every file name tells its content."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from paths import ROOT


def digest(*parts: bytes) -> str:
    """A short name for some bytes: 16 hexadecimal digits of SHA-256, over each part and its length."""
    total = hashlib.sha256()
    for part in parts:
        total.update(len(part).to_bytes(8, "big"))
        total.update(part)
    return total.hexdigest()[:16]


def files_below(paths: Iterable[Path]) -> list[Path]:
    """Every source file among and below these paths; what Python and npm put beside them is no source."""
    found: set[Path] = set()
    for path in paths:
        found.update([path] if path.is_file() else path.rglob("*"))
    return sorted(file for file in found if file.is_file() and is_source(file))


def is_source(file: Path) -> bool:
    beside = {"__pycache__", "node_modules"} & set(file.parts)
    of_an_editor = file.name.startswith(".") or file.name.endswith("~")
    return not beside and not of_an_editor


def digest_of_files(paths: Iterable[Path]) -> str:
    files = files_below(paths)
    names = (str(file.relative_to(ROOT)).encode() for file in files)
    return digest(*(part for pair in zip(names, (file.read_bytes() for file in files), strict=True) for part in pair))
