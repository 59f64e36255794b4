"""Random numbers that are the same everywhere: in CPython on any machine, and in the browser.

The generator itself (Mersenne Twister) is. The logarithms and exponentials of the C library aren't, to the last
bit, so the two here use nothing but exact steps and the four operations, which IEEE 754 defines to the bit.
"""

from math import frexp, ldexp, sqrt
from random import Random

_LN2 = 0.6931471805599453
_ROOT_HALF = 0.7071067811865476


def natural_log(x: float) -> float:
    """Natural logarithm of ``x`` > 0, correct to about 15 digits.

    x = m · 2^e with m between √½ and √2, and ln m = 2 (f + f³/3 + f⁵/5 + …) with f = (m − 1)/(m + 1).

    >>> natural_log(1.0), round(natural_log(10.0), 12)
    (0.0, 2.302585092994)
    """
    m, e = frexp(x)
    if m < _ROOT_HALF:
        m, e = 2 * m, e - 1
    f = (m - 1) / (m + 1)
    s = f * f
    series = 1 / 21
    for odd in (19, 17, 15, 13, 11, 9, 7, 5, 3, 1):
        series = series * s + 1 / odd
    return e * _LN2 + 2 * f * series


def exponential(x: float) -> float:
    """Compute e to the power of ``x``, correct to about 15 digits, for |x| < 700.

    x = k · ln 2 + r with |r| ≤ ln 2 / 2, and e^r = 1 + r (1 + r/2 (1 + r/3 (…))).

    >>> exponential(0.0), round(exponential(1.0), 12)
    (1.0, 2.718281828459)
    """
    k = round(x / _LN2)
    r = x - k * _LN2
    series = 1.0
    for n in range(16, 0, -1):
        series = 1 + r * series / n
    return ldexp(series, k)


def waiting_time(random: Random) -> float:
    """Draw from the exponential distribution with mean 1."""
    return -natural_log(1 - random.random())


def normal(random: Random) -> float:
    """Draw from the normal distribution with mean 0 and deviation 1 (Marsaglia's polar method, one of its two)."""
    while True:
        x, y = 2 * random.random() - 1, 2 * random.random() - 1
        s = x * x + y * y
        if 0 < s < 1:
            return x * sqrt(-2 * natural_log(s) / s)
