"""Conditions on a scenario and its results, such as ``total: "< 1 s"``: when a task is done."""

import operator
import re
from collections.abc import Callable

from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate
from lessoncore.figures import figure
from lessoncore.parameters import PARAMETERS, Choice, parameter
from lessoncore.units import SCALES

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
}
_CONDITION = re.compile(r"\s*(<=|>=|<|>|=)\s*(?:(\d[\d,]*(?:\.\d+)?)\s*([^\d\s]\S*)?|([a-z][\w.-]*))\s*")


def holds(when: dict[str, str], estimate: Estimate) -> bool:
    """Whether every condition of ``when``, key by key, is true of the estimate.

    A key is a figure, compared with a number and its unit or with another figure, or a parameter with names for
    its values, compared with one of them.

    >>> from lessoncore.estimate import estimate
    >>> from lessoncore.scenario import Scenario
    >>> holds({"total": "< 1 s", "prompt": "= 2000", "batch": "<= largest_batch"}, estimate(Scenario(output=100)))
    True
    >>> holds({"kv": "= fp8"}, estimate(Scenario(kv="fp8")))
    True
    """
    return all(_holds(key, condition, estimate) for key, condition in when.items())


def check(when: dict[str, str]) -> None:
    """Raise LessonError for a condition that can't be evaluated."""
    from lessoncore.estimate import estimate
    from lessoncore.scenario import Scenario  # only authors' mistakes need it

    sample = estimate(Scenario())
    for key, condition in when.items():  # all of them, whatever the first one says
        _holds(key, condition, sample)


def bound(text: str, unit: str) -> float:
    """Read a number with its unit, such as a limit in a picture.

    >>> bound("500 ms", "s")
    0.5
    """
    match = _CONDITION.fullmatch(f"<= {text}")
    if not match or match[2] is None:
        raise LessonError(f"'{text[:60]}' isn't a number with its unit, such as '500 ms'.")
    return _number(match[2], match[3], unit)


def _holds(key: str, condition: str, estimate: Estimate) -> bool:
    match = _CONDITION.fullmatch(str(condition))
    if not match:
        raise LessonError(
            f"'{str(condition)[:60]}' isn't a condition. Needed: one of {' '.join(_COMPARE)} and a number with its "
            f"unit, or another figure, such as '< 500 ms', '= 2000' or '> ridge'."
        )
    sign, number, scale, name = match.groups()
    if isinstance(PARAMETERS.get(key), Choice):
        return _is_chosen(key, sign, name or number, estimate)
    if not figure(key).runs(estimate):
        return False  # what doesn't fit into memory has no speed and no price
    quantity = figure(key).of(estimate)
    bound = _other(name, estimate) if name else _number(number, scale, figure(key).known(estimate).meaning.unit)
    return quantity is not None and _COMPARE[sign](quantity.value, bound)


def _is_chosen(key: str, sign: str, value: str, estimate: Estimate) -> bool:
    if sign != "=":
        raise LessonError(f"{key} has names for its values, which can only be compared with =, but {sign} was given.")
    return bool(getattr(estimate.scenario, key) == parameter(key).check(value))


def _other(name: str, estimate: Estimate) -> float:
    return figure(name).known(estimate).value


def _number(number: str, scale: str | None, unit: str) -> float:
    factors = {name: factor for factor, name in SCALES[unit]}
    if (scale or "") not in factors and not (scale is None and unit == "tokens"):
        known = ", ".join(name or "no unit" for name in factors)
        raise LessonError(
            f"'{number}{f' {scale}' if scale else ''}': the unit can be {known}, but is {scale or 'missing'}."
        )
    return float(number.replace(",", "")) * factors.get(scale or "", 1.0)
