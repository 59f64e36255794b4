"""Numbers and formulas in prose: ``{{ ttft }}``, ``{{ ttft(prompt=4000) }}``, ``{{ formula("ttft") }}``,
and how far off the model was found to be: ``{{ error("decode_bs1") }}``.
"""

from html import escape, unescape
from typing import Any

from jinja2 import TemplateError, Undefined
from jinja2.sandbox import SandboxedEnvironment

from lessoncore.errors import LessonError, unknown
from lessoncore.evidence.effects import effect as effect_of
from lessoncore.figures import FIGURES, figure
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS, parameter
from lessoncore.parts import Spec, fill, live
from lessoncore.views.mathml import expression, math, symbol, symbol_or_ratio

EXAMPLE = "{{ ttft }} or {{ ttft(prompt=4000, digits=2) }}"
_OPTIONS = ("digits", "scale", "unit")


class LiveNumber:
    """A figure in a sentence. Calling it gives one with a changed scenario or another form."""

    def __init__(self, key: str, **options: Any) -> None:
        self.key = key
        self.options = options

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
        return LiveNumber(self.key, **{**self.options, **options})

    @property
    def spec(self) -> Spec:
        """The live part behind the number."""
        spec: Spec = {"kind": "number", "figure": self.key}
        changes = {k: v for k, v in self.options.items() if k in PARAMETERS}
        if changes:
            spec["with"] = changes
        return spec | {k: v for k, v in self.options.items() if k in _OPTIONS}

    @property
    def why(self) -> Spec | None:
        """The derivation that the number leads to; none where the reader gave the number."""
        if self.key in PARAMETERS and self.key != "price":
            return None
        return {"kind": "why"} | {k: v for k, v in self.spec.items() if k in ("figure", "with")}

    def text(self, page: Page) -> str:
        """The number as text that stays as it is."""
        return unescape(fill(self.spec, page).html)

    def html(self, page: Page) -> str:
        """The number as an element that stays live and leads to its derivation."""
        quantity = figure(self.key).of(page.estimate())
        concept = quantity.meaning.concept if quantity else ""
        cls = f"lc-n lc-n--{concept or 'plain'}"
        why = self.why
        if why is None:
            return live(self.spec, page, tag="span", cls=cls)
        return live(self.spec, page, tag="a", cls=cls, extra=f'href="#{why_id(why)}"')


class WrittenFormula:
    """How a figure is computed, set as mathematics: its symbol and its formula."""

    why: Spec | None = None

    def __init__(self, key: object) -> None:
        self.figure = figure(key)

    def text(self, page: Page) -> str:
        """A formula can't stand in plain text."""
        raise LessonError("a formula can stand in the page's own text only, not in a widget's.")

    def html(self, page: Page) -> str:
        """The formula as MathML."""
        quantity = self.figure.known(page.estimate())
        if quantity.function is None:
            raise LessonError(f"{self.figure.key} is given, not computed: it has no formula.")
        template = str(quantity.function.template)  # type: ignore[attr-defined]
        right = expression(template, lambda name: symbol(quantity.inputs[name].meaning.letter))
        return math(symbol_or_ratio(quantity.meaning.letter), right)


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
        """The number; live only where the reader can change what it depends on, for it keeps Python busy."""
        if "assumptions" in self.spec or "assumptions" not in page.controls:
            return f'<span class="lc-n lc-n--plain">{fill(self.spec, page).html}</span>'
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


type Expression = LiveNumber | WrittenFormula | MeasuredError | Measurement


def why_id(why: Spec) -> str:
    """The anchor of a derivation.

    >>> why_id({"kind": "why", "figure": "ttft", "with": {"prompt": 4000}})
    'why-ttft-prompt-4000'
    """
    changes = "".join(f"-{key}-{value}" for key, value in sorted(why.get("with", {}).items()))
    return f"why-{why['figure']}{changes}"


_ENVIRONMENT = SandboxedEnvironment()
_NAMES = {key: LiveNumber(key) for key in FIGURES} | {
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
    if not isinstance(result, LiveNumber | WrittenFormula | MeasuredError | Measurement):
        raise LessonError(f"'{text.strip()}' isn't a number of the lesson. Known: {', '.join(FIGURES)}.")
    return result
