"""Lint, formatting, types and the fast tests: what to run before a commit.

Every check runs; the failures are named at the end.
"""

import argparse
import subprocess
import sys
import time

from paths import ROOT
from runtime import build_runtime

TYPED = ("lessoncore", "site_hooks", "build")
STATIC = {
    "ruff check": ["ruff", "check", "--quiet", "."],
    "ruff format": ["ruff", "format", "--check", "--quiet", "."],
    "mypy --strict": ["mypy", "--strict", "--no-error-summary", *TYPED],
}
FAST_TESTS = {"fast tests": ["pytest", "-n", "2", "-q", "-m", "not browser and not slow"]}


def run(name: str, command: list[str]) -> bool:
    start = time.perf_counter()
    print(f"{name} …", flush=True)
    passed = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=False).returncode == 0
    print(f"{name}: {'passed' if passed else 'FAILED'} in {time.perf_counter() - start:.1f} s", flush=True)
    return passed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--static", action="store_true", help="without the tests: `make test` runs them all after this")
    checks = STATIC if parser.parse_args().static else STATIC | FAST_TESTS
    build_runtime()  # some tests read it
    failed = [name for name, command in checks.items() if not run(name, command)]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
