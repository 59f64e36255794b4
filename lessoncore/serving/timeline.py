"""What a server did over time, in a bounded number of points however long it took."""

from dataclasses import dataclass

_MOST_BINS = 256


class Bins:
    """Sums over equal stretches of time. When time goes beyond the last, neighbours are put together.

    ``width`` is a power of two, so that dividing by it is exact.

    >>> bins = Bins(channels=1, width=1.0)
    >>> bins.add(0.5, 2.5, (4.0,))  # 4 of something, evenly from 0.5 s to 2.5 s
    >>> bins.sums[0][:4]
    [1.0, 2.0, 1.0, 0.0]
    """

    __slots__ = ("_end", "sums", "width")

    def __init__(self, channels: int, width: float = 2.0**-7) -> None:
        self.width = width
        self._end = width * _MOST_BINS
        self.sums = [[0.0] * _MOST_BINS for _ in range(channels)]

    def add(self, start: float, end: float, amounts: tuple[float, ...]) -> None:
        """Spread amounts, one a channel, evenly from ``start`` to ``end`` (s)."""
        while end >= self._end:
            self._double()
        width = self.width
        first, last = int(start / width), int(end / width)
        if first == last:
            for sums, amount in zip(self.sums, amounts, strict=True):
                sums[first] += amount
            return
        duration = end - start
        head, tail = ((first + 1) * width - start) / duration, (end - last * width) / duration
        for sums, amount in zip(self.sums, amounts, strict=True):
            if amount:
                sums[first] += amount * head
                sums[last] += amount * tail
                whole = amount * width / duration
                for i in range(first + 1, last):
                    sums[i] += whole

    def _double(self) -> None:
        self.width *= 2
        self._end *= 2
        for sums in self.sums:
            half = _MOST_BINS // 2
            sums[:half] = [sums[i] + sums[i + 1] for i in range(0, _MOST_BINS, 2)]
            sums[half:] = [0.0] * half


class Recorder:
    """Notes what happens while a simulation runs."""

    __slots__ = ("_bins", "_entered", "_left")

    def __init__(self) -> None:
        self._bins = Bins(channels=4)
        self._entered: list[float] = []
        self._left: list[float] = []

    def enters_queue(self, now: float) -> None:
        """A request begins to wait."""
        self._entered.append(now)

    def leaves_queue(self, now: float) -> None:
        """A request begins to be worked on."""
        self._left.append(now)

    def activity(self, start: float, end: float, held: float, written: int, read: int) -> None:
        """A copy worked from ``start`` to ``end`` while ``held`` bytes of cache were in use on average."""
        duration = end - start
        self._bins.add(start, end, (duration, held * duration, written, read))

    def timeline(self, arrivals: list[float], finishes: list[float], replicas: int, kv_room: float) -> "Timeline":
        """What was noted, as means over equal stretches of time."""
        width = self._bins.width
        end = max(finishes, default=0.0)
        points = min(_MOST_BINS, int(end / width) + 1)
        spans = [width] * (points - 1) + [(end - (points - 1) * width) or width]
        busy, held, written, read = (
            tuple(s / span for s, span in zip(sums, spans, strict=False)) for sums in self._bins.sums
        )
        present = _mean_counts(arrivals, finishes, width, spans)
        waiting = _mean_counts(self._entered, self._left, width, spans)
        return Timeline(
            width_s=width,
            end_s=end,
            waiting=waiting,
            batch=tuple(p - w for p, w in zip(present, waiting, strict=True)),
            busy=tuple(b / replicas for b in busy),
            kv_used=tuple(h / (replicas * kv_room) for h in held),
            tokens_per_s=written,
            prompt_tokens_per_s=read,
        )


def _mean_counts(more: list[float], fewer: list[float], width: float, spans: list[float]) -> tuple[float, ...]:
    """How many there are in each stretch on average, when each time in ``more`` adds one and in ``fewer`` takes one.

    Each of them counts from its time to the end of its stretch, and in full in all stretches after.
    """
    points = len(spans)
    partial, from_next = [0.0] * points, [0] * (points + 1)
    for times, sign in ((more, 1), (fewer, -1)):
        for t in times:
            i = min(points - 1, int(t / width))
            partial[i] += sign * (i * width + spans[i] - t)
            from_next[i + 1] += sign
    means, present = [], 0
    for i, span in enumerate(spans):
        present += from_next[i]
        means.append(present + partial[i] / span)
    return tuple(means)


@dataclass(frozen=True, slots=True)
class Timeline:
    """Means over equal stretches of time of ``width_s`` each (the last one ends at ``end_s``), all copies together.

    ``waiting`` and ``batch`` count requests in the queues and requests worked on; ``busy`` is the share of time that
    the copies work, ``kv_used`` the share of the room for the cache that is in use.
    """

    width_s: float
    end_s: float
    waiting: tuple[float, ...]
    batch: tuple[float, ...]
    busy: tuple[float, ...]
    kv_used: tuple[float, ...]
    tokens_per_s: tuple[float, ...]
    prompt_tokens_per_s: tuple[float, ...]

    @property
    def seconds(self) -> tuple[float, ...]:
        """The middle of each stretch (s)."""
        last = len(self.waiting) - 1
        middles = [(i + 0.5) * self.width_s for i in range(last)]
        return (*middles, (last * self.width_s + self.end_s) / 2)
