"""Numbers and formulas in prose: ``{{ ttft }}``, ``{{ ttft(prompt=4000) }}``, ``{{ formula("ttft") }}``,
and how far off the model was found to be: ``{{ error("decode_bs1") }}``.

A sentence must stay true wherever the reader moves the controls. So a number that a claim rests on is pinned to the
page's own scenario, ``{{ ttft.pinned }}``; or the words follow, too: ``{{ when("ttft > 1 s", "slow", "quick") }}``.
How many times one number is another is ``{{ ttft.pinned / ttft.pinned(prompt=20) }}``.
"""

from html import escape, unescape
from typing import Any

from jinja2 import TemplateError, Undefined
from jinja2.sandbox import SandboxedEnvironment

from lessoncore.conditions import check
from lessoncore.errors import LessonError, unknown
from lessoncore.evidence.effects import effect as effect_of
from lessoncore.figures import FIGURES, figure
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS, parameter
from lessoncore.parts import Spec, fill, live
from lessoncore.plain import plain as in_one_line
from lessoncore.views.mathml import expression, math, symbol, symbol_or_ratio
from lessoncore.widgets.symbols import symbols_of

EXAMPLE = "{{ ttft }} or {{ ttft.pinned }} or {{ ttft(prompt=4000, digits=2) }}"
_OPTIONS = ("digits", "scale", "unit")


class LiveNumber:
    """A figure in a sentence. Calling it gives one with a changed scenario or another form."""

    def __init__(self, key: str, own: bool = False, **options: Any) -> None:
        self.key = key
        self.own = own
        self.options = options

    @property
    def pinned(self) -> "LiveNumber":
        """The same number of the page's own scenario, whatever the reader sets."""
        return LiveNumber(self.key, own=True, **self.options)

    def __truediv__(self, other: object) -> "Ratio":
        """How many times the other number this one is."""
        if not isinstance(other, LiveNumber):
            raise LessonError(f"{self.key} can be divided by another figure only, such as {self.key}(prompt=4000).")
        return Ratio(self, other)

    def __call__(self, *values: Any, **options: Any) -> "LiveNumber":
        """Check the options; LessonError says which are possible."""
        if values:
            raise LessonError(f"{self.key}(…) takes named options only: {', '.join([*_OPTIONS, *PARAMETERS])}.")
        for name, value in options.items():
            if name in PARAMETERS:
                parameter(name).check(value)
            elif name == "digits":
                if not isinstance(value, int) or not 1 <= value <= 6:
                    raise LessonError(f"digits: a whole number from 1 to 6 is needed, but {value!r} was given.")
            elif name not in _OPTIONS:
                raise unknown("option", name, [*_OPTIONS, *PARAMETERS])
        return LiveNumber(self.key, self.own, **{**self.options, **options})

    @property
    def spec(self) -> Spec:
        """The live part behind the number."""
        spec: Spec = {"kind": "number", "figure": self.key}
        changes = {k: v for k, v in self.options.items() if k in PARAMETERS}
        if changes:
            spec["with"] = changes
        if self.own:
            spec["own"] = True
        return spec | {k: v for k, v in self.options.items() if k in _OPTIONS}

    @property
    def why(self) -> Spec | None:
        """The derivation that the number leads to; none where the reader gave the number."""
        if self.key in PARAMETERS and self.key != "price":
            return None
        return {"kind": "why"} | {k: v for k, v in self.spec.items() if k in ("figure", "with", "own")}

    def text(self, page: Page) -> str:
        """The number as text that stays as it is."""
        return unescape(fill(self.spec, page).html)

    def html(self, page: Page) -> str:
        """The number as an element that stays live and leads to its derivation."""
        quantity = figure(self.key).of(page.estimate())
        concept = quantity.meaning.concept if quantity else ""
        cls = f"lc-n lc-n--{concept or 'plain'}"
        why = self.why
        tag, link = ("span", "") if why is None else ("a", f'href="#{why_id(why)}"')
        if self.own:
            return f'<{tag} class="{cls}" {link}>{fill(self.spec, page).html}</{tag}>'
        return live(self.spec, page, tag=tag, cls=cls, extra=link)


class Ratio:
    """How many times one number is another, or with ``scale="%"`` which share of it."""

    def __init__(self, of: LiveNumber, to: LiveNumber, scale: str = "") -> None:
        self.of, self.to, self.scale = of, to, scale

    def __call__(self, scale: str) -> "Ratio":
        """The same as a share; LessonError for any other form."""
        if scale != "%":
            raise LessonError(f'a ratio is plain or has scale="%", but {scale!r} was given.')
        return Ratio(self.of, self.to, scale)

    @property
    def spec(self) -> Spec:
        """The live part behind it."""
        return {"kind": "ratio", "of": self.of.spec, "to": self.to.spec, "scale": self.scale}

    @property
    def why(self) -> Spec | None:
        """The derivation of the first number."""
        return self.of.why

    def text(self, page: Page) -> str:
        """The ratio as text that stays as it is."""
        return unescape(fill(self.spec, page).html)

    def html(self, page: Page) -> str:
        """The ratio as an element, live unless both numbers are pinned."""
        why, cls = self.why, "lc-n lc-n--plain"
        tag, link = ("span", "") if why is None else ("a", f'href="#{why_id(why)}"')
        if self.of.own and self.to.own:
            return f'<{tag} class="{cls}" {link}>{fill(self.spec, page).html}</{tag}>'
        return live(self.spec, page, tag=tag, cls=cls, extra=link)


