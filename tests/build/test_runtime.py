"""dist/runtime: every name tells its content, every pack its original, and nothing is made twice."""

import base64
import gzip
import json
import os
import re
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from lesson_wheel import MagicMismatch, check_magic
from paths import PYODIDE, ROOT, RUNTIME, WORKER_SOURCE
from runtime import PYODIDE_FILES, build_runtime
from stamps import digest


def runtime_names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_names_tell_the_content(manifest: dict[str, Any]) -> None:
    for name in (manifest["memory"]["file"], manifest["python"], manifest["worker"], *manifest["packs"].values()):
        assert digest((RUNTIME / name).read_bytes()) in name
    files = [(RUNTIME / manifest["pyodide"] / name).read_bytes() for name in PYODIDE_FILES]
    assert manifest["pyodide"] == f"pyodide-{digest(*files)}/"


def test_nothing_is_there_that_the_manifest_does_not_name(manifest: dict[str, Any]) -> None:
    named = {manifest["pyodide"] + name for name in PYODIDE_FILES}
    named |= {manifest["memory"]["file"], manifest["python"], manifest["worker"], *manifest["packs"].values()}
    assert runtime_names(RUNTIME) == named | {"manifest.json", "iframe-worker/shim.js"}


def test_packs_decode_to_the_originals(manifest: dict[str, Any]) -> None:
    originals = {name: (RUNTIME / manifest["pyodide"] / name).read_bytes() for name in PYODIDE_FILES}
    originals["memory"] = gzip.decompress((RUNTIME / manifest["memory"]["file"]).read_bytes())
    originals["python.zip"] = (RUNTIME / manifest["python"]).read_bytes()
    originals["worker.js"] = WORKER_SOURCE.read_bytes()
    assert manifest["packs"].keys() == originals.keys()
    for name, original in originals.items():
        call = re.fullmatch(r'__lcPack\("(.+)","(.+)"\);\n', (RUNTIME / manifest["packs"][name]).read_text("ascii"))
        assert call
        assert call[1] == name
        data = base64.b64decode(call[2], validate=True)
        assert (data if name == "worker.js" else gzip.decompress(data)) == original


def test_the_zip_is_compiled_and_carries_data_files(manifest: dict[str, Any]) -> None:
    with zipfile.ZipFile(RUNTIME / manifest["python"]) as archive:
        names = archive.namelist()
        rows = json.loads(archive.read("lessoncore/catalogue/gpus.json"))
    assert not [name for name in names if name.endswith(".py")]
    assert {"lessoncore/serving/simulation.pyc", "statistics.pyc"} <= set(names)
    assert len(names) == len(set(names))
    assert not {"typing.pyc", "json/__init__.pyc", "lessoncore/estimate.pyc"} & set(names), (
        "a page begins with what has been imported at the build"
    )
    written = tomllib.loads((ROOT / "lessoncore" / "catalogue" / "gpus.toml").read_text())
    assert list(rows) == list(written)
    assert rows == {key: row | {"read_on": str(row["read_on"])} for key, row in written.items()}


def test_a_second_build_touches_nothing(manifest: dict[str, Any]) -> None:
    before = {name: (RUNTIME / name).stat().st_mtime_ns for name in runtime_names(RUNTIME)}
    build_runtime()
    assert before == {name: (RUNTIME / name).stat().st_mtime_ns for name in runtime_names(RUNTIME)}


@pytest.mark.slow
def test_the_same_sources_give_the_same_bytes_anywhere(manifest: dict[str, Any], project: Path, run: Any) -> None:
    built = run(project / "build" / "runtime.py", env={**os.environ, "PYTHONHASHSEED": "7"}, cwd=project)
    assert built.returncode == 0, built.stderr
    assert json.loads((project / "dist" / "runtime" / "manifest.json").read_text()) == manifest


@pytest.mark.slow
def test_an_edit_of_lessoncore_changes_in_a_preview_only_what_it_has_yet_to_load(project: Path, run: Any) -> None:
    runtime = project / "dist" / "runtime"
    preview = project / "preview.py"
    preview.write_text(
        "import sys\nsys.path.insert(0, 'build')\nfrom runtime import build_runtime\nbuild_runtime(preview=True)\n"
    )
    run(preview, cwd=project)
    before = runtime_names(runtime)
    with (project / "lessoncore" / "units.py").open("a") as source:
        source.write("\nEDITED = True\n")
    run(preview, cwd=project)
    gone = before - runtime_names(runtime)
    assert {re.sub("-[0-9a-f]{16}", "", name) for name in gone} == {"python.zip", "packs/python.zip.js"}


def test_pyodide_is_served_without_what_no_page_calls(manifest: dict[str, Any]) -> None:
    for name, most in (("pyodide.asm.wasm", 0.9), ("pyodide.asm.js", 0.8)):
        served = RUNTIME / manifest["pyodide"] / name
        assert served.stat().st_size < most * (PYODIDE / name).stat().st_size


def test_another_magic_number_is_refused_in_words() -> None:
    with pytest.raises(MagicMismatch, match=r"magic number [0-9a-f]{8}, but Pyodide 0\.29\.5 reads 00000000"):
        check_magic("00000000", "0.29.5")
