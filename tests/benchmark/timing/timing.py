"""Runs inside Pyodide: how long one reply and one estimate take once Python is warm."""

import json
import statistics
from collections.abc import Callable
from time import perf_counter

from lessoncore import respond
from lessoncore.estimate import estimate
from lessoncore.scenario import Scenario

WARM_UP = 50  # the browser compiles WebAssembly better after it has seen it run
TIMES = 100


def median_seconds(work: Callable[[], object], calls: int) -> float:
    """Of one call; a browser's clock is coarse, so several calls are timed together."""
    for _ in range(WARM_UP):
        work()
    seconds = []
    for _ in range(TIMES):
        start = perf_counter()
        for _ in range(calls):
            work()
        seconds.append((perf_counter() - start) / calls)
    return statistics.median(seconds)


def one_estimate() -> None:
    """A scenario's figures for the tiles of step 1 and what they need: an estimate computes what it is asked for."""
    e = estimate(Scenario(prompt=4000))
    for quantity in (e.ttft_s, e.tpot_s, e.total_s, e.decode_share, e.memory_used, e.kv_budget, e.ridge):
        assert quantity.value > 0


def measure(request: str) -> str:
    """Seconds of one reply to this request and of one estimate, as JSON."""
    seconds = {
        "respond": median_seconds(lambda: respond(request), calls=2),
        "estimate": median_seconds(one_estimate, calls=10),
    }
    return json.dumps(seconds)
