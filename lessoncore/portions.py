"""Long calculations in portions, so that a page shows how far one is and stays ready for its reader.

A long calculation is a generator that yields what is known so far. Between two portions it is kept here, by a key
that names everything it depends on; when the reader changes something, another key begins another calculation.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from time import perf_counter
from typing import Any

# Calculations kept at a time: those of one page, and what the reader may come back to.
KEPT = 64


class _Work:
    def __init__(self, states: Iterator[Any]) -> None:
        self.states = states
        self.known: Any = None
        self.finished = False

    def advance(self, seconds: float) -> None:
        """Go on until the time is up or nothing is left; one step at least."""
        end = perf_counter() + seconds
        while not self.finished:
            try:
                self.known = next(self.states)
            except StopIteration:
                self.finished = True
            if perf_counter() >= end:
                return


_WORK: OrderedDict[Hashable, _Work] = OrderedDict()


def portion(key: Hashable, begin: Callable[[], Iterator[Any]], seconds: float | None) -> tuple[Any, bool]:
    """Give the newest state of a calculation, None before its first, and whether it is finished.

    With endless ``seconds`` it is calculated to the end. Else the first call only begins it, for while a slider is
    dragged every value would cost a portion; each further call goes on for about ``seconds``, with None not at all. An
    error ends it and is raised again when it is asked for again.
    """
    if key not in _WORK:
        _WORK[key] = _Work(begin())
        while len(_WORK) > KEPT:
            _WORK.popitem(last=False)
        if seconds is None or seconds < float("inf"):
            return None, False
    work = _WORK[key]
    _WORK.move_to_end(key)
    if seconds is None:
        return work.known, work.finished
    try:
        work.advance(seconds)
    except BaseException:
        del _WORK[key]
        raise
    return work.known, work.finished


def forget() -> None:
    """Begin every calculation anew at its next call."""
    _WORK.clear()
