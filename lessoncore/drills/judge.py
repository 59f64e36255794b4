"""Right or wrong, by how much, and the mistake that it looks like."""

import math
from typing import NamedTuple

from lessoncore.drills import Drill, Question
from lessoncore.drills.answers import Answer, read
from lessoncore.errors import LessonError
from lessoncore.units import GIB, JOINER, SCALES, show, whole

# Rounding to the digits that were typed is no mistake, as long as there are two and it isn't too coarse.
_COARSEST = 0.05


class Verdict(NamedTuple):
    """What to say about an answer. ``right`` is nothing where it couldn't be read."""

    right: bool | None
    headline: str
    say: str = ""


def said(question: Question) -> str:
    """The right answer as a reader sees it.

    >>> from lessoncore.drills.sequence import question
    >>> said(question(("training-flops",), "", 0).question)
    '7.08 × 10²⁴\\xa0FLOP'
    """
    q = question.answer
    if question.counted:
        return whole(q.value)
    if question.scale == "FLOP":
        mantissa, power = f"{q.value:.2e}".split("e+")
        return f"{mantissa} × 10{power.lstrip('0').translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}{JOINER}FLOP"
    return str(show(q.value, q.meaning.unit, 4, question.scale))


def judge(kind: Drill, question: Question, text: str) -> Verdict:
    """Compare what was typed with the right answer."""
    unit, right = question.answer.meaning.unit, question.answer.value
    try:
        answer = read(text, unit, question.scale)
    except LessonError as error:
        return Verdict(None, "That can’t be checked yet.", str(error))
    value = min(answer.values, key=lambda v: abs(math.log(v / right)) if v > 0 else math.inf)
    if value <= 0:
        return Verdict(False, "Not yet.", "The answer is more than zero.")
    if abs(value - right) <= _allowed(kind, question, value, answer.digits):
        return Verdict(True, f"Right: {said(question)}.", _nearly(value / right))
    return Verdict(False, f"Not yet: {_gap(value / right)}.", _mistake(kind, question, value, answer))


def _allowed(kind: Drill, question: Question, value: float, digits: int) -> float:
    right = question.answer.value
    allowed = kind.tolerance * right
    if question.counted:
        return max(1.0, allowed)
    if digits >= 2:
        last_digit = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
        allowed = max(allowed, min(last_digit / 2 * (1 + 1e-9), _COARSEST * right))
    return allowed


def _nearly(ratio: float) -> str:
    off = abs(ratio - 1)
    return f"Yours is {off:.1%} off, which counts." if off >= 0.0005 else ""


def _gap(ratio: float) -> str:
    """How far off, in words.

    >>> _gap(2.0), _gap(0.8), _gap(1.07), _gap(0.001)
    ('2.0 times too large', '20% too small', '7% too large', '1,000 times too small')
    """
    side = "too large" if ratio > 1 else "too small"
    times = max(ratio, 1 / ratio)
    if times >= 1e6:
        return f"more than a million times {side}"
    if times >= 1.95:
        return f"{float(f'{times:.2g}'):,.0f} times {side}" if times >= 9.5 else f"{times:.1f} times {side}"
    return f"{max(abs(ratio - 1), 0.01):.0%} {side}"


def _mistake(kind: Drill, question: Question, value: float, answer: Answer) -> str:
    """The mistake that an answer looks like, or nothing."""
    right = question.answer.value
    binary = _binary(value / right, question, answer)
    if binary:
        return binary
    slips = [slip for slip in question.slips if slip.value > 0 and abs(slip.value / right - 1) > kind.tolerance]
    if slips:
        nearest = min(slips, key=lambda slip: abs(math.log(slip.value / value)))
        if abs(nearest.value / value - 1) <= max(kind.tolerance, 0.02):
            return nearest.say
    for power in (3, 6, 9, 12):
        for ratio in (10.0**power, 10.0**-power):
            if abs(value / right / ratio - 1) <= 0.02:
                times = {3: "a thousand", 6: "a million", 9: "a billion", 12: "a trillion"}[power]
                asked = f"The answer is asked for in {question.scale}." if not answer.unit and question.scale else ""
                return f"The digits are right, but it is {times} times off: look at the units again. {asked}".strip()
    return ""


def _binary(ratio: float, question: Question, answer: Answer) -> str:
    """GB and GiB, kB and KiB, taken for each other."""
    scale = answer.unit or question.scale
    if question.answer.meaning.unit != "B" or scale[-1:].lower() not in "bn":
        return ""
    decimal = scale.replace("i", "").upper().replace("KB", "kB").split("/")[0]
    size = {"kB": 1000 / 1024, "MB": 1e6 / 2**20, "GB": 1e9 / GIB, "TB": 1e12 / 2**40}.get(decimal)
    if size is None:
        return ""
    wide = decimal[0].upper() + "iB"
    if "i" not in scale and abs(ratio / size - 1) <= 0.006:
        return f"That is right in {wide}, but it was read as {decimal}. Write {wide} behind it, or convert it."
    if "i" in scale and abs(ratio * size - 1) <= 0.006:
        return f"That is right in {decimal}, but you wrote {wide}, which are larger."
    return ""


def tolerance(kind: Drill, question: Question) -> str:
    """What counts as right, in words.

    >>> from lessoncore.drills.sequence import question
    >>> tolerance(*question(("decode-limit",), "", 0)[:2])
    'Within 2% counts, and so does an answer rounded to two digits or more.'
    """
    if question.counted:
        return f"Within {kind.tolerance:.0%}, or one more or less, counts."
    return f"Within {kind.tolerance:.0%} counts, and so does an answer rounded to two digits or more."


def asked_in(question: Question) -> str:
    """The unit in which a bare number is taken.

    >>> from lessoncore.drills.sequence import question
    >>> asked_in(question(("decode-limit",), "", 0).question)
    'in ms'
    """
    assert not question.scale or any(question.scale == name for _, name in SCALES[question.answer.meaning.unit])
    return f"in {question.scale}" if question.scale else "a whole number"
