"""Python as HTML: highlighted by its tokens, with the class names that the theme colours."""

import builtins
import io
import keyword
import tokenize
from functools import lru_cache

from lessoncore.views.markup import escape

_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))
_CLASSES = {
    tokenize.COMMENT: "c1",
    tokenize.NUMBER: "mi",
    tokenize.STRING: "s",
    tokenize.FSTRING_START: "s",
    tokenize.FSTRING_MIDDLE: "s",
    tokenize.FSTRING_END: "s",
    tokenize.OP: "o",
}

_BLANK_LINE = "\n\n"
_NOT_PYTHON = (tokenize.TokenError, SyntaxError)


def highlighted(source: str) -> str:
    """The source as a block of code; what isn't Python stays plain.

    >>> highlighted("x = 1").partition("<code>")[2]
    'x <span class="o">=</span> <span class="mi">1</span></code></pre></div>'
    """
    try:
        inner = _BLANK_LINE.join(map(_spans, source.split(_BLANK_LINE)))
    except _NOT_PYTHON:  # a text or a bracket goes over a blank line
        try:
            inner = _spans(source)
        except _NOT_PYTHON:
            inner = escape(source)
    return f'<div class="highlight"><pre tabindex="0"><code>{inner}</code></pre></div>'


@lru_cache(maxsize=32)  # an exported snippet is written at each move of a slider, and a paragraph of it is new
def _spans(source: str) -> str:
    lines = source.splitlines(keepends=True)
    out: list[str] = []
    row, column, before = 1, 0, ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
            continue
        out.append(escape(_between(lines, (row, column), token.start)))
        name, text = _class_of(token, before), _between(lines, token.start, token.end)
        out.append(f'<span class="{name}">{escape(text)}</span>' if name else escape(text))
        (row, column), before = token.end, token.string
    out.append(escape(_between(lines, (row, column), (len(lines) + 1, 0))))
    return "".join(out)


def _class_of(token: tokenize.TokenInfo, before: str) -> str:
    if token.type != tokenize.NAME:
        return _CLASSES.get(token.type, "")
    if keyword.iskeyword(token.string):
        return "kc" if token.string in ("True", "False", "None") else "k"
    if before in ("def", "class"):
        return "nf"
    return "nb" if token.string in _BUILTINS else ""


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    (row, column), (last, until) = start, end
    if row > len(lines):
        return ""
    if row == last:
        return lines[row - 1][column:until]
    middle = "".join(lines[row : last - 1])
    return lines[row - 1][column:] + middle + (lines[last - 1][:until] if last <= len(lines) else "")
