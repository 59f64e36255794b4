"""Where things are. Everything the build writes is under dist/, site/, .venv/ and build/node_modules/."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
PACKAGE = ROOT / "lessoncore"
WORKER_SOURCE = ROOT / "docs" / "assets" / "worker.js"

LOCK = ROOT / "requirements.txt"
VENV = ROOT / ".venv"
NODE_MODULES = BUILD / "node_modules"
PYODIDE = NODE_MODULES / "pyodide"

DIST = ROOT / "dist"
RUNTIME = DIST / "runtime"
CACHE = DIST / "cache"
SITE = ROOT / "site"
