"""The gallery: every widget, picture, drill, figure and parameter, documented by its own declaration.

A fence ``widget-gallery`` becomes Markdown before anything else is read: headings, the YAML of each example, and the
example itself as a widget of the page. So what an author reads there is checked and drawn like any other page, and a
new kind appears without anyone adding it.
"""

import json
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

import yaml

from lessoncore.declaration import Field
from lessoncore.drills import NAMES as DRILLS
from lessoncore.drills import drill
from lessoncore.errors import LessonError
from lessoncore.figures import FIGURES
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS
from lessoncore.pictures import NAMES as PICTURES
from lessoncore.pictures import Picture, picture
from lessoncore.units import SCALES
from lessoncore.widgets.fields import PICTURE
from lessoncore.widgets.registry import KINDS, Kind
from site_hooks.fences import read_widget
from site_hooks.mistakes import LessonMistakes
from site_hooks.source import blocks

FENCE = "```widget-gallery"
# Scenarios at the ends of what a page can show.
_STATES: dict[str, dict[str, Any]] = {
    "Smallest: one token in, one out": {"prompt": 1, "output": 1},
    "Largest: the longest prompt and answer": {"prompt": 131_071, "output": 16_384},
    "Over the limit: 70B in bf16 on one GPU, 64 requests": {
        "model": "llama-3.1-70b",
        "prompt": 16_000,
        "batch": 64,
    },
}


def expand(lines: list[str]) -> list[str]:
    """Put the gallery in the place of its fence."""
    if FENCE not in lines:
        return lines
    at = lines.index(FENCE)
    return [*lines[:at], '<div class="lc-gallery"></div>', "", *_gallery(), *lines[at + 2 :]]


def _gallery() -> Iterator[str]:
    for kind in KINDS.values():
        yield from _kind(kind)
    yield from ("## Pictures", "", "What a stage shows below its tiles, or a widget of kind `picture` in the text.", "")
    for name in PICTURES:
        yield from _picture(picture(name))
    yield from ("## Drills", "", "The kinds of question that a widget of kind `drill` can ask.", "")
    yield from _table(("Drill", "What it asks", "What it trains", "Counts within", "Step"), map(_drill_row, DRILLS))
    yield from ("## Figures", "", "What tiles, conditions and `{{ … }}` in the text can name.", "")
    yield from _table(("Figure", "What it is", "Units"), map(_figure_row, FIGURES))
    yield from ("## Parameters", "", "What a scenario is made of, and what a reader can change.", "")
    yield from _table(("Parameter", "What it is", "Allowed"), map(_parameter_row, PARAMETERS))


# Widgets.


def _kind(kind: Kind) -> Iterator[str]:
    yield from (f"## {kind.name}", "", kind.summary, "")
    yield from _fields(kind.fields)
    if kind.name == "stage":
        yield from (*_yaml(kind.example), "The stage of this page is at its top. Everything below follows it.", "")
    elif kind.moves:
        yield from (
            *_yaml(kind.example),
            "A page has one stage, so this one is seen [in the playground](steps/18-playground.md).",
            "",
        )
    else:
        for example in (kind.example, *kind.more):
            yield from (*_yaml(example), *_fence("widget", example))
    yield from _fold("What an author is told about a mistake", f"<pre><code>{_text(_told(kind))}</code></pre>")


def _yaml(example: str) -> list[str]:
    """A widget as its author writes it."""
    return ["````yaml", *_fence("widget", example), "````", ""]


def _fence(info: str, text: str) -> list[str]:
    return [f"```{info}", *text.splitlines(), "```", ""]


def _told(kind: Kind) -> str:
    """The message for the kind's own example with a letter missing in its last key."""
    keys = [line.partition(":")[0] for line in kind.example.splitlines() if line[:1].isalpha()]
    wrong = kind.example.replace(f"{keys[-1]}:", f"{keys[-1][:-2]}{keys[-1][-1]}:", 1)
    [fence] = blocks(_fence("widget", wrong)[:-1])
    fence.line = 12
    _, mistakes = read_widget(fence, Page())  # type: ignore[arg-type]  # it is a fence
    return str(LessonMistakes("docs/steps/19-yours.md", mistakes)) if mistakes else ""


