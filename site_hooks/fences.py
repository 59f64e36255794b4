"""Widgets: a fenced block with YAML becomes a checked widget, or mistakes with their lines."""

import re
from typing import Any

import yaml

from lessoncore.declaration import Problem
from lessoncore.errors import LessonError, unknown
from lessoncore.page import Page
from lessoncore.widgets.kinds import Kind
from lessoncore.widgets.registry import KINDS
from site_hooks.expressions import EXAMPLE, evaluate
from site_hooks.mistakes import Mistake
from site_hooks.source import EXPRESSION, Fence

# The one in C, where PyYAML was built with it, is five times as fast.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SIMPLE_EXAMPLE = "```widget\nkind: stage\n…\n```"


class Widget:
    """A widget as an author wrote it: its kind, its checked values, and the line of each key."""

    def __init__(self, fence: Fence, kind: Kind, values: dict[str, Any], lines: dict[str, int]) -> None:
        self.fence = fence
        self.kind = kind
        self.values = values
        self.lines = lines

    def mistakes(self, problems: list[Problem]) -> list[Mistake]:
        """Give problems their lines and an example."""
        return [
            Mistake(self.lines.get(p.key or "", self.fence.line), f"{self.kind.name}: {p.message}", self.kind.example)
            for p in problems
        ]

    def verify(self, page: Page) -> list[Mistake]:
        """Find what only the page's scenario shows."""
        return self.mistakes(self.kind.verify(self.values, page))


def read_widget(fence: Fence, page: Page) -> tuple[Widget | None, list[Mistake]]:
    """Read and check a fence; without a widget there are mistakes.

    Numbers in its texts, such as ``{{ ttft }}``, are those of the page's own scenario and stay as they are.
    """
    if fence.indented:
        return None, [Mistake(fence.line, "a widget must start at the margin, outside lists.", _SIMPLE_EXAMPLE)]
    if not fence.closed:
        return None, [Mistake(fence.line, "the widget's block isn't closed.", _SIMPLE_EXAMPLE)]
    body, wrong_numbers = _with_numbers(fence, page)
    if wrong_numbers:
        return None, wrong_numbers
    try:
        given, lines = _yaml("\n".join(body), fence.line)
    except yaml.YAMLError as error:
        return None, [_yaml_mistake(error, fence)]
    except ValueError as error:
        return None, [Mistake(fence.line, str(error), KINDS["stage"].example)]
    kind_name = given.pop("kind", None)
    if not isinstance(kind_name, str) or kind_name not in KINDS:
        wrong = unknown("kind of widget", kind_name, list(KINDS))
        return None, [Mistake(lines.get("kind", fence.line), str(wrong), KINDS["stage"].example)]
    values, problems = KINDS[kind_name].check(given)
    widget = Widget(fence, KINDS[kind_name], values, lines)
    return (None, widget.mistakes(problems)) if problems else (widget, [])


def _with_numbers(fence: Fence, page: Page) -> tuple[list[str], list[Mistake]]:
    mistakes: list[Mistake] = []
    body = []
    key = ""
    for line, text in enumerate(fence.body, start=fence.line + 1):
        key = text.partition(":")[0] if text[:1].strip() else key
        if key == "caption":  # its numbers stay live: the picture's widget reads them
            body.append(text)
            continue

        def shown(match: re.Match[str], line: int = line) -> str:
            try:
                return evaluate(match[1]).text(page)
            except LessonError as error:
                mistakes.append(Mistake(line, str(error), EXAMPLE))
                return ""

        body.append(EXPRESSION.sub(shown, text))
    return body, mistakes


def _yaml(text: str, fence_line: int) -> tuple[dict[str, Any], dict[str, int]]:
    """Load a mapping and the line of each of its keys."""
    node = yaml.compose(text, _LOADER)
    if not isinstance(node, yaml.MappingNode):
        raise ValueError("a widget's block must hold a mapping with 'kind' and that kind's keys.")
    lines: dict[str, int] = {}
    for key, _ in node.value:
        line = fence_line + key.start_mark.line + 1
        if key.value in lines:
            raise ValueError(f"the key '{key.value}' stands twice: in lines {lines[key.value]} and {line}.")
        lines[key.value] = line
    return {str(key): value for key, value in yaml.load(text, _LOADER).items()}, lines


def _yaml_mistake(error: yaml.YAMLError, fence: Fence) -> Mistake:
    mark = getattr(error, "problem_mark", None)
    line = fence.line + (mark.line + 1 if mark else 0)
    problem = getattr(error, "problem", None) or str(error)
    return Mistake(line, f"this isn't YAML: {problem}.", KINDS["stage"].example)