class When:
    """Words that follow the controls: the first ones where the condition holds, else the others."""

    why: Spec | None = None

    def __init__(self, condition: object = "", then: object = "", otherwise: object = "") -> None:
        key, _, bound = str(condition).partition(" ")
        if not (bound and isinstance(then, str) and isinstance(otherwise, str)):
            raise LessonError('when(…) needs a condition and the words for both cases: when("ttft > 1 s", "a", "b").')
        check({key: bound})
        self.spec: Spec = {"kind": "words", "when": {key: bound}, "then": then, "otherwise": otherwise}

    def text(self, page: Page) -> str:
        """The words as text that stays as it is."""
        return unescape(fill(self.spec, page).html)

    def html(self, page: Page) -> str:
        """The words as an element that follows the controls."""
        return live(self.spec, page, tag="span", cls="lc-words")


class WrittenFormula:
    """How a figure is computed, set as mathematics: its symbol and its formula.

    With ``where`` the symbols are explained below it. ``plain`` gives it in one line, as it is for a plain transformer,
    and the options left are parameters: those of the scenario that it is taken from.
    """

    why: Spec | None = None

    def __init__(self, key: object, where: bool = False, plain: bool = False, **changes: Any) -> None:
        for name, value in changes.items():
            parameter(name).check(value)
        self.key, self.where, self.plain, self.changes = key, where, plain, changes
        if not plain:
            figure(key)  # a wrong name is said here

    def text(self, page: Page) -> str:
        """A formula can't stand in plain text."""
        raise LessonError("a formula can stand in the page's own text only, not in a widget's.")

    def html(self, page: Page) -> str:
        """The formula as MathML."""
        estimate = page.estimate(self.changes, own=True)
        quantity = in_one_line(self.key, estimate) if self.plain else figure(self.key).known(estimate)
        if quantity.function is None:
            raise LessonError(f"{self.key} is given, not computed: it has no formula.")
        template = str(quantity.function.template)  # type: ignore[attr-defined]
        right = expression(template, lambda name: symbol(quantity.inputs[name].meaning.letter))
        written = math(symbol_or_ratio(quantity.meaning.letter), right)
        return written + (f'<span class="lc-where">{symbols_of(quantity)}</span>' if self.where else "")


class MeasuredError:
    """How far off the model is on the measurements of an effect: the median error, or another number of it.

    ``{{ error("decode_bs1") }}`` follows the page's assumptions, ``{{ error("decode_bs1", "calibrated") }}`` names
    them, "cross-validated" among them; ``of`` is "median", "p90", "within_15" (the share of measurements within 15%),
    "rows" (how many there are) or "sources" (how many published them).
    """

    why: Spec | None = None

    def __init__(self, effect: object = None, assumptions: str | None = None, of: str = "median") -> None:
        self.spec: Spec = {"kind": "error", "effect": effect_of(effect).key, "of": of}
        if assumptions is not None:
            self.spec["assumptions"] = assumptions
        self.text(Page())  # a wrong name is said here

    def text(self, page: Page) -> str:
        """The number as text that stays as it is."""
        return unescape(fill(self.spec, page).html)

    def html(self, page: Page) -> str:
        """The number; live only where the reader can change what it depends on, for it keeps Python busy.

        It has no derivation, and so doesn't look like the numbers that have one.
        """
        if "assumptions" in self.spec or "assumptions" not in page.controls:
            return f'<b class="lc-off">{fill(self.spec, page).html}</b>'
        return live(self.spec, page, tag="span", cls="lc-n lc-n--plain")


class Measurement:
    """How far off the model is on one measurement, as a link to its dot: ``{{ measurement("TR052") }}``.

    With ``say`` these words are the link, and the number isn't shown.
    """

    why: Spec | None = None

    def __init__(self, row: object = "", by: object = "calibrated", say: str = "") -> None:
        self.spec: Spec = {"kind": "measurement", "row": row, "by": by}
        self.say = say
        fill(self.spec, Page())  # a wrong name is said here

    def text(self, page: Page) -> str:
        """The number as text that stays as it is."""
        return self.say or unescape(fill(self.spec, page).html)

    def html(self, page: Page) -> str:
        """A link to the measurement on the same page."""
        link = f'href="?row={self.spec["row"]}#measurements"'
        return (
            f"<a {link}>{escape(self.say)}</a>"
            if self.say
            else live(self.spec, page, tag="a", cls="lc-to-dot", extra=link)
        )


type Expression = LiveNumber | Ratio | When | WrittenFormula | MeasuredError | Measurement


def why_id(why: Spec) -> str:
    """The anchor of a derivation.

    >>> why_id({"kind": "why", "figure": "ttft", "with": {"prompt": 4000}})
    'why-ttft-prompt-4000'
    >>> why_id({"kind": "why", "figure": "ttft", "own": True})
    'why-ttft-pinned'
    """
    changes = "".join(f"-{key}-{value}" for key, value in sorted(why.get("with", {}).items()))
    return f"why-{why['figure']}{changes}{'-pinned' if why.get('own') else ''}"


_ENVIRONMENT = SandboxedEnvironment()
_NAMES = {key: LiveNumber(key) for key in FIGURES} | {
    "when": When,
    "formula": WrittenFormula,
    "error": MeasuredError,
    "measurement": Measurement,
}


def evaluate(text: str) -> Expression:
    """Evaluate what stands between the braces; LessonError says what is wrong and what is allowed."""
    try:
        result = _ENVIRONMENT.compile_expression(text, undefined_to_none=False)(**_NAMES)
    except LessonError:
        raise
    except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
        raise LessonError(f"'{text.strip()}' can't be evaluated: {error}.") from None
    if isinstance(result, Undefined):
        raise unknown("number", result._undefined_name, list(FIGURES))
    if not isinstance(result, LiveNumber | Ratio | When | WrittenFormula | MeasuredError | Measurement):
        raise LessonError(f"'{text.strip()}' isn't a number of the lesson. Known: {', '.join(FIGURES)}.")
    return result
