"""The code: the Python behind each figure, and an editor in which a reader changes the assumptions."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from lessoncore.assumptions import ASSUMPTIONS
from lessoncore.declaration import Field
from lessoncore.errors import LessonError
from lessoncore.figures import figure
from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.reader_code import PASS, RANGES, TERM, in_code, names, template
from lessoncore.views.code import highlighted
from lessoncore.views.markup import attribute, escape
from lessoncore.widgets.fields import FIGURES_UP_TO_8
from lessoncore.widgets.kinds import Kind


def _build(values: dict[str, Any], page: Page) -> str:
    code = template(ASSUMPTIONS[page.own.assumptions])
    lines = "".join(f"<span>{n}</span>" for n in range(1, code.count("\n") + 2))
    return (
        '<section class="lc-box lc-tool lc-editor" id="code-editor" aria-labelledby="code-title">'
        '<p class="lc-box__title" id="code-title">Assumptions in Python</p>'
        "<p>Change what the model takes for granted, and every figure of this page follows. Your code runs in this "
        "browser when you press Run, is sent nowhere, and is forgotten with this tab.</p>"
        '<div class="lc-editor__code"><div class="lc-editor__lines" aria-hidden="true">'
        f'<i class="lc-editor__mark" hidden></i>{lines}</div>'
        '<label class="lc-hidden" for="code-text">Python code of the assumptions</label>'
        f'<textarea id="code-text" wrap="off" rows="{code.count(chr(10)) + 1}" spellcheck="false" autocomplete="off"'
        f' autocapitalize="off" data-template="{attribute(code)}" aria-describedby="code-verdict">'
        f"\n{escape(code)}</textarea></div>"
        '<div class="lc-editor__row"><button type="button" class="lc-button lc-button--first" data-code="run"'
        ' aria-keyshortcuts="Control+Enter">Run</button>'
        '<button type="button" class="lc-button" data-code="reset">Reset</button>'
        '<span class="lc-editor__keys">or Ctrl+Enter; Tab leaves the editor</span></div>'
        '<p class="lc-editor__running">Running… <button type="button" class="lc-set" data-code="stop">Stop</button></p>'
        f"{live({'kind': 'code'}, page, cls='lc-editor__verdict', extra='id="code-verdict" role="status"')}"
        '<p class="lc-still">Running code needs JavaScript.</p>'
        f"{_fold('What can be set', _names())}"
        f"{_fold('The Python behind each figure', _sources(values['figures'], page))}"
        "</section>"
    )


def _fold(title: str, html: str) -> str:
    return f'<details class="lc-fold"><summary>{title}</summary><div>{html}</div></details>'


def _names() -> str:
    rows = "".join(
        f"<tr><td><code>{name}</code></td>"
        + "".join(f'<td class="lc-num">{_value(getattr(a, name))}</td>' for a in ASSUMPTIONS.values())
        + f"<td>{_range(name)}</td></tr>"
        for name in names()
    )
    heads = "".join(f"<th>{escape(a.label)}</th>" for a in ASSUMPTIONS.values())
    of_a_pass = ", ".join(f"<code>p.{name}</code>" for name in PASS)
    return (
        '<div class="lc-scroll" tabindex="0" role="group" aria-label="What can be set">'
        '<table class="lc-givens lc-editor__names">'
        f"<thead><tr><th>Name</th>{heads}<th>Possible</th></tr></thead><tbody>{rows}</tbody></table></div>"
        f"<p>A function <code>{TERM}(p)</code> gives the seconds that are added to a pass. It can use {of_a_pass}; "
        "<code>math</code> is there too. Names of your own start with an underscore.</p>"
    )


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {share:g}" for name, share in value.items()) or "none"
    return escape(in_code(value) if isinstance(value, float) else str(value))


def _range(name: str) -> str:
    if name == "narrow_efficiency":
        return "a share for each of fp8, int8, fp4"
    if name == "skips_idle_parameters":
        return "True or False"
    low, high = RANGES[name]
    return f"{in_code(low)} to {in_code(high)}"


# The functions that compute a figure.


def _sources(keys: list[str], page: Page) -> str:
    by_figure = {key: list(_functions(key, page)) for key in keys}
    each = {f.__name__: f for functions in by_figure.values() for f in functions}
    index = "".join(
        f"<dt>{escape(figure(key).label)}</dt><dd>"
        + (", ".join(f'<a href="#source-{f.__name__}">{f.__name__}()</a>' for f in functions) or "given, not computed")
        + "</dd>"
        for key, functions in by_figure.items()
    )
    code = "".join(f'<div id="source-{name}">{highlighted(inspect.getsource(f))}</div>' for name, f in each.items())
    return f'<dl class="lc-editor__index">{index}</dl>{code}'


def _functions(key: str, page: Page) -> Iterator[Callable[..., float]]:
    """The formulas of a figure, its own first, with either set of assumptions and on one GPU or two."""
    seen: dict[str, Callable[..., float]] = {}
    for taken in ASSUMPTIONS:
        for gpus in (page.own.gpus, 2):
            try:
                quantity = figure(key).of(page.estimate({"assumptions": taken, "gpus": gpus}, own=True))
            except LessonError:  # GPUs without a link
                continue
            for step in reversed(list(quantity.steps(counted=False))) if quantity else ():
                if step.function is not None:
                    seen.setdefault(step.function.__name__, step.function)
    yield from seen.values()


EDITOR = Kind(
    name="editor",
    summary="An editor in which the reader changes the assumptions in Python, and the Python behind some figures.",
    fields=(Field("figures", FIGURES_UP_TO_8, "The figures whose Python is shown."),),
    build=_build,
    example="kind: editor\nfigures: [ttft, tpot, memory_used, output_cost]\n",
)