def _fields(fields: Iterable[Field]) -> Iterator[str]:
    rows = [(_code(f.key), _text(f.help), _allowed(f), _default(f), _code(f.type.example)) for f in fields]
    if rows:
        yield from _table(("Parameter", "What it is", "Allowed", "Default", "Example"), rows)


def _allowed(field: Field) -> str:
    """What may be given, with the two long lists as links to where they are explained."""
    words = _text(field.type.allowed)
    for heading, names in (("figures", FIGURES), ("parameters", PARAMETERS)):
        words = words.replace(", ".join(names), f'the <a href="#{heading}">{heading}</a>')
    return words


def _default(field: Field) -> str:
    if field.default is None:
        return "must be given"
    return _code(field.default) if field.default else "nothing"


# Pictures.


def _picture(kind: Picture) -> Iterator[str]:
    yield from (f"### {kind.name}", "", kind.summary, "")
    yield from _fields(kind.fields)
    example = f"kind: picture\n{kind.example}caption: {json.dumps(kind.summary, ensure_ascii=False)}\n"
    yield from ("````yaml", *kind.example.splitlines(), "````", "")
    values = _drawn_by(kind.example)
    if values in [_drawn_by(one.example) for one in KINDS.values()]:  # a page can't show the same part twice
        yield from ("It is shown above, as an example of a widget.", "")
    elif "picture" in KINDS:
        yield from _fence("widget", example)
    if kind.costly:
        return
    states = "".join(
        f'<figure class="lc-figure"><div class="lc-stage__picture">{_drawn(kind, values, changes, n)}</div>'
        f"<figcaption>{_text(title)}</figcaption></figure>"
        for n, (title, changes) in enumerate(_STATES.items())
        if values
    )
    yield from _fold("At its ends: smallest, largest, over the limit", states)


def _drawn_by(example: str) -> dict[str, Any] | None:
    """The picture in an example, with its parameters."""
    given = yaml.safe_load(example).get("picture")
    return PICTURE.check(given) if given else None


def _drawn(kind: Picture, values: dict[str, Any], changes: dict[str, Any], n: int) -> str:
    try:
        html = kind.draw(values, Page(changes), f"gallery-{kind.name}-{n}")
    except LessonError as error:
        return f"<p>{_text(error)}</p>"
    return html.replace("{{", "&#123;&#123;").replace("\n", " ")


# Tables.


def _drill_row(name: str) -> tuple[str, ...]:
    d = drill(name)
    return _code(name), _text(d.summary), _text(d.formula), f"{d.tolerance:.0%}", str(d.step)


def _figure_row(key: str) -> tuple[str, ...]:
    quantity = FIGURES[key].of(Page().estimate())
    scales = [name for _, name in SCALES[quantity.meaning.unit]] if quantity else []
    return _code(key), _text(FIGURES[key].label), _text(", ".join(filter(None, scales)))


def _parameter_row(key: str) -> tuple[str, ...]:
    p = PARAMETERS[key]
    return _code(key), _text(f"{p.label}. {p.help}"), _text(p.allowed())


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    names = "".join(f"<th>{name}</th>" for name in head)
    yield (
        '<div class="lc-scroll lc-declared" tabindex="0" role="group" aria-label="Table"><table class="lc-givens">'
        f"<thead><tr>{names}</tr></thead><tbody>{cells}</tbody></table></div>"
    )
    yield ""


def _fold(title: str, html: str) -> list[str]:
    return [f'<details class="lc-fold"><summary>{title}</summary><div>{html}</div></details>', ""]


def _text(words: object) -> str:
    """Text inside a line of raw HTML: no markup, no live numbers, and no line of its own."""
    return escape(str(words)).replace("{{", "&#123;&#123;").replace("\n", "&#10;")


def _code(words: object) -> str:
    shown = "true" if words is True else words
    return f"<code>{_text(shown)}</code>"
