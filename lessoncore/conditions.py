"""Conditions on a scenario and its results, such as ``total: "< 1 s"``: when a task is done."""

import operator
import re
from collections.abc import Callable

from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate
from lessoncore.figures import figure
from lessoncore.units import SCALES

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
}
_CONDITION = re.compile(r"\s*(<=|>=|<|>|=)\s*(\d[\d,]*(?:\.\d+)?)\s*([^\d\s]\S*)?\s*")


def holds(when: dict[str, str], estimate: Estimate) -> bool:
    """Whether every condition of ``when``, figure by figure, is true of the estimate.

    >>> from lessoncore.estimate import estimate
    >>> from lessoncore.scenario import Scenario
    >>> holds({"total": "< 1 s", "prompt": "= 2000"}, estimate(Scenario(output=100)))
    True
    """
    return all(_holds(key, condition, estimate) for key, condition in when.items())


def _holds(key: str, condition: str, estimate: Estimate) -> bool:
    quantity = figure(key).of(estimate)
    if quantity is None:
        return False
    sign, bound = parse(condition, quantity.meaning.unit)
    return _COMPARE[sign](quantity.value, bound)


def parse(condition: str, unit: str) -> tuple[str, float]:
    """Read a condition on a figure of the given unit: its sign and its bound in SI units.

    >>> parse("< 500 ms", "s")
    ('<', 0.5)
    """
    match = _CONDITION.fullmatch(str(condition))
    if not match:
        raise LessonError(
            f"'{str(condition)[:60]}' isn't a condition. Needed: one of {' '.join(_COMPARE)} and a number, with its "
            f"unit where it has one, such as '< 500 ms' or '= 2000'."
        )
    sign, number, scale = match.groups()
    factors = {name: factor for factor, name in SCALES[unit]}
    if (scale or "") not in factors and not (scale is None and unit == "tokens"):
        known = ", ".join(name or "no unit" for name in factors)
        raise LessonError(f"'{str(condition)[:60]}': the unit can be {known}, but is {scale or 'missing'}.")
    return sign, float(number.replace(",", "")) * factors.get(scale or "", 1.0)


def check(when: dict[str, str]) -> None:
    """Raise LessonError for a condition that can't be evaluated."""
    from lessoncore.estimate import estimate
    from lessoncore.scenario import Scenario  # only authors' mistakes need it

    sample = estimate(Scenario())
    for key, condition in when.items():
        parse(condition, figure(key).known(sample).meaning.unit)
