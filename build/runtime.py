"""Put the browser's Python together in dist/runtime/: Pyodide, the library with lessoncore in it, the file:// packs.

`python build/runtime.py` builds it; nothing is done again for inputs that have not changed.
"""

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lean import lean_pyodide
from paths import BUILD, CACHE, DIST, NODE_MODULES, PACKAGE, PYODIDE, ROOT, RUNTIME, WORKER_SOURCE
from stamps import digest, digest_of_files
from turns import only_one

if TYPE_CHECKING:
    from memory import Memory

# Material's search runs in a worker; from file:// it needs this stand-in, which mkdocs.yml names as a local file
SEARCH_SHIM = NODE_MODULES / "iframe-worker" / "shim" / "index.js"
WARM_UP = BUILD / "warm_up.py"
PYODIDE_FILES = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm")
INPUTS = (PACKAGE, WORKER_SOURCE, ROOT / "pyproject.toml", BUILD)
STAMP = CACHE / "runtime.made-from"


def build_runtime(preview: bool = False) -> None:
    """A preview has all of lessoncore still to import, because to begin with it loaded takes a second of each save."""
    with only_one("runtime"):
        made_from = digest(digest_of_files(INPUTS).encode(), str(preview).encode())
        if STAMP.is_file() and STAMP.read_text() == made_from and (RUNTIME / "manifest.json").is_file():
            return
        STAMP.unlink(missing_ok=True)
        put_in_place(runtime_files(preview))
        STAMP.write_text(made_from)


def runtime_files(preview: bool) -> dict[str, bytes]:
    """Every file of dist/runtime/, the manifest last: it names the others."""
    lean = lean_pyodide()
    pyodide = {name: (lean / name).read_bytes() for name in PYODIDE_FILES}
    memory, python_zip = started_python(lean, preview)
    worker = WORKER_SOURCE.read_bytes()

    pyodide_folder = f"pyodide-{digest(*pyodide.values())}/"
    files = {pyodide_folder + name: data for name, data in pyodide.items()}
    memory_name = add(files, "memory", ".bin", memory.compressed)
    python_name = add(files, "python", ".zip", python_zip)
    worker_name = add(files, "worker", ".js", worker)
    packs = make_packs(pyodide, memory, python_zip, worker)
    pack_names = {name: add(files, f"packs/{name}", ".js", data) for name, data in packs.items()}
    files["iframe-worker/shim.js"] = SEARCH_SHIM.read_bytes()

    manifest = {
        "build": digest(*(name.encode() for name in sorted(files))),
        "pyodide": pyodide_folder,
        "memory": {"file": memory_name, "header": memory.header, "size": memory.size},
        "python": python_name,
        "worker": worker_name,
        "packs": pack_names,
        "lock": lock_file_contents(),
    }
    return {**files, "manifest.json": json.dumps(manifest, indent=2).encode() + b"\n"}


def add(files: dict[str, bytes], stem: str, suffix: str, data: bytes) -> str:
    """Add a file under a name that tells its content, so that it may be cached for ever; returns the name."""
    name = f"{stem}-{digest(data)}{suffix}"
    files[name] = data
    return name


def started_python(pyodide: Path, preview: bool) -> "tuple[Memory, bytes]":
    """The memory that a page begins with, and the zip of what Python has yet to load then."""
    # imported here: a run that has nothing to do should not pay for loading pyodide-build
    from memory import make_memory
    from python_zip import with_files, without_files

    if preview:
        memory = make_memory(pyodide, standard_library(), "import datetime")
        return memory, with_files(standard_library(memory.files), compiled_lessoncore())
    everything = whole_library()
    memory = make_memory(pyodide, everything, WARM_UP.read_text())
    return memory, without_files(everything, memory.files)


def whole_library() -> bytes:
    """The standard library and lessoncore, as a zip for Python to import from."""
    from python_zip import with_files

    return with_files(standard_library(), compiled_lessoncore())


def standard_library(without: frozenset[str] = frozenset()) -> bytes:
    from python_zip import MODULE_LIST, read_module_list, stdlib_zip

    return stdlib_zip(read_module_list(MODULE_LIST.read_text()), without)


def compiled_lessoncore() -> dict[str, bytes]:
    from lesson_wheel import build_wheel, compiled_package

    return compiled_package(build_wheel())


def make_packs(pyodide: dict[str, bytes], memory: "Memory", python_zip: bytes, worker: bytes) -> dict[str, bytes]:
    from offline_packs import pack, pack_compressed, script

    packs = {name: pack(name, data) for name, data in pyodide.items()}
    packs["memory"] = script("memory", memory.compressed)
    packs["python.zip"] = pack_compressed("python.zip", python_zip)
    packs["worker.js"] = script("worker.js", worker)
    return packs


def lock_file_contents() -> dict[str, object]:
    """What loadPyodide wants as lockFileContents: the release that the files are of, and no packages to install."""
    info = json.loads((PYODIDE / "pyodide-lock.json").read_text())["info"]
    version = json.loads((PYODIDE / "package.json").read_text())["version"]
    return {"info": {**info, "version": version}, "packages": {}}


def put_in_place(files: dict[str, bytes]) -> None:
    """Make dist/runtime/ hold exactly these; a file that is there already has the same name and so the same content."""
    for name, data in files.items():
        path = RUNTIME / name
        if name == "manifest.json" or not path.is_file() or path.stat().st_size != len(data):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    for path in sorted(RUNTIME.rglob("*"), reverse=True):
        name = path.relative_to(RUNTIME).as_posix()
        if path.is_file() and name not in files:
            path.unlink()
        elif path.is_dir() and not any(file.startswith(f"{name}/") for file in files):
            shutil.rmtree(path)


def main() -> None:
    from lesson_wheel import MagicMismatch

    try:
        build_runtime()
    except MagicMismatch as error:
        sys.exit(str(error))
    sizes = (path.stat().st_size for path in RUNTIME.rglob("*") if path.is_file())
    print(f"{RUNTIME.relative_to(Path.cwd(), walk_up=True)}: {sum(sizes) / 1e6:.1f} MB, wheel in {DIST.name}/")


if __name__ == "__main__":
    main()
