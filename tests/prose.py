"""The words of the pages as their authors wrote them: paragraphs with their lines, texts of widgets, front matter."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from site_hooks.source import EXPRESSION, Fence, Prose, blocks

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
STEPS = sorted((DOCS / "steps").glob("*.md"))
# The reference is made from docstrings; its own few lines are read all the same.
PAGES = sorted(DOCS.rglob("*.md"))
NUMBER = "7"  # stands where a live number or code does
_TEXTS = ("question", "text", "say", "done", "caption", "label", "title")
_BREAK = re.compile(r"^\s*(?:$|#|!!!|\||<|:   |[-*] |\d+\. )")
_START = re.compile(r"^\s*(?:#+ |!!! \w+|\||:   |[-*] |\d+\. )")
_MARKS = (
    (re.compile(r"<!--.*?-->|</?[a-z][^>]*>"), ""),
    (re.compile(r"\{:? ?[.#][^}]*\}"), ""),  # a class for the line before
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"<https?:[^>]*>"), ""),
    (re.compile(r"\*+"), ""),
)


@dataclass(frozen=True)
class Passage:
    """Text that is read at one go, without Markdown's marks; ``line`` is where it begins in its file."""

    line: int
    text: str


@cache
def paragraphs(path: Path, number: str = NUMBER) -> list[Passage]:
    """Paragraphs, list items, headings and rows of a page, in their order."""
    source = path.read_text(encoding="utf-8")
    head = source.count("\n", 0, source.find("\n---\n") + 5) if source.startswith("---\n") else 0
    lines = source.split("\n")[head:]
    gathered: list[Passage] = []
    before = ""
    for block in blocks(lines):
        text = block.text if isinstance(block, Prose) and not block.text.startswith(":::") else ""
        if not text.strip():
            before = ""
            continue
        plain = " ".join(plain_text(text, number).split())
        if before and not _BREAK.match(text):
            gathered[-1] = Passage(gathered[-1].line, f"{gathered[-1].text} {plain}")
        else:
            gathered.append(Passage(block.line + head, plain))
        before = "" if re.match(r"\s*(?:#|\||!!!)", text) else text
    return [passage for passage in gathered if passage.text]


def plain_text(line: str, number: str = NUMBER) -> str:
    """A line without code and without marks of Markdown; its live numbers and its code are replaced."""
    line = _START.sub("", line)
    line = EXPRESSION.sub(lambda m: "" if m[1].strip().startswith("formula") else number, line)
    line = re.sub(r"`+[^`]*`+", number, line)
    for mark, by in _MARKS:
        line = mark.sub(by, line)
    return line


def texts_of_widgets(path: Path) -> Iterator[tuple[Passage, dict[str, Any]]]:
    """Every text of a page's widgets, with the mapping that it stands in."""
    for block in blocks(path.read_text(encoding="utf-8").split("\n")):
        if isinstance(block, Fence) and block.info == "widget":
            for text, beside in _texts(yaml.safe_load("\n".join(block.body))):
                yield Passage(block.line, plain_text(text)), beside


def _texts(value: object) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        for key, one in value.items():
            if key in _TEXTS:
                yield str(one), value
            else:
                yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def front_matter(path: Path) -> dict[str, Any]:
    """What stands above a page, such as its title and its description."""
    source = path.read_text(encoding="utf-8")
    return dict(yaml.safe_load(source.split("\n---\n")[0])) if source.startswith("---\n") else {}
