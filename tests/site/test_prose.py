"""The pages as their readers get them: no figure typed where a computed one belongs, a sensible length, no dead end."""

import re
from pathlib import Path

import pytest
import yaml

from site_hooks.source import EXPRESSION, Fence, Prose, blocks

DOCS = Path(__file__).parents[2] / "docs"
STEPS = sorted((DOCS / "steps").glob("*.md"))
_UNITS = r"(?:%|µs|ms|s|h|GB|GiB|TB|kB|MB|T?FLOP(?:/s|/B)?|tokens/s|USD(?:/h)?|dollars)"
_FIGURE = re.compile(rf"(?<![\w.])\d[\d,.]*\s?{_UNITS}(?![\w/])")
# Figures that are meant to be typed, each with the reason.
_TYPED_ON_PURPOSE = {
    "7%": "how much larger a GiB is than a GB, a definition",
}


def words_of(path: Path) -> list[str]:
    """The prose lines of a page, without front matter, code, expressions and links' addresses."""
    text = path.read_text().split("\n---\n", 1)[-1]
    lines = [block.text for block in blocks(text.split("\n")) if isinstance(block, Prose)]
    plain = [re.sub(r"`[^`]*`|\]\([^)]*\)", "", EXPRESSION.sub("", line)) for line in lines]
    return [line for line in plain if line.strip()]


def texts_of_widgets(path: Path) -> list[tuple[str, str]]:
    """Every text of a page's widgets, with the conditions that stand beside it."""
    fences = [b for b in blocks(path.read_text().split("\n")) if isinstance(b, Fence) and b.info == "widget"]
    found: list[tuple[str, str]] = []
    for fence in fences:
        given = yaml.safe_load(EXPRESSION.sub("N", "\n".join(fence.body)))
        _collect(given, "", found)
    return found


def _collect(value: object, beside: str, found: list[tuple[str, str]]) -> None:
    if isinstance(value, dict):
        beside = str(value.get("when", "")) if isinstance(value.get("when"), dict) else beside
        for key, one in value.items():
            if key in ("question", "text", "say", "done", "caption", "label"):
                found.append((str(one), beside))
            else:
                _collect(one, beside, found)
    elif isinstance(value, list):
        for one in value:
            _collect(one, beside, found)


@pytest.mark.parametrize("path", [DOCS / "index.md", *STEPS], ids=lambda path: path.stem)
def test_no_figure_is_typed(path: Path) -> None:
    typed = [match for line in words_of(path) for match in _FIGURE.findall(line)]
    assert [figure for figure in typed if figure not in _TYPED_ON_PURPOSE] == []


@pytest.mark.parametrize("path", STEPS, ids=lambda path: path.stem)
def test_no_figure_is_typed_in_a_widget_but_a_tasks_own_goal(path: Path) -> None:
    for text, beside in texts_of_widgets(path):
        goals = {re.sub(r"[,\s]", "", figure) for figure in _FIGURE.findall(beside)}
        typed = {re.sub(r"[,\s]", "", figure) for figure in _FIGURE.findall(text)}
        assert typed <= goals, text


@pytest.mark.parametrize("path", STEPS, ids=lambda path: path.stem)
def test_the_text_of_a_step_has_a_readable_length(path: Path) -> None:
    words = sum(len(line.split()) for line in words_of(path))
    assert words <= 420  # the lesson takes about 30 minutes: 300 words a step, and the numbers' sentences around them


@pytest.mark.parametrize("path", STEPS, ids=lambda path: path.stem)
def test_a_step_says_what_it_is(path: Path) -> None:
    meta = yaml.safe_load(path.read_text().split("---")[1])
    assert meta["step"] == int(path.stem[:2])
    assert f"# {meta['title']}" in path.read_text()
