"""Lint, formatting, types and the fast tests: what to run before a commit.

Every check runs; the failures are named at the end. ``--whole`` is `make test`: all tests, on the built site. What
needs a processor of its own and nothing of the others runs at the same time.
"""

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from paths import ROOT
from runtime import build_runtime

TYPED = ("lessoncore", "site_hooks", "build")
STATIC = {
    "ruff check": ["-m", "ruff", "check", "--quiet", "."],
    "ruff format": ["-m", "ruff", "format", "--check", "--quiet", "."],
    "mypy --strict": ["-m", "mypy", "--strict", "--no-error-summary", *TYPED],
}
FAST = ["-m", "pytest", "-n", "2", "--dist", "worksteal", "-q", "-m", "not slow", "--ignore", "tests/browser"]
SITE = {"the site": ["build/make_site.py"]}
BROWSERS = {"the browsers": ["tests/browser/browsers.py"]}
ALL_TESTS = ["-m", "pytest", "-n", "2", "--dist", "loadscope"]


def run(name: str, command: list[str]) -> bool:
    start = time.perf_counter()
    print(f"{name} …", flush=True)
    passed = subprocess.run([sys.executable, *command], cwd=ROOT, check=False).returncode == 0
    print(f"{name}: {'passed' if passed else 'FAILED'} in {time.perf_counter() - start:.1f} s", flush=True)
    return passed


def failed(*sequences: dict[str, list[str]]) -> list[str]:
    """Run sequences of checks beside each other; the names of those that failed."""

    def one(checks: dict[str, list[str]]) -> list[str]:
        return [name for name, command in checks.items() if not run(name, command)]

    with ThreadPoolExecutor() as beside:
        return [name for names in beside.map(one, sequences) for name in names]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--whole", action="store_true", help="all tests, in real browsers too")
    whole = parser.parse_args().whole
    build_runtime()  # some tests read it
    if whole:
        wrong = failed(STATIC | BROWSERS, SITE)
        if not {*SITE, *BROWSERS} & {*wrong}:
            wrong += failed({"all tests": ALL_TESTS})
    else:
        wrong = failed(STATIC | {"fast tests": FAST})
    if wrong:
        sys.exit(f"failed: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
