"""CPU seconds of the whole browser: every process below playwright's driver. From /proc, so on Linux only."""

import os
import time
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def browser_cpu_seconds() -> float:
    """Of all browsers that this process has started, with the processes they have ended."""
    children: dict[int, list[int]] = {}
    seconds: dict[int, float] = {}
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        children.setdefault(int(fields[1]), []).append(int(process.name))
        seconds[int(process.name)] = sum(map(int, fields[11:15])) / TICKS
    drivers = children.get(os.getpid(), [])
    todo = [browser for driver in drivers for browser in children.get(driver, [])]
    total = 0.0
    while todo:
        process_id = todo.pop()
        total += seconds[process_id]
        todo += children.get(process_id, [])
    return total


def wait_until_quiet(at_most: float = 10) -> None:
    """Until the browsers do next to nothing: a fresh one is busy with itself for a while."""
    end = time.monotonic() + at_most
    before = browser_cpu_seconds()
    while time.monotonic() < end:
        time.sleep(0.5)
        now = browser_cpu_seconds()
        if now - before <= 0.03:
            return
        before = now
