"""CPU seconds of the whole browser, and of whatever else the machine does meanwhile. From /proc, so on Linux only."""

import os
import time
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
CORES = os.cpu_count() or 1


def browser_cpu_seconds() -> float:
    """Of all browsers that this process has started, with the processes they have ended."""
    return _cpu_seconds(below_drivers=True)


def _cpu_seconds(below_drivers: bool) -> float:
    """Of every process below this one, or only of those below playwright's drivers: the browsers."""
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
    todo = children.get(os.getpid(), [])
    if below_drivers:
        todo = [browser for driver in todo for browser in children.get(driver, [])]
    total = 0.0
    while todo:
        process_id = todo.pop()
        total += seconds[process_id]
        todo += children.get(process_id, [])
    return total


class Disturbance:
    """How much of the machine others have used since this was made."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.before = _others_cpu_seconds()

    def share(self) -> float:
        """Between 0 and 1, of all cores."""
        return max(0.0, (_others_cpu_seconds() - self.before) / ((time.monotonic() - self.start) * CORES))


def _others_cpu_seconds() -> float:
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _waiting, irq, softirq, *_ = (int(field) / TICKS for field in fields)
    own = os.times()
    return user + nice + system + irq + softirq - _cpu_seconds(below_drivers=False) - own.user - own.system


def wait_until_quiet(at_most: float) -> None:
    """Until nobody else uses the machine, and our own browsers have come to rest too: a fresh one is busy a while."""
    end = time.monotonic() + at_most
    while time.monotonic() < end:
        before, others = browser_cpu_seconds(), Disturbance()
        time.sleep(0.5)
        if browser_cpu_seconds() - before <= 0.03 and others.share() < 0.1:
            return
