"""python-<hash>.zip: the part of the standard library that is needed and lessoncore, compiled."""

import io
import tempfile
import zipfile
from dataclasses import dataclass
from importlib.util import MAGIC_NUMBER
from pathlib import Path

from lesson_wheel import check_magic, compiled, files_in
from paths import BUILD, CACHE, PYODIDE
from stamps import digest

MODULE_LIST = BUILD / "stdlib_modules.txt"


@dataclass(frozen=True)
class ModuleList:
    """build/stdlib_modules.txt: made for one Pyodide, by list_stdlib.mjs."""

    pyodide: str
    python: str
    magic: str
    files: tuple[str, ...]


def read_module_list(text: str) -> ModuleList:
    header, *files = text.split("\n")
    _, _, pyodide, _, python, _, magic = header.split()
    return ModuleList(pyodide, python, magic, tuple(filter(None, files)))


def stdlib_zip(modules: ModuleList, without: frozenset[str] = frozenset()) -> bytes:
    """The listed files of Pyodide's standard library as .pyc, without some of these; kept in dist/cache."""
    check_magic(modules.magic, modules.pyodide)
    source = PYODIDE / "python_stdlib.zip"
    made_from = (source.read_bytes(), repr(modules).encode(), MAGIC_NUMBER, *map(str.encode, sorted(without)))
    kept = CACHE / f"stdlib-{digest(*made_from)}.zip"
    if not kept.is_file():
        CACHE.mkdir(parents=True, exist_ok=True)
        made = without_files(stdlib_zip(modules), without) if without else compile_stdlib(source, modules.files)
        kept.write_bytes(made)
    return kept.read_bytes()


def compile_stdlib(source: Path, wanted: tuple[str, ...]) -> bytes:
    every_file = files_in(source)
    with tempfile.TemporaryDirectory() as folder:
        trimmed = Path(folder) / "stdlib.zip"
        trimmed.write_bytes(with_files(b"", {name: every_file[name] for name in wanted}))
        return with_files(b"", compiled(trimmed))


def with_files(archive: bytes, files: dict[str, bytes]) -> bytes:
    """The zip with these files added. What is in it already is not compressed again: that would take most of a save.

    Depends on nothing but its input: files sorted, one date, one mode, one system. Deflated, since stored files
    started no sooner in a browser and were twice the download.
    """
    out = io.BytesIO(archive)
    with zipfile.ZipFile(out, "a") as opened:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            opened.writestr(entry, files[name], compresslevel=9)
    return out.getvalue()


def without_files(archive: bytes, names: frozenset[str]) -> bytes:
    files = files_in(io.BytesIO(archive))
    return with_files(b"", {name: files[name] for name in files.keys() - names})
