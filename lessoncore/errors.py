"""The one error that a reader or an author is meant to see."""


class LessonError(ValueError):
    """Input that can't be computed with: the message says what is wrong, what is allowed and what was given.

    Anything else that escapes from lessoncore is a fault of ours.
    """


class Correctable(LessonError):
    """Input that can't be computed with, and what would do instead.

    ``keys`` are the parameters that it is about, ``remedy`` the nearest values with which it would be possible.
    """

    def __init__(self, message: str, keys: tuple[str, ...], remedy: dict[str, float | str]) -> None:
        super().__init__(message)
        self.keys = keys
        self.remedy = remedy


class TwoReadings(LessonError):
    """A number that can be read in two ways; the sentence asks which one is meant."""


class CodeError(Exception):
    """What is wrong with the assumptions that a reader wrote in Python, and in which line (0: in none)."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def closest(word: str, known: "list[str]") -> str:
    """Name the known word that ``word`` was probably meant to be, as the end of a sentence, or nothing.

    >>> closest("totl", ["total", "ttft"])
    " Did you mean 'total'?"
    """
    from difflib import get_close_matches  # slow to import and only needed for a mistake

    near = get_close_matches(word, known, n=1)
    return f" Did you mean '{near[0]}'?" if near else ""


def unknown(what: str, word: object, known: "list[str]") -> LessonError:
    """Say that ``word`` isn't one of the ``known`` names of ``what``.

    >>> str(unknown("figure", "totl", ["total", "ttft"]))
    "unknown figure 'totl'. Did you mean 'total'? Known: total, ttft."
    """
    text = str(word)[:60]
    return LessonError(f"unknown {what} '{text}'.{closest(text, known)} Known: {', '.join(known)}.")
