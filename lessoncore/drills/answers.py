"""Answers as people type them: ``4.8 ms``, ``4,8``, ``0.0048 s``, ``4.8e-3 s``, ``4 800 µs``, ``14.96 GiB``."""

import math
import re
from typing import NamedTuple

from lessoncore.errors import LessonError
from lessoncore.units import GIB, SCALES, ask_if_ambiguous, readings

LONGEST = 60

# What each unit measures, in words.
_MEASURES = {
    "s": "a time",
    "B": "a size",
    "FLOP": "an amount of arithmetic",
    "FLOP/B": "arithmetic per byte",
    "tokens/s": "a rate of tokens",
    "": "a number",
    "share": "a share",
    "B/s": "a bandwidth",
    "FLOP/s": "a rate of arithmetic",
    "USD": "an amount of money",
}
# Other spellings than those of units.SCALES, in small letters and the singular.
_ALSO: dict[str, dict[str, float]] = {
    "s": {
        "h": 3600,
        "hour": 3600,
        "min": 60,
        "minute": 60,
        "sec": 1,
        "second": 1,
        "msec": 1e-3,
        "millisecond": 1e-3,
        "us": 1e-6,
        "usec": 1e-6,
        "microsecond": 1e-6,
        "ns": 1e-9,
        "nanosecond": 1e-9,
    },
    "B": {
        "byte": 1,
        "kilobyte": 1e3,
        "megabyte": 1e6,
        "gigabyte": 1e9,
        "terabyte": 1e12,
        "kib": 2**10,
        "mib": 2**20,
        "gib": GIB,
        "tib": 2**40,
        "bit": 1 / 8,
        "kbit": 1e3 / 8,
        "mbit": 1e6 / 8,
        "gbit": 1e9 / 8,
        "tbit": 1e12 / 8,
    },
    "FLOP": {
        "kflop": 1e3,
        "zflop": 1e21,
        "gigaflop": 1e9,
        "teraflop": 1e12,
        "petaflop": 1e15,
        "exaflop": 1e18,
        "zettaflop": 1e21,
        "yflop": 1e24,
        "yottaflop": 1e24,
    },
    "FLOP/B": {"flop/byte": 1},
    "tokens/s": {"token/s": 1, "tok/s": 1, "t/s": 1, "tps": 1, "token/second": 1, "token/sec": 1, "tok/sec": 1},
    "": {"user": 1, "request": 1, "conversation": 1, "people": 1, "person": 1},
    "share": {"percent": 0.01},
    "B/s": {"gbps": 1e9 / 8},
    "USD": {"$": 1, "dollar": 1},
}
_TIMES = {
    "k": 1e3,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "trillion": 1e12,
}


class Answer(NamedTuple):
    """A typed answer. ``values`` are what it may mean, in the SI unit: 1,164 can be read in two ways.

    ``unit`` is as it was typed, nothing where it was left out; ``digits`` are the significant ones.
    """

    values: tuple[float, ...]
    unit: str
    digits: int


def _spelled(unit: str) -> str:
    return unit.lower().replace("μ", "µ")  # two letters that look the same: micro sign and Greek mu


def _table(unit: str) -> dict[str, float]:
    scales = {_spelled(name).removesuffix("s") if len(name) > 2 else _spelled(name): f for f, name in SCALES[unit]}
    return scales | _ALSO.get(unit, {})


def _factor(text: str, unit: str) -> float | None:
    """What a typed unit stands for in the SI unit, nothing where it isn't one of its scales."""
    known, name = _table(unit), re.sub(r"\s*(?:/|\bper\b)\s*", "/", _spelled(text).strip(" ."))
    if unit == "B":
        name = re.sub(r"/tok(en)?$", "", name)
    name = re.sub(r"s(?=/|$)", "", name) if len(name) > 2 and not name.endswith("/s") else name
    if name.endswith("/s"):
        name = re.sub(r"s(?=/s$)", "", name)
    if name in known:
        return known[name]
    times, _, rest = name.partition(" ") if " " in name else (name, "", "")
    if times in _TIMES and (not rest or rest in known):
        return _TIMES[times] * (known[rest] if rest else 1.0)
    return None


