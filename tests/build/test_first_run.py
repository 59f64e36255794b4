"""What goes wrong before anything works ends in one line that says what to do."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import environment
from paths import BUILD, ROOT

FIND_PYTHON = BUILD / "find_python.sh"


def find_python(folder: Path, **settings: str) -> "subprocess.CompletedProcess[str]":
    command = ["/bin/sh", str(FIND_PYTHON)]
    return subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)


def only_line(text: str) -> str:
    assert text.endswith("\n")
    assert text.count("\n") == 1, text
    return text


def test_a_python_is_found_by_asking_it(tmp_path: Path) -> None:
    shim = tmp_path / "python3.13"
    shim.write_text("#!/bin/sh\necho 'shim: python3.13: no such command' >&2\nexit 127\n")
    shim.chmod(0o755)
    (tmp_path / "python3").symlink_to(getattr(sys, "_base_executable", sys.executable))
    found = find_python(tmp_path, PATH=str(tmp_path), HOME=str(tmp_path))
    assert (found.returncode, found.stdout) == (0, "python3\n")


def test_no_python_says_what_was_looked_for_and_what_to_do(tmp_path: Path) -> None:
    found = find_python(tmp_path, PATH=str(tmp_path), HOME=str(tmp_path))
    assert found.returncode == 1
    assert "No Python 3.13 found (looked for python3.13, python3 and python on PATH" in only_line(found.stderr)
    assert "install it, or name one with 'make PYTHON=" in found.stderr


def test_a_named_python_that_is_none_is_refused(tmp_path: Path) -> None:
    found = find_python(tmp_path, PATH=os.environ["PATH"], PYTHON="/bin/true")
    assert found.returncode == 1
    assert "PYTHON=/bin/true is not a Python 3.13" in only_line(found.stderr)


@pytest.mark.slow
def test_no_network_is_said_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "DIST", tmp_path)
    unreachable = ["--isolated", "--retries=1", "--index-url=http://127.0.0.1:9/simple", "flit-core==4.2.0"]
    with pytest.raises(SystemExit) as stopped:
        environment.run_logged([sys.executable, "-m", "pip", "download", *unreachable], "pip")
    assert "pip cannot reach its package registry: the first run needs a network connection" in str(stopped.value)
    assert "\n" not in str(stopped.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("port", "message"),
    [("eighty", "PORT=eighty is not a port"), ("70000", "PORT=70000 is not a port")],
)
def test_a_port_that_is_none_is_refused(run: Any, port: str, message: str) -> None:
    served = run(BUILD / "serve.py", env={**os.environ, "PORT": port})
    assert served.returncode == 1
    assert message in only_line(served.stderr)


@pytest.mark.slow
def test_a_busy_port_is_said_with_the_way_out(run: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        served = run(BUILD / "serve.py", env={**os.environ, "PORT": str(port)}, cwd=ROOT)
    assert served.returncode == 1
    assert f"Port {port} is in use" in only_line(served.stderr)
    assert f"make serve PORT={port + 1}" in served.stderr
