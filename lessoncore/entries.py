"""Numbers and choices that a reader types into a form: what each is called, what it may be, and how it is read."""

from typing import NamedTuple

from lessoncore.errors import LessonError, TwoReadings
from lessoncore.units import parse_number, parse_whole


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
        if len(given) > 40:
            raise LessonError(f"{self.allowed()} is needed, but '{given[:40]}…' was given.")
        try:
            number = parse_whole(given) if self.whole else parse_number(given, self.high)
            if self.low <= number <= self.high:
                return number
        except TwoReadings as error:
            raise LessonError(f"{self.allowed()} is needed, but {error}") from None
        except LessonError:
            pass
        raise LessonError(f"{self.allowed()} is needed, but '{given}' was given.")

    def allowed(self) -> str:
        """What may be typed."""
        return f"A{' whole' * self.whole} number from {plain(self.low)} to {plain(self.high)}"

    def as_read(self, text: str) -> str:
        """The number as it was read, where it is written otherwise than it was typed; nothing where it is wrong.

        >>> Entry("every", "Every", 1, 8, whole=False).as_read("2,5")
        '2.5'
        """
        try:
            read = plain(self.read(text))
        except LessonError:
            return ""
        return "" if read == text.strip() else read


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
