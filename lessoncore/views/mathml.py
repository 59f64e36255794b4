"""Formulas as MathML: what a formula's template says, set as mathematics, readable without scripts and aloud.

The language of the templates: names in braces, numbers, + − · /, brackets, ⌊ ⌋, max(a, b), min(a, b), and powers as
² or ^{name}.
"""

import re
from collections.abc import Callable

from lessoncore.errors import LessonError
from lessoncore.views.markup import escape

_TOKEN = re.compile(r"\s*(\^?\{\w+\}|\d[\d.]*[⁰-⁹]*|max|min|[-+−·/(),⌊⌋²])")
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
Leaf = Callable[[str], str]


def symbol(letters: str) -> str:
    """Set a symbol with its index: ``F_peak`` is F with a lowered "peak".

    >>> symbol("F_peak")
    '<msub><mi>F</mi><mi mathvariant="normal">peak</mi></msub>'
    """
    letter, _, index = letters.partition("_")
    shown = f"<mi>{escape(letter)}</mi>"
    return f'<msub>{shown}<mi mathvariant="normal">{escape(index)}</mi></msub>' if index else shown


def symbol_or_ratio(letters: str) -> str:
    """Set a symbol, or two with a stroke between them.

    >>> symbol_or_ratio("T_decode/T").count("<mi>T</mi>")
    2
    """
    return '<mo lspace="0" rspace="0">/</mo>'.join(symbol(part) for part in letters.split("/"))


def value(text: str) -> str:
    """Set a number with its unit."""
    return f"<mn>{escape(text)}</mn>"  # mtext would be like space, and the signs beside it lose theirs


def math(*rows: str, label: str = "") -> str:
    """Put sides of an equation together."""
    spoken = f' aria-label="{escape(label)}"' if label else ""
    return f"<math{spoken}>{'<mo>=</mo>'.join(f'<mrow>{row}</mrow>' for row in rows)}</math>"


def expression(template: str, leaf: Leaf) -> str:
    """Set a template; ``leaf`` gives the MathML of a name.

    >>> expression("{a} / (2 · {b})", lambda name: f"<mi>{name}</mi>")
    '<mfrac><mi>a</mi><mrow><mn>2</mn><mo>·</mo><mi>b</mi></mrow></mfrac>'
    """
    parser = _Parser(template, leaf)
    shown = parser.sum()
    parser.end()
    return shown


class _Parser:
    """Reads a template from left to right, one rule a method."""

    def __init__(self, template: str, leaf: Leaf) -> None:
        self.template = template
        self.tokens = _tokens(template)
        self.leaf = leaf
        self.at = 0

    @property
    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.next
        if not token or (expected and token != expected):
            raise LessonError(f"'{self.template}' isn't a formula: {expected or 'more'} was expected at '{token}'.")
        self.at += 1
        return token

    def end(self) -> None:
        if self.next:
            raise LessonError(f"'{self.template}' isn't a formula: '{self.next}' is left over.")

    def sum(self) -> str:
        shown = self.product()
        while self.next in ("+", "−"):
            shown += f"<mo>{self.take()}</mo>{self.product()}"
        return shown

    def product(self) -> str:
        shown = self.power()
        while self.next in ("·", "/"):
            if self.take() == "/":
                shown = f"<mfrac>{_row(_bare(shown))}{_row(_bare(self.power()))}</mfrac>"
            else:
                shown += f"<mo>·</mo>{self.power()}"
        return shown

    def power(self) -> str:
        shown = self.atom()
        if self.next == "²":
            self.take()
            return f"<msup>{_row(shown)}<mn>2</mn></msup>"
        if self.next.startswith("^"):
            return f"<msup>{_row(shown)}{self.leaf(self.take()[2:-1])}</msup>"
        return shown

    def atom(self) -> str:
        token = self.take()
        if token == "(":
            return self.bracketed("(", ")")
        if token == "⌊":
            return self.bracketed("⌊", "⌋")
        if token in ("max", "min"):
            self.take("(")
            one = self.sum()
            self.take(",")
            return f"<mi>{token}</mi><mrow><mo>(</mo>{one}<mo>,</mo>{self.bracketed('', ')')}</mrow>"
        if token.startswith("{"):
            return self.leaf(token[1:-1])
        if token[0].isdigit():
            return _number(token)
        raise LessonError(f"'{self.template}' isn't a formula: '{token}' stands where a value should.")

    def bracketed(self, opening: str, closing: str) -> str:
        inner = self.sum()
        self.take(closing)
        return f"<mrow><mo>{opening}</mo>{inner}<mo>{closing}</mo></mrow>" if opening else f"{inner}<mo>{closing}</mo>"


def _tokens(template: str) -> list[str]:
    tokens, at = [], 0
    text = template.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if not match:
            raise LessonError(f"'{template}' isn't a formula: '{text[at : at + 10]}' can't be read.")
        tokens.append(match[1])
        at = match.end()
    return tokens


def _number(token: str) -> str:
    base = token.rstrip("⁰¹²³⁴⁵⁶⁷⁸⁹")
    power = token[len(base) :].translate(_SUPERSCRIPT)
    shown = f"<mn>{int(base):,}</mn>" if base.isdigit() else f"<mn>{base}</mn>"
    return f"<msup>{shown}<mn>{power}</mn></msup>" if power else shown


def _row(shown: str) -> str:
    """One element around several, as a fraction or a power needs it."""
    single = re.fullmatch(r"<(m\w+)\b[^>]*>(?:(?!<\1\b).)*</\1>", shown)
    return shown if single else f"<mrow>{shown}</mrow>"


def _bare(shown: str) -> str:
    """The inside of a bracket, where a fraction's line says the same."""
    inner = re.fullmatch(r"<mrow><mo>\(</mo>((?:(?!<mo>[()]</mo>).)*)<mo>\)</mo></mrow>", shown)
    return inner[1] if inner else shown
