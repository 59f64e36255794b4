"""Builds take turns: `make serve` in one terminal and `make test` in another write to the same places."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from paths import CACHE


@contextmanager
def only_one(what: str) -> Iterator[None]:
    """Wait until no other process does this."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{what}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
