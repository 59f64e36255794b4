"""Values that were given, and whether they are possible."""

from lessoncore.errors import LessonError


def whole(what: str, value: object, low: int, high: int) -> int:
    """Return ``value`` if it is a whole number from ``low`` to ``high``, else say what is wrong with it.

    >>> whole("Users", 0, 1, 100_000)
    Traceback (most recent call last):
    lessoncore.errors.LessonError: Users: a whole number from 1 to 100,000 is needed, but 0 was given.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise LessonError(f"{what}: a whole number from {low:,} to {high:,} is needed, but {value!r} was given.")
    return value


def number(what: str, value: float, low: float, high: float, above: bool = False) -> float:
    """Return ``value`` if it is from ``low`` (or ``above`` it) to ``high``, else say what is wrong with it.

    >>> number("Rate", 0, 0, 1e6, above=True)
    Traceback (most recent call last):
    lessoncore.errors.LessonError: Rate: a number above 0, up to 1e+06 is needed, but 0 was given.
    """
    if not low <= value <= high or (above and value == low):
        span = f"above {low:g}, up to {high:g}" if above else f"from {low:g} to {high:g}"
        raise LessonError(f"{what}: a number {span} is needed, but {value!r} was given.")
    return value
