"""memory-<hash>.bin: the memory of a Python that has started, which a page's own begins with; see memory.mjs."""

import gzip
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from environment import node_command
from paths import BUILD, CACHE
from stamps import digest

PROGRAM = BUILD / "memory.mjs"


@dataclass(frozen=True)
class Memory:
    """How Pyodide is to begin: what differs from a fresh memory, compressed; and how big it is."""

    compressed: bytes
    header: str
    """Pyodide's own of its snapshots, base64: for which build it is, and which objects of the page Python holds."""
    size: int
    files: frozenset[str]
    """What has been loaded from the library's zip, and so needs no place in a page's."""


def make_memory(pyodide: Path, library: bytes, program: str) -> Memory:
    """Of a Python that has run this program, with what it imports from this zip; made once, and kept in dist/cache."""
    wasm = (pyodide / "pyodide.asm.wasm").read_bytes()
    made_from = digest(library, PROGRAM.read_bytes(), wasm, program.encode())
    kept, about = CACHE / f"memory-{made_from}.bin", CACHE / f"memory-{made_from}.json"
    if not about.is_file():
        library_zip, raw = CACHE / "memory.zip", CACHE / "memory.raw"
        library_zip.write_bytes(library)
        about_it = run(pyodide, library_zip, raw, program)
        kept.write_bytes(gzip.compress(raw.read_bytes(), 9, mtime=0))
        raw.unlink()
        library_zip.unlink()
        about.write_text(about_it)  # last: it says that the other is whole
        forget_old()
    described = json.loads(about.read_text())
    return Memory(kept.read_bytes(), described["header"], described["size"], frozenset(described["files"]))


def forget_old(keep: int = 4) -> None:
    """There is one for every state that lessoncore was built in."""
    kept = sorted(CACHE.glob("memory-*.json"), key=lambda path: path.stat().st_mtime)
    for about in kept[:-keep]:
        about.unlink()  # first: it says that the other is whole
        about.with_suffix(".bin").unlink(missing_ok=True)


def run(pyodide: Path, library_zip: Path, to: Path, program: str) -> str:
    command = [*node_command(), str(PROGRAM), str(pyodide), str(library_zip), program, str(to)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
