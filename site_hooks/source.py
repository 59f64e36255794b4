"""The parts of a Markdown source that the lesson cares about, with their lines: widgets and expressions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"^(?P<indent>\s*)(?P<marks>`{3,}|~{3,})\s*(?P<info>[^`]*?)\s*$")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")
EXPRESSION = re.compile(r"\{\{(.*?)\}\}")


@dataclass(slots=True)
class Prose:
    """A line outside of any fence."""

    line: int
    text: str

    def expressions(self) -> Iterator[re.Match[str]]:
        """The ``{{ … }}`` of the line that don't stand in a code span."""
        code = [m.span() for m in _CODE_SPAN.finditer(self.text)]
        for match in EXPRESSION.finditer(self.text):
            if not any(start < match.start() < end for start, end in code):
                yield match


@dataclass(slots=True)
class Fence:
    """A fenced block; ``line`` is that of its first mark, ``body`` the lines between the marks."""

    line: int
    info: str
    body: list[str]
    closed: bool
    indented: bool
    source: list[str]


def blocks(lines: list[str]) -> Iterator[Prose | Fence]:
    """Split a source into its prose lines and its fenced blocks.

    >>> [type(block).__name__ for block in blocks(["a", "```", "{{ b }}", "```", "c"])]
    ['Prose', 'Fence', 'Prose']
    """
    n = 0
    while n < len(lines):
        opening = _FENCE.match(lines[n])
        if not opening:
            yield Prose(n + 1, lines[n])
            n += 1
            continue
        end = _closing(lines, n + 1, opening["marks"])
        yield Fence(
            n + 1,
            opening["info"],
            lines[n + 1 : end],
            closed=end < len(lines),
            indented=bool(opening["indent"]),
            source=lines[n : end + 1],
        )
        n = end + 1


def _closing(lines: list[str], start: int, marks: str) -> int:
    """Index of the line that closes a fence; past the end where none does."""
    closing = re.compile(rf"^\s*{re.escape(marks[0])}{{{len(marks)},}}\s*$")
    return next((n for n in range(start, len(lines)) if closing.match(lines[n])), len(lines))
