"""What a page begins with is whole: a real Pyodide starts from the kept memory and the rest of the library alone."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from environment import node_command
from lean import lean_pyodide
from paths import BUILD, PYODIDE, RUNTIME
from python_zip import MODULE_LIST, read_module_list

BOOT = Path(__file__).parent / "boot.mjs"


def in_pyodide(program: Path) -> str:
    command = [*node_command(), str(BOOT), str(lean_pyodide()), str(RUNTIME), str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_everything_allowed_to_lessoncore_works_there(manifest: dict[str, Any]) -> None:
    in_pyodide(BUILD / "stdlib_probe.py")


@pytest.mark.slow
def test_lessoncore_answers_there_and_its_errors_have_a_traceback(manifest: dict[str, Any], tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import importlib.util, json, traceback\n"
        "import lessoncore\n"
        "try:\n"
        "    lessoncore.respond(None)\n"
        "    trace = 'Traceback: answered'\n"
        "except Exception:\n"
        "    trace = traceback.format_exc()\n"
        "reply = json.loads(lessoncore.respond('{\"id\": 7}'))\n"
        "json.dumps([reply['id'], trace, importlib.util.MAGIC_NUMBER.hex()])\n"
    )
    reply_id, trace, magic = json.loads(in_pyodide(program))
    assert reply_id == 7
    assert trace.startswith("Traceback")
    assert magic == read_module_list(MODULE_LIST.read_text()).magic


@pytest.mark.slow
def test_a_simulated_queue_is_the_same_there_to_the_last_bit_and_fast(manifest: dict[str, Any]) -> None:
    program = Path(__file__).parent / "simulated_queue.py"
    there = json.loads(in_pyodide(program))
    *lines, _ = program.read_text().splitlines()  # the last line is the value that Pyodide returns
    here: dict[str, Any] = {}
    exec("\n".join(lines), here)
    assert there["digests"] == here["digests"]
    assert there["seconds"] < 0.400


def test_the_module_list_was_made_for_the_pinned_pyodide() -> None:
    modules = read_module_list(MODULE_LIST.read_text())
    assert modules.pyodide == json.loads((PYODIDE / "package.json").read_text())["version"]
    assert modules.python == json.loads((PYODIDE / "pyodide-lock.json").read_text())["info"]["python"]
