"""Say what a long step is doing and how far it is: one line that moves on a terminal, a few lines in a log."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Step:
    """One long step. `at` may be called as often as wanted; in a log it prints only every fifth of the way."""

    def __init__(self, what: str, total: int = 0) -> None:
        self.what = what
        self.total = total
        self._moves = sys.stdout.isatty()
        self._last_fifth = 0

    def at(self, done: int, detail: str = "") -> None:
        line = f"{self.what}: {done}/{self.total} {detail}"
        fifth = 5 * done // max(self.total, 1)
        if self._moves:
            print(f"\r\033[K{line[:110]}", end="", flush=True)
        elif fifth > self._last_fifth:
            self._last_fifth = fifth
            print(line, flush=True)

    def finish(self, seconds: float) -> None:
        print(f"{self._start_of_line()}{self.what}: done in {seconds:.1f} s", flush=True)

    def abandon(self) -> None:
        """Clear the half-written line, so that what went wrong starts on a line of its own."""
        print(self._start_of_line(), end="", flush=True)

    def _start_of_line(self) -> str:
        return "\r\033[K" if self._moves else ""


@contextmanager
def step(what: str, total: int = 0) -> Iterator[Step]:
    current = Step(what, total)
    print(f"{what} …", end="" if sys.stdout.isatty() else "\n", flush=True)
    start = time.perf_counter()
    try:
        yield current
    except BaseException:
        current.abandon()
        raise
    current.finish(time.perf_counter() - start)
