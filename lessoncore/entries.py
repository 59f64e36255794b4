"""Numbers and choices that a reader types into a form: what each is called, what it may be, and how it is read."""

import re
from typing import NamedTuple

from lessoncore.errors import LessonError
from lessoncore.units import parse_number

# A comma that separates no thousands: somebody's decimal point.
_DECIMAL_COMMA = re.compile(r",(?!\d{3}(?!\d))")


class Entry(NamedTuple):
    """A field for a number. ``only`` are the choices of the form under which it is asked; none: always."""

    key: str
    label: str
    low: float
    high: float
    whole: bool = True
    only: tuple[str, ...] = ()
    help: str = ""

    def read(self, text: str) -> float:
        """The number that was typed.

        >>> Entry("copies", "Copies", 1, 8).read("9")
        Traceback (most recent call last):
        lessoncore.errors.LessonError: A whole number from 1 to 8 is needed, but '9' was given.
        """
        given = text.strip()
        short = given if len(given) <= 40 else f"{given[:40]}…"
        try:
            if _DECIMAL_COMMA.search(given) or len(given) > 40:
                raise LessonError("")
            number = parse_number(given)
            if not self.low <= number <= self.high or (self.whole and number != int(number)):
                raise LessonError("")
        except LessonError:
            raise LessonError(f"{self.allowed()} is needed{self._point()}, but '{short}' was given.") from None
        return int(number) if self.whole else number

    def allowed(self) -> str:
        """What may be typed."""
        return f"A{' whole' * self.whole} number from {plain(self.low)} to {plain(self.high)}"

    def _point(self) -> str:
        return "" if self.whole else ", with a point before decimals"


class Choice(NamedTuple):
    """A field for one of a few ``options``, each with its words."""

    key: str
    label: str
    options: dict[str, str]
    only: tuple[str, ...] = ()

    def read(self, text: str) -> str:
        """The option that was chosen."""
        if text not in self.options:
            raise LessonError(f"One of {', '.join(self.options)} is needed, but '{text[:40]}' was given.")
        return text


def plain(value: float) -> str:
    """A number as it would be typed.

    >>> plain(4000.0), plain(0.5)
    ('4,000', '0.5')
    """
    return f"{value:,.0f}" if value == int(value) else f"{value:,}"
