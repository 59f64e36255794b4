"""Requests that a reader pastes as CSV: a trace with arrivals, or lengths alone, from which others are drawn."""

from typing import NamedTuple

from lessoncore.errors import LessonError
from lessoncore.serving.arrivals import Recorded
from lessoncore.serving.checks import number
from lessoncore.serving.lengths import Empirical, Listed, Pair, check_pair
from lessoncore.serving.load import MOST_REQUESTS, Load

_LONGEST_LINE = 40  # characters a request, on average, that are read at all
# What the name of each column has in it.
_ARRIVAL = ("arriv", "time")
_LENGTHS = (("prompt", "input", "context"), ("output", "answer", "generated"))


class _Table(NamedTuple):
    """What is pasted: how it is called, its columns as they are best named, words that are found in such names."""

    name: str
    columns: str
    words: tuple[tuple[str, ...], ...]
    needed: str
    example: str

    def rows(self, text: str, most: int) -> list[tuple[str, list[str]]]:
        """The cells of each request, in the order of the columns, with the words for where they stand."""
        if len(text) > most * _LONGEST_LINE:
            raise LessonError(
                f"{self.name} is longer than {most * _LONGEST_LINE:,} characters; at most {most:,} requests are "
                "possible. Paste a part of it."
            )
        lines = [(place, line.strip()) for place, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1)]
        lines = [(place, line) for place, line in lines if line]
        order: tuple[int, ...] = ()
        if lines and not any(character.isdigit() for character in lines[0][1]):
            order = self._order(*lines.pop(0))
        if not lines:
            raise LessonError(f"{self.name} has no requests. {self._for_example}")
        if len(lines) > most:
            raise LessonError(
                f"{self.name} has {len(lines):,} requests; at most {most:,} are possible. Paste a part of it."
            )
        return [self._row(place, line, order) for place, line in lines]

    def mistake(self, where: str) -> LessonError:
        """The error for cells that aren't numbers."""
        return LessonError(f"{where}{self.needed} are needed. {self._for_example}")

    @property
    def _for_example(self) -> str:
        return f"For example:\n{self.columns}\n{self.example}"

    def _where(self, place: int, line: str) -> str:
        return f"Line {place} of {self.name[0].lower()}{self.name[1:]}, '{line[:60]}'"

    def _order(self, place: int, line: str) -> tuple[int, ...]:
        """Where each column stands, by the names in the first line."""
        names = [name.lower() for name in _cells(line)]
        found = [[n for n, name in enumerate(names) if any(word in name for word in words)] for words in self.words]
        if not all(len(places) == 1 for places in found):
            raise LessonError(
                f"{self._where(place, line)}, has no numbers, and the names in it don't say which column is which. "
                f"Leave it out, or name the columns {self.columns}."
            )
        return tuple(places[0] for places in found)

    def _row(self, place: int, line: str, order: tuple[int, ...]) -> tuple[str, list[str]]:
        cells = _cells(line)
        where = f"{self._where(place, line)}: "
        if order:
            if len(cells) <= max(order):
                raise LessonError(f"{where}the first line names more columns than the {len(cells)} that are here.")
            cells = [cells[column] for column in order]
        if len(cells) != len(self.words):
            count = ("two", "three")[len(self.words) - 2]
            raise LessonError(f"{where}{count} values are needed, but there are {len(cells)}. {self._for_example}")
        return where, cells


def _cells(line: str) -> list[str]:
    return [cell.strip().strip('"') for cell in line.replace(";", ",").replace("\t", ",").split(",")]


_TRACE = _Table(
    "The trace",
    "arrival_s,prompt_tokens,output_tokens",
    (_ARRIVAL, *_LENGTHS),
    "a number of seconds and two whole numbers of tokens",
    "0.0,2000,500\n0.4,350,120",
)
_SEEN = _Table(
    "The list of lengths",
    "prompt_tokens,output_tokens",
    _LENGTHS,
    "two whole numbers of tokens",
    "2000,500\n350,120",
)


def parse_trace(text: str, most: int = MOST_REQUESTS) -> Load:
    """Read a pasted trace: CSV with the arrival (s), the prompt and the answer tokens of a request in each line.

    A first line of names is allowed; where it names the three columns, they may stand in any order and among others.
    Arrivals are sorted and counted from the first. At most ``most`` requests are possible.

    >>> trace = parse_trace("arrival_s,prompt_tokens,output_tokens\\n10.5,350,120\\n10,2000,500")
    >>> trace.times(), trace.pairs()
    ([0.0, 0.5], [(2000, 500), (350, 120)])
    """
    rows = sorted((_arrival(*row) for row in _TRACE.rows(text, most)), key=lambda row: row[0])
    first = rows[0][0]
    return Load(
        arrivals=Recorded(tuple(arrival - first for arrival, _ in rows)),
        lengths=Listed(tuple(pair for _, pair in rows)),
        requests=len(rows),
    )


def parse_lengths(text: str, most: int = MOST_REQUESTS) -> Empirical:
    """Read pasted lengths: CSV with the prompt and the answer tokens of a request in each line.

    A first line of names is allowed, and with it other columns: those of a trace, for one.

    >>> parse_lengths("arrival_s,prompt_tokens,output_tokens\\n10.5,350,120\\n10,2000,500").seen
    ((350, 120), (2000, 500))
    """
    return Empirical(tuple(_pair(_SEEN, where, cells) for where, cells in _SEEN.rows(text, most)))


def _arrival(where: str, cells: list[str]) -> tuple[float, Pair]:
    try:
        arrival = float(cells[0])
    except ValueError:
        raise _TRACE.mistake(where) from None
    return number(f"{where}arrival, in seconds", arrival, 0, 1e9), _pair(_TRACE, where, cells[1:])


def _pair(table: _Table, where: str, cells: list[str]) -> Pair:
    try:
        prompt, output = (int(cell) for cell in cells)
    except ValueError:
        raise table.mistake(where) from None
    return check_pair(prompt, output, where)
