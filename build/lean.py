"""Pyodide without what only packages with C code need, as the site serves it; lean.mjs says what that is."""

import shutil
import subprocess
from pathlib import Path

from environment import node_command
from paths import BUILD, CACHE, PYODIDE
from stamps import digest

PROGRAM = BUILD / "lean.mjs"
SOURCES = ("pyodide.asm.js", "pyodide.asm.wasm", "pyodide.js", "pyodide.mjs")
ALSO = ("package.json", "pyodide-lock.json")  # for Node, which makes the memory with it


def lean_pyodide() -> Path:
    """A folder like that of the npm package; made once for what package-lock.json names, and kept in dist/cache."""
    lock = (BUILD / "package-lock.json").read_bytes()
    made_from = digest(PROGRAM.read_bytes(), lock, *((PYODIDE / name).read_bytes() for name in SOURCES))
    folder = CACHE / f"pyodide-{made_from}"
    if not folder.is_dir():
        unfinished = CACHE / "pyodide.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        for name in (*SOURCES, *ALSO):
            shutil.copyfile(PYODIDE / name, unfinished / name)
        subprocess.run([*node_command(), str(PROGRAM), str(PYODIDE), str(unfinished)], check=True)
        unfinished.rename(folder)
    return folder
