"""How long requests are: prompt tokens and answer tokens of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, repeat
from math import sqrt
from random import Random

from lessoncore.errors import LessonError
from lessoncore.serving.checks import number, whole
from lessoncore.serving.draws import exponential, natural_log, normal

LONGEST_PROMPT = 131_072
LONGEST_OUTPUT = 16_384
type Pair = tuple[int, int]


def check_pair(prompt: object, output: object, where: str = "") -> Pair:
    """Return a request's lengths if they are possible, else say what is wrong with them, and ``where``."""
    return (
        whole(f"{where}prompt tokens", prompt, 1, LONGEST_PROMPT),
        whole(f"{where}output tokens", output, 1, LONGEST_OUTPUT),
    )


@dataclass(frozen=True, slots=True)
class Fixed:
    """All requests alike."""

    prompt: int
    output: int

    def __post_init__(self) -> None:
        """Refuse lengths that can't be."""
        check_pair(self.prompt, self.output)

    def draws(self, random: Random) -> Iterator[Pair]:
        """The same for each."""
        return repeat((self.prompt, self.output))


@dataclass(frozen=True, slots=True)
class LogNormal:
    """Many short requests and a few long ones, prompts and answers independent of each other.

    ``prompt`` and ``output`` are the means (tokens) before the longest are cut at ``longest_prompt`` and
    ``longest_output``; the variations are deviation divided by mean. ln(length) is normal with
    σ² = ln(1 + v²) and μ = ln(mean) − σ²/2.

    >>> pairs(LogNormal(prompt=2000, output=500), 3, Random(1))
    [(2846, 282), (2346, 965), (994, 245)]
    """

    prompt: float
    output: float
    prompt_variation: float = 1.0
    output_variation: float = 1.0
    longest_prompt: int = LONGEST_PROMPT
    longest_output: int = LONGEST_OUTPUT

    def __post_init__(self) -> None:
        """Refuse what no lengths can have."""
        for mean in (self.prompt, self.output):
            number("Mean length, in tokens", mean, 1, LONGEST_PROMPT)
        for variation in (self.prompt_variation, self.output_variation):
            number("Variation of lengths", variation, 0, 10)
        check_pair(self.longest_prompt, self.longest_output, "longest ")

    def draws(self, random: Random) -> Iterator[Pair]:
        """Draw the lengths of one request after the other."""
        of_prompt = _normal_of(self.prompt, self.prompt_variation)
        of_output = _normal_of(self.output, self.output_variation)
        while True:
            yield _draw(*of_prompt, self.longest_prompt, random), _draw(*of_output, self.longest_output, random)


def _normal_of(mean: float, variation: float) -> tuple[float, float]:
    """Mean and deviation of the logarithm."""
    square = natural_log(1 + variation * variation)
    return natural_log(mean) - square / 2, sqrt(square)


def _draw(mean: float, deviation: float, most: int, random: Random) -> int:
    return min(most, max(1, round(exponential(mean + deviation * normal(random)))))


@dataclass(frozen=True, slots=True)
class Empirical:
    """Lengths as they were seen: each request draws one of ``seen``, a prompt and its answer together."""

    seen: tuple[Pair, ...]

    def __post_init__(self) -> None:
        """Refuse lengths that can't be."""
        if not self.seen:
            raise LessonError("Lengths as seen: at least one pair of prompt and output tokens is needed.")
        for place, pair in enumerate(self.seen, 1):
            check_pair(*pair, where=f"pair {place}, ")

    def draws(self, random: Random) -> Iterator[Pair]:
        """Draw with replacement."""
        while True:
            yield self.seen[int(random.random() * len(self.seen))]


@dataclass(frozen=True, slots=True)
class Listed:
    """The lengths of a trace, in its order."""

    listed: tuple[Pair, ...]

    def draws(self, random: Random) -> Iterator[Pair]:
        """One after the other."""
        return iter(self.listed)


type Lengths = Fixed | LogNormal | Empirical | Listed


def pairs(lengths: Lengths, count: int, random: Random) -> list[Pair]:
    """The lengths of ``count`` requests; of a trace, at most those that it has."""
    return list(islice(lengths.draws(random), count))
