"""memory-<hash>.bin: the memory of a Python that has started, which a page's own begins with; see memory.mjs."""

import gzip
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from environment import node_command
from paths import BUILD, CACHE, PYODIDE
from stamps import digest

PROGRAM = BUILD / "memory.mjs"
# What a page's first reply needs of the standard library beyond what Pyodide itself has loaded by then
MODULES = ("datetime",)


@dataclass(frozen=True)
class Memory:
    """How Pyodide is to begin: what differs from a fresh memory, compressed; and how big it is."""

    compressed: bytes
    header: str
    """Pyodide's own of its snapshots, base64: for which build it is, and which objects of the page Python holds."""
    size: int
    files: frozenset[str]
    """What has been loaded from the library's zip, and so needs no place in a page's."""


def make_memory(library: bytes) -> Memory:
    """Made once for a Pyodide and a library, and kept in dist/cache."""
    made_from = digest(
        library, PROGRAM.read_bytes(), (PYODIDE / "pyodide.asm.wasm").read_bytes(), " ".join(MODULES).encode()
    )
    kept, about = CACHE / f"memory-{made_from}.bin", CACHE / f"memory-{made_from}.json"
    if not about.is_file():
        library_zip, raw = CACHE / "memory.zip", CACHE / "memory.raw"
        library_zip.write_bytes(library)
        about_it = run(library_zip, raw)
        kept.write_bytes(gzip.compress(raw.read_bytes(), 9, mtime=0))
        raw.unlink()
        library_zip.unlink()
        about.write_text(about_it)  # last: it says that the other is whole
    described = json.loads(about.read_text())
    return Memory(kept.read_bytes(), described["header"], described["size"], frozenset(described["files"]))


def run(library_zip: Path, to: Path) -> str:
    command = [*node_command(), str(PROGRAM), str(PYODIDE), str(library_zip), str(to), *MODULES]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
