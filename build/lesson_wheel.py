"""lessoncore as a wheel, and its files compiled for Pyodide: {path inside the zip: bytes}."""

import importlib.util
import io
import json
import os
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

import flit_core.buildapi
from pyodide_build import _py_compile

from paths import CACHE, DIST, ROOT
from stamps import digest

# py_compile then writes hash-based .pyc files: no time of day in them, so the same source gives the same bytes
REPRODUCIBLE = {"SOURCE_DATE_EPOCH": "315532800"}


class MagicMismatch(Exception):
    """This Python writes .pyc files that the browser's Python would not read."""


def check_magic(wanted: str, pyodide: str, own: str = importlib.util.MAGIC_NUMBER.hex()) -> None:
    if own != wanted:
        raise MagicMismatch(
            f"Python {sys.version.split()[0]} writes .pyc files of magic number {own}, "
            f"but Pyodide {pyodide} reads {wanted}: build with a released Python 3.13 (make PYTHON=...)."
        )


def build_wheel() -> Path:
    """dist/lessoncore-<version>-py3-none-any.whl, from pyproject.toml."""
    DIST.mkdir(exist_ok=True)
    before = Path.cwd()
    os.chdir(ROOT)  # a build backend works in the folder of its pyproject.toml
    try:
        return DIST / str(flit_core.buildapi.build_wheel(str(DIST)))
    finally:
        os.chdir(before)


def compiled_package(wheel: Path) -> dict[str, bytes]:
    """The wheel's files with .py replaced by .pyc and .toml by .json, less its metadata, which nothing reads there."""
    files = {name: data for name, data in files_in(wheel).items() if ".dist-info/" not in name}
    sources = {name: files.pop(name) for name in list(files) if name.endswith(".py")}
    data = dict(quick_to_read(*file) if file[0].endswith(".toml") else file for file in files.items())
    return data | compiled_once(sources)


def compiled_once(sources: dict[str, bytes]) -> dict[str, bytes]:
    """A save changes one module: the others are kept compiled in dist/cache."""
    kept = CACHE / "compiled"
    kept.mkdir(parents=True, exist_ok=True)
    places = {
        name: kept / digest(name.encode(), source, importlib.util.MAGIC_NUMBER) for name, source in sources.items()
    }
    changed = {name: sources[name] for name, place in places.items() if not place.is_file()}
    if changed:
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder) / "changed.zip"
            with zipfile.ZipFile(archive, "w") as opened:
                for name, source in changed.items():
                    opened.writestr(name, source)
            for name, code in compiled(archive).items():
                places[name.removesuffix("c")].write_bytes(code)
    for old in set(kept.iterdir()) - set(places.values()):
        old.unlink()
    return {f"{name}c": place.read_bytes() for name, place in places.items()}


def quick_to_read(name: str, toml: bytes) -> tuple[str, bytes]:
    """A TOML file as JSON: loading a reader of TOML takes the browser longer than all of the catalogue."""
    rows = tomllib.loads(toml.decode())
    return name.removesuffix(".toml") + ".json", json.dumps(rows, ensure_ascii=False, default=str).encode()


def compiled(archive: Path) -> dict[str, bytes]:
    """What `pyodide py-compile` makes of a wheel or a zip, read back as files."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / archive.name
        os.environ.update(REPRODUCIBLE)
        _py_compile._compile(archive, output, verbose=False, compression_level=0)
        return files_in(output)


def files_in(archive: Path | io.BytesIO) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist() if not name.endswith("/")}