_EXPONENT = r"(?:e\s*([+-]?\d{1,3})|\s*[x×*·]\s*10\s*\^?\s*\(?([+-]?\d{1,3})\)?)"
_ANSWER = re.compile(
    rf"([+-]?[\d.,'’]*\d[\d.,'’]*(?: \d{{3}}(?=[ .,]|\D|$)[.,\d]*)*)(?:{_EXPONENT})?\s*(.*)", re.DOTALL
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def read(text: str, unit: str, scale: str) -> Answer:
    """Read an answer in ``unit`` (a key of units.SCALES); a bare number is taken in ``scale``.

    >>> [read(t, "s", "ms").values for t in ("4.8 ms", "4,8", "0.0048 s", "4.8e-3s", "4 800 µs", "4.8×10^-3 s")]
    [(0.0048,), (0.0048,), (0.0048,), (0.0048,), (0.0048,), (0.0048,)]
    >>> read("1,164", "tokens/s", "tokens/s")
    Answer(values=(1164.0, 1.164), unit='', digits=4)
    """
    match = _parts(text)
    mantissas = readings(match[1]) if match else ()
    if match is None or not mantissas:
        raise LessonError(f"“{text.strip()}” isn't a number that could be read. A number is needed, such as 12.5.")
    power, typed = int(match[2] or match[3] or 0), match[4].strip()
    factor = _asked(typed, unit, scale)
    values = tuple(m * factor * 10.0**power if abs(power) < 300 else math.inf for m in mantissas)
    if not all(map(math.isfinite, values)):
        raise LessonError(f"“{text.strip()}” is too large a number.")
    return Answer(values, typed, len(re.sub(r"\D", "", match[1]).lstrip("0")))


def read_one(text: str, unit: str, scale: str, most: float = math.inf) -> float:
    """Read what must be one number, up to ``most``: LessonError asks where it can be read in two ways.

    >>> read_one("1,164", "tokens/s", "tokens/s"), read_one("1.164 s", "s", "ms", most=600)
    (1164.0, 1.164)
    """
    value = read(text, unit, scale).values[0]
    match = _parts(text)
    assert match
    if match[2] is None and match[3] is None:
        ask_if_ambiguous(match[1], most, _asked(match[4].strip(), unit, scale))
    return value


def _parts(text: str) -> re.Match[str] | None:
    """Digits, power of ten, and unit."""
    if len(text) > LONGEST:
        raise LessonError(f"An answer has at most {LONGEST} characters, but this one has {len(text):,}.")
    said = re.sub(r"\s+", " ", text.translate(_RAISED).replace("−", "-")).strip(" ~≈=<>≤≥.")
    if not said:
        raise LessonError("Type a number first. If you have no idea, look at the worked solution.")
    return _ANSWER.fullmatch(said)


def _asked(typed: str, unit: str, scale: str) -> float:
    """The factor of the typed unit; LessonError says what is wrong with it."""
    if not typed:
        return next(factor for factor, name in SCALES[unit] if name == scale)
    factor = _factor(typed, unit)
    if factor is not None:
        bare = _factor(typed, "") if unit else None
        return factor if bare is None else bare * next(f for f, name in SCALES[unit] if name == scale)
    wanted = f"{_MEASURES.get(unit, 'a number')} is asked for, in {scale}" if scale else "a plain number is asked for"
    for other, measure in _MEASURES.items():
        if other != unit and other and _factor(typed, other) is not None:
            raise LessonError(f"“{typed}” is the unit of {measure}, but {wanted}.")
    raise LessonError(f"“{typed}” is no unit that is known here; {wanted}.")
