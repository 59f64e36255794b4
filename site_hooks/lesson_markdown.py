"""The Python-Markdown extension of the lesson: widgets and live numbers, filled in while the page is built.

It needs no MkDocs: ``markdown.markdown(text, extensions=[LessonExtension(file="step.md")])`` is enough.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from lessoncore.errors import LessonError
from lessoncore.figures import figure
from lessoncore.page import Page
from lessoncore.parameters import parameter
from lessoncore.parts import Spec, fill, live
from lessoncore.views.markup import attribute, quoted
from site_hooks import gallery
from site_hooks.expressions import EXAMPLE, Expression, evaluate, why_id
from site_hooks.fences import Widget, read_widget
from site_hooks.glossary import as_abbreviations, first_only
from site_hooks.mistakes import LessonMistakes, Mistake
from site_hooks.source import Fence, Prose, blocks

_STAGE = "\N{START OF TEXT}lesson-stage\N{END OF TEXT}"
# Postprocessors are also run on every heading by itself; only the whole page ends with this.
_END = "\N{START OF TEXT}lesson-end\N{END OF TEXT}"
# Before a widget that stands below stage and text: the first one on a page parts the two.
_BELOW = "\N{START OF TEXT}lesson-below\N{END OF TEXT}"
_AS_PARAGRAPH = f"<p>{_BELOW}</p>"


class LessonExtension(Extension):
    """Widgets, live numbers, and the derivations of all numbers at the end of the page.

    ``file`` and ``first_line`` place mistakes in the author's file; words of the ``glossary`` get its text as a hint
    where the page first uses them (with Python-Markdown's ``abbr``). Without ``searches`` what takes seconds to find
    is left to the page's own Python.
    """

    def __init__(
        self,
        file: str = "the page",
        first_line: int = 1,
        glossary: dict[str, str] | None = None,
        searches: bool = True,
    ) -> None:
        super().__init__()
        self.file = file
        self.first_line = first_line
        self.glossary = glossary or {}
        self.searches = searches
        self._checked: tuple[str, _Reading] | None = None

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 — Python-Markdown's name
        """Register before fenced code (25), so that widgets are read first, and after raw HTML is put back."""
        document = _Document(self)
        md.preprocessors.register(_Fill(md, document), "lesson", 28)
        md.postprocessors.register(_Arrange(md, document), "lesson", 5)

    def check(self, text: str) -> "_Reading":
        """Read a source; LessonMistakes names all of its mistakes at once. MkDocs has it checked before it is built."""
        if self._checked and self._checked[0] == text.strip():
            return self._checked[1]
        reading = _read(text.split("\n"), self.searches)
        if reading.mistakes:
            moved = [Mistake(m.line + self.first_line - 1, m.message, m.example) for m in reading.mistakes]
            raise LessonMistakes(self.file, moved)
        self._checked = (text.strip(), reading)
        return reading


@dataclass(slots=True)
class _Reading:
    """What a source holds: its blocks, its checked widgets by line, its live numbers by place, and the mistakes."""

    found: list[Prose | Fence]
    widgets: dict[int, Widget]
    numbers: dict[tuple[int, int], Expression]
    mistakes: list[Mistake]
    page: Page
    question: Widget | None = None  # the one right below the stage, which covers what it asks

    @property
    def stage(self) -> Widget | None:
        return next((w for w in self.widgets.values() if w.kind.moves), None)


def _read(lines: list[str], searches: bool) -> _Reading:
    reading = _Reading(list(blocks(gallery.expand(lines))), {}, {}, [], Page(searches=searches))
    for block in reading.found:
        if isinstance(block, Prose):
            _read_numbers(block, reading)
        elif block.info.split(" ")[0] == "widget":
            _read_widget(block, reading)
    reading.mistakes += _misplaced(reading.found, reading.widgets)
    if not reading.mistakes:
        for widget in reading.widgets.values():
            reading.mistakes += widget.verify(reading.page)
    return reading


def _read_widget(block: Fence, reading: _Reading) -> None:
    """Read a widget; the stage, which stands first, gives the scenario of all that follows."""
    widget, wrong = read_widget(block, reading.page)
    reading.mistakes += wrong
    if widget is None:
        return
    reading.widgets[block.line] = widget
    if widget is reading.stage and widget.kind.moves:
        reading.page = Page(widget.values["scenario"], searches=reading.page.searches)
        reading.page.controls = widget.kind.moves(widget.values)
    elif (asks := widget.kind.asks(widget.values)) and _right_below(block, reading):
        reading.question, reading.page.asks = widget, asks


def _right_below(block: Fence, reading: "_Reading") -> bool:
    """Whether a fence is the first thing after the stage."""
    between = reading.found[: reading.found.index(block)]
    last = next((b for b in reversed(between) if not (isinstance(b, Prose) and not b.text.strip())), None)
    return isinstance(last, Fence) and reading.stage is not None and reading.widgets.get(last.line) is reading.stage


def _read_numbers(block: Prose, reading: _Reading) -> None:
    for match in block.expressions():
        try:
            number = evaluate(match[1])
            number.html(reading.page)  # options that only the figure can check, such as a scale
            reading.numbers[block.line, match.start()] = number
        except LessonError as error:
            reading.mistakes.append(Mistake(block.line, str(error), EXAMPLE))


class _Document:
    """What one page holds, from filling it to arranging it."""

    def __init__(self, extension: LessonExtension) -> None:
        self.extension = extension
        self.clear()

    def clear(self) -> None:
        self.stage = ""
        self.question = ""
        self.has_widgets = False
        self.page = Page()
        self.own: dict[str, Any] = {}
        self.whys: dict[str, Spec] = {}

    def remember(self, why: Spec | None) -> None:
        """Keep a derivation for the end of the page."""
        if why is not None:
            self.whys.setdefault(why_id(why), why)


class _Fill(Preprocessor):
    """Replace widgets and expressions by placeholders for their HTML."""

    def __init__(self, md: Markdown, document: _Document) -> None:
        super().__init__(md)
        self.document = document

    def run(self, lines: list[str]) -> list[str]:
        reading = self.document.extension.check("\n".join(lines))
        self.document.clear()
        self.document.page = reading.page
        self.document.has_widgets = bool(reading.widgets)
        if reading.stage:
            self.document.own = reading.stage.values["scenario"]
        for widget in reading.widgets.values():
            for key in widget.kind.shows(widget.values):
                self.document.remember({"kind": "why", "figure": key})
        lines = [line for block in reading.found for line in self._lines(block, reading)]
        # A block each: Python-Markdown would look through all that follow, again for every one.
        hints = [part for line in as_abbreviations(self.document.extension.glossary) for part in (line, "")]
        return [*lines, "", *hints, _END]

    def _lines(self, block: Prose | Fence, reading: _Reading) -> list[str]:
        if isinstance(block, Prose):
            return [self._prose(block, reading)]
        widget = reading.widgets.get(block.line)
        if widget is None:
            return block.source
        html = widget.kind.build(widget.values, reading.page)
        if widget is reading.stage:
            self.document.stage = html
            return ["", _STAGE, ""]
        if widget is reading.question:
            self.document.question = html
            return [""]
        below = ["", _BELOW] if widget.kind.wide else []
        return [*below, "", self.md.htmlStash.store(html), ""]

    def _prose(self, block: Prose, reading: _Reading) -> str:
        text = block.text
        numbers = [(match, reading.numbers[block.line, match.start()]) for match in block.expressions()]
        for _, number in numbers:
            self.document.remember(number.why)
        for match, number in reversed(numbers):
            text = text[: match.start()] + self.md.htmlStash.store(number.html(reading.page)) + text[match.end() :]
        return text


def _misplaced(found: list[Prose | Fence], widgets: dict[int, Widget]) -> list[Mistake]:
    """A page has one stage, and it stands right below the title."""
    stages = [w for w in widgets.values() if w.kind.moves]
    mistakes = [
        Mistake(w.fence.line, f"a page has one stage; the first is in line {stages[0].fence.line}.") for w in stages[1:]
    ]
    if stages:
        before = [b for b in found if b.line < stages[0].fence.line]
        written = [b for b in before if not (isinstance(b, Prose) and not b.text.strip())]
        if len(written) != 1 or not (isinstance(written[0], Prose) and written[0].text.startswith("# ")):
            mistakes.append(
                Mistake(
                    stages[0].fence.line,
                    "the stage must stand right below the page's title, with nothing else above it.",
                    "# Title\n\n```widget\n" + stages[0].kind.example + "```",
                )
            )
    return mistakes


class _Arrange(Postprocessor):
    """Put title, stage and text side by side, and the derivations below."""

    def __init__(self, md: Markdown, document: _Document) -> None:
        super().__init__(md)
        self.document = document

    def run(self, text: str) -> str:
        document = self.document
        if f"<p>{_END}</p>" not in text:
            return text
        text = first_only(text.replace(f"<p>{_END}</p>", ""))
        if document.stage:
            title, _, rest = text.partition(f"<p>{_STAGE}</p>")
            beside, _, below = rest.partition(_AS_PARAGRAPH)
            # The question comes first, so that a phone shows it above what answers it.
            ask = f'<div class="lc-step__ask">{document.question}</div>' if document.question else ""
            text = (
                f'<div class="lc-step"><div class="lc-step__title">{title}</div>{ask}{document.stage}'
                f'<div class="lc-step__text">{beside}</div></div>'
                + (f'<div class="lc-step__below">{below}</div>' if below else "")
            )
        text = text.replace(_AS_PARAGRAPH, "")
        if not (document.has_widgets or document.whys):
            return text
        return f'<div class="lc-page" data-scenario={quoted(document.own)}>{text}{self._whys()}</div>'

    def _whys(self) -> str:
        whys, page = self.document.whys, self.document.page
        if not whys:
            return ""
        return (
            '<section class="lc-whys" aria-labelledby="lc-whys-title" data-later>'
            '<h2 id="lc-whys-title" data-search-exclude>Where the numbers come from</h2>'
            '<details class="lc-fold lc-whys__all"><summary>Every number of this page, step by step</summary>'
            # Nine of ten elements of a page stand here. In a noscript they cost a browser with scripts nothing until
            # a reader wants one (lesson.js), and a browser without scripts shows them.
            + "<div><noscript>"
            + "".join(_why(key, spec, page) for key, spec in whys.items())
            + _code(list(whys.values()), page)
            + "</noscript></div></details></section>"
        )


def _why(key: str, spec: Spec, page: Page) -> str:
    given = [(parameter(name), value) for name, value in spec.get("with", {}).items()]
    changes = "; ".join(f"{one.label}: {one.text(value)}" for one, value in given)
    pinned = bool(spec.get("own"))
    changes = "; ".join([*([changes] if changes else []), *(["as the text has it"] if pinned else [])])
    name = figure(spec["figure"]).label + (f" ({changes})" if changes else "")
    number = {k: v for k, v in spec.items() if k != "kind"} | {"kind": "number"}
    write = _still if pinned else live
    return (
        f'<details class="lc-why"><summary>{escape(name)}'
        f"{write(number, page, tag='span', cls='lc-why__value')}</summary>"
        f'<div class="lc-why__body" id="{key}" data-name="{attribute(name)}">{write(spec, page)}</div></details>'
    )


def _still(spec: Spec, page: Page, tag: str = "div", cls: str = "") -> str:
    """A part that stays as it was built."""
    return f'<{tag} class="{cls}">{fill(spec, page).html}</{tag}>'


@cache
def _highlighted(function: Callable[..., float]) -> str:
    return str(highlight(inspect.getsource(function), PythonLexer(), HtmlFormatter(cssclass="highlight")))


def _code(whys: list[Spec], page: Page) -> str:
    """The Python functions that the derivations called, each once, as they stand in lessoncore."""
    numbers = [figure(spec["figure"]).of(page.estimate(spec.get("with"), own=spec.get("own", False))) for spec in whys]
    steps = [q for number in numbers if number for q in number.steps(counted=False)]
    functions = {q.function.__name__: q.function for q in steps if q.function is not None}
    shown = "".join(
        f'<div id="code-{name}">' + _highlighted(function) + "</div>" for name, function in functions.items()
    )
    return f'<details class="lc-why lc-code"><summary>The Python that computes them</summary>{shown}</details>'


def makeExtension(**options: Any) -> LessonExtension:  # noqa: N802 — Python-Markdown's name
    """Let Python-Markdown load the extension by its name."""
    return LessonExtension(**options)
