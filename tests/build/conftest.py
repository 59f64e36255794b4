"""A copy of what the build works on, to change at will, and the runtime of the project itself."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paths import BUILD, NODE_MODULES, PACKAGE, ROOT, RUNTIME, VENV, WORKER_SOURCE
from runtime import build_runtime

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def manifest() -> dict[str, Any]:
    build_runtime()
    contents: dict[str, Any] = json.loads((RUNTIME / "manifest.json").read_text())
    return contents


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The sources of the runtime in a folder of their own, with nothing built."""
    copy = tmp_path / "project"
    ignored = shutil.ignore_patterns("__pycache__", "node_modules")
    shutil.copytree(BUILD, copy / "build", ignore=ignored)
    shutil.copytree(PACKAGE, copy / "lessoncore", ignore=ignored)
    (copy / "docs" / "assets").mkdir(parents=True)
    shutil.copy(WORKER_SOURCE, copy / "docs" / "assets")
    for name in ("pyproject.toml", "LICENSE", "requirements.txt"):
        shutil.copy(ROOT / name, copy)
    (copy / "build" / "node_modules").symlink_to(NODE_MODULES)
    (copy / ".venv").symlink_to(VENV)
    return copy


@pytest.fixture
def run() -> Run:
    def run_python(*arguments: object, **options: Any) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, **options)

    return run_python
