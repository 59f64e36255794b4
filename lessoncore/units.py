"""Units: SI inside, readable outside.

Inside lessoncore a time is in seconds, a size in bytes, work in FLOP, a rate in the same per second. This
module turns such a number into the text a reader sees, and the reader's text back into a number.
"""

import math
import re

from lessoncore.errors import LessonError, TwoReadings
from lessoncore.record import Record

GB = 1e9
GIB = 2**30
MIB = 2**20
JOINER = "\N{NO-BREAK SPACE}"

# Unit -> its scales, largest first: (factor, name). The last one also takes anything smaller.
SCALES: dict[str, tuple[tuple[float, str], ...]] = {
    "s": ((3600.0, "h"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs")),
    "B": ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")),
    "GiB": ((1.0, "GiB"),),
    "B/s": ((1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1.0, "B/s")),
    "FLOP": (
        (1e18, "EFLOP"),
        (1e15, "PFLOP"),
        (1e12, "TFLOP"),
        (1e9, "GFLOP"),
        (1e6, "MFLOP"),
        (1.0, "FLOP"),
    ),
    "FLOP/s": ((1e15, "PFLOP/s"), (1e12, "TFLOP/s"), (1e9, "GFLOP/s"), (1.0, "FLOP/s")),
    "FLOP/token": ((1e12, "TFLOP/token"), (1e9, "GFLOP/token"), (1.0, "FLOP/token")),
    "B/token": ((1e6, "MB/token"), (1e3, "kB/token"), (1.0, "B/token")),
    "parameters": ((1e9, "billion"), (1e6, "million"), (1.0, "")),
    "share": ((0.01, "%"),),
    "FLOP/B": ((1.0, "FLOP/B"),),
    "tokens": ((1.0, "tokens"),),
    "tokens/s": ((1.0, "tokens/s"),),
    "tokens/J": ((1.0, "tokens/J"),),
    "requests/s": ((1.0, "requests/s"),),
    "J": ((1e6, "MJ"), (1e3, "kJ"), (1.0, "J"), (1e-3, "mJ")),
    "W": ((1e6, "MW"), (1e3, "kW"), (1.0, "W")),
    "USD": ((1e6, "million USD"), (1.0, "USD")),
    "USD/h": ((1.0, "USD/h"),),
    "GPU-h": ((1e6, "million GPU-h"), (1.0, "GPU-h")),
    "": ((1.0, ""),),
}
# Times and sizes keep one decimal up to 1,000 (115.3 ms, 141.1 GB); other units are whole from 100 on.
_ALWAYS_A_DECIMAL = {"s", "B", "GiB", "FLOP", "FLOP/s"}
# Larger work is written as a power of ten, as papers do: few readers know a zettaFLOP.
_POWERS_FROM = 1e21
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
# A scale is used from this many of it on: 900 s stays in seconds, 7,200 s becomes 2 h.
_STAYS_BELOW = {"h": 1.0, "TB": 10.0, "PFLOP/s": 10.0}


class Shown(Record):
    """A number as a reader sees it: digits and unit apart, so that a view can set the unit smaller."""

    number: str
    unit: str

    def __str__(self) -> str:
        joiner = "" if self.unit in ("", "%") else JOINER
        return f"{self.number}{joiner}{self.unit}"


def show(value: float, unit: str, digits: int = 3, scale: str | None = None) -> Shown:
    """Give ``value`` (in the SI unit ``unit``) with about ``digits`` significant digits and a fitting scale.

    ``scale`` forces one of the unit's scales, such as ``"ms"``. Raises LessonError for an unknown unit or
    scale and for a value that isn't finite: a page never shows NaN or infinity.

    >>> str(show(0.05588, "s")), str(show(0.006103, "s")), str(show(0.1153, "s")), str(show(3.1075, "s"))
    ('55.9\\xa0ms', '6.10\\xa0ms', '115.3\\xa0ms', '3.11\\xa0s')
    >>> str(show(16.06e9, "B", digits=4)), str(show(0.982, "share")), str(show(295.34, "FLOP/B"))
    ('16.06\\xa0GB', '98%', '295\\xa0FLOP/B')
    >>> str(show(0.9999999, "s")), str(show(1.318, "s", scale="ms"))
    ('1.00\\xa0s', '1,318\\xa0ms')
    >>> str(show(7.23e23, "FLOP", digits=2))
    '7.2\\xa0×\\xa010²³\\xa0FLOP'
    """
    if unit not in SCALES:
        raise LessonError(f"unknown unit '{unit}'. Known: {', '.join(SCALES)}.")
    if not math.isfinite(value):
        raise LessonError(f"a value in {unit or 'plain numbers'} must be finite, but is {value}.")
    if value == 0:
        return Shown("0", _scales(unit, scale)[-1][1] if scale or unit == "share" else unit)
    if unit == "share":  # 98%, but 99.7% rather than a false 100%
        if 0.9995 <= value < 1:
            return Shown(">99.9", "%")
        digits = 3 if 0.995 <= value < 1 else 2
    if unit == "FLOP" and scale is None and abs(value) >= _POWERS_FROM:
        return Shown(_power_of_ten(value, digits), "FLOP")
    for factor, name in _scales(unit, scale):
        number = value / factor
        counted = factor == 1.0 and unit != "s" and number == int(number)
        text = whole(number) if counted else _digits(number, digits, unit in _ALWAYS_A_DECIMAL)
        # Decided on the rounded text, so that 0.9999999 s is "1.00 s" and never "1,000.0 ms".
        if abs(float(text.replace(",", ""))) >= _STAYS_BELOW.get(name, 1.0):
            return Shown(text, name)
    return Shown(text, name)


def _power_of_ten(value: float, digits: int) -> str:
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    return f"{mantissa}\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}10{str(int(exponent)).translate(_RAISED)}"


def _scales(unit: str, scale: str | None) -> tuple[tuple[float, str], ...]:
    if scale is None:
        return SCALES[unit]
    found = tuple(pair for pair in SCALES[unit] if pair[1] == scale)
    if not found:
        raise LessonError(f"'{scale}' is no scale of {unit}. Known: {', '.join(n for _, n in SCALES[unit])}.")
    return found


def _digits(number: float, digits: int, a_decimal: bool) -> str:
    if number == 0:
        return "0"
    size = math.floor(math.log10(abs(number)))
    decimals = max(0, digits - 1 - size)
    if size < 0:
        decimals = min(decimals, 1 - size)  # two significant digits are enough below one: 0.54
    elif a_decimal and size < 3 and digits >= 3:
        decimals = max(1, decimals)
    return f"{number:,.{decimals}f}"


def whole(value: float) -> str:
    """Give a count with separated thousands.

    >>> whole(128000)
    '128,000'
    """
    return f"{value:,.0f}"


# Digits with separators, an exponent, a "k".
_NUMBER = re.compile(r"([+-]?[\d.,'’\s]*\d[\d.,'’\s]*?)(e[+-]?\d{1,3})?\s*(k?)", re.IGNORECASE)
_BY_SPACES = re.compile(r"\d{1,3}(?:[\s'’]\d{3})+(?:[.,]\d+)?")
_POINT_OF_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")


def readings(digits: str) -> tuple[float, ...]:
    """The numbers that digits with separators may stand for, the likeliest first; none where they make no sense.

    >>> readings("4,8"), readings("1,164"), readings("16 060.5"), readings("1.234,5"), readings("4 0")
    ((4.8,), (1164.0, 1.164), (16060.5,), (1234.5,), ())
    """
    bare = digits.strip().rstrip(",")
    sign, bare = (-1.0, bare[1:]) if bare[:1] == "-" else (1.0, bare.removeprefix("+"))
    if re.search(r"[\s'’]", bare):
        if not _BY_SPACES.fullmatch(bare):
            return ()
        read = [re.sub(r"[\s'’]", "", bare).replace(",", ".")]
    else:
        read = _separated(bare)
    return tuple(sign * float(r) for r in read if re.fullmatch(r"(?=.*\d)\d*\.?\d*", r))


def _separated(digits: str) -> list[str]:
    """Digits with commas and points, as Python writes what they may stand for."""
    commas, points = digits.count(","), digits.count(".")
    if commas and points:
        thousands, decimal = (".", ",") if digits.rfind(",") > digits.rfind(".") else (",", ".")
        whole, _, rest = digits.rpartition(decimal)
        plain = decimal not in whole and _grouped(whole, thousands) and rest.isdecimal()
        return [f"{whole.replace(thousands, '')}.{rest}"] if plain else []
    if commas > 1 or points > 1:
        mark = "," if commas else "."
        return [digits.replace(mark, "")] if _grouped(digits, mark) else []
    if commas and _grouped(digits, ",") and not digits.startswith("0"):
        return [digits.replace(",", ""), digits.replace(",", ".")]
    return [digits.replace(",", ".")]


def _grouped(digits: str, mark: str) -> bool:
    """Whether marks stand where thousands end."""
    return bool(re.fullmatch(rf"\d{{1,3}}(?:{re.escape(mark)}\d{{3}})*", digits))


def ask_if_ambiguous(digits: str, most: float = math.inf, times: float = 1.0) -> None:
    """Raise TwoReadings for "12.000", which is twelve for some and twelve thousand for others.

    Nothing is asked where the number would be beyond ``most`` with a point for thousands; ``times`` is what it is
    multiplied by.

    >>> ask_if_ambiguous("12.500", most=100)
    >>> ask_if_ambiguous("12.500")
    Traceback (most recent call last):
    lessoncore.errors.TwoReadings: '12.500' can be 12.5 or 12,500; please write it as one of these.
    """
    bare = digits.strip()
    if _POINT_OF_THOUSANDS.fullmatch(bare) and abs(float(bare)) * 1000 * times <= most:
        small, large = float(bare), float(bare.replace(".", ""))
        raise TwoReadings(f"'{bare}' can be {small:g} or {large:,.0f}; please write it as one of these.")


def parse_number(text: str, most: float = 0.0) -> float:
    """Read a number as people type it: ``0.5``, ``0,5``, ``4,000``, ``4 000``, ``4k``, ``1e3``.

    A comma before three digits separates thousands, else it is a decimal point. A point before three digits is one
    too, unless the number could be meant in thousands, which ``most`` is the largest of: then TwoReadings asks.

    >>> parse_number("4,000"), parse_number(" 4k "), parse_number("1,99"), parse_number("2.000", 100)
    (4000.0, 4000.0, 1.99, 2.0)
    """
    given = text[:40].strip()
    match = _NUMBER.fullmatch(given)
    found = readings(match[1]) if match else ()
    if match and found:
        times = 1000 if match[3] else 1
        if not match[2]:
            ask_if_ambiguous(match[1], most, times)
        number = found[0] * times * float(f"1{match[2] or 'e0'}")
        if math.isfinite(number):
            return float(f"{number:.15g}")  # 3e-1 is 0.3
    raise LessonError(f"'{given}' isn't a number; a number is needed, such as 4000.")


def parse_whole(text: str) -> int:
    """Read a whole number as people type it.

    >>> parse_whole("4,000"), parse_whole(" 4k "), parse_whole("4000.0"), parse_whole("1,5k")
    (4000, 4000, 4000, 1500)
    >>> parse_whole("2,5")
    Traceback (most recent call last):
    lessoncore.errors.LessonError: '2,5' isn't a whole number but 2.5; a whole number is needed, such as 4000.
    """
    number, given = parse_number(text, math.inf), text[:40].strip()
    if number != int(number) or re.fullmatch(r"[+-]?\d+,\d{1,2}", given):  # 4,00 may lack a nought
        read = f" but {number:,.12g}" if "," in given else ""
        raise LessonError(f"'{given}' isn't a whole number{read}; a whole number is needed, such as 4000.")
    return int(number)
