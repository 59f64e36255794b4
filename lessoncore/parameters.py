"""The parameters of a scenario: one declaration each, for controls, addresses, authors and scripts alike."""

from collections.abc import Callable

from lessoncore import catalogue
from lessoncore.assumptions import ASSUMPTIONS
from lessoncore.errors import LessonError, unknown
from lessoncore.precision import PRECISIONS
from lessoncore.record import Record
from lessoncore.units import parse_number, parse_whole, whole


def _given(value: float) -> str:
    """The number that was given, for a message; a monstrous one only roughly."""
    return f"{value:,}" if abs(value) < 10**12 else f"{float(value):.3g}"


def _bound(value: float) -> str:
    """An end of a range, for a message."""
    return whole(value) if value == int(value) else f"{value:g}"


class Count(Record):
    """A number within a range: whole, or with ``decimals``; ``stops`` are the positions of its slider."""

    key: str
    label: str
    unit: str
    low: float
    high: float
    stops: tuple[float, ...]
    help: str
    decimals: int = 0

    @property
    def _what(self) -> str:
        return "a number" if self.decimals else "a whole number"

    def check(self, value: object) -> float:
        """Return ``value`` if it is allowed, else raise LessonError."""
        if isinstance(value, bool) or not isinstance(value, (int, float) if self.decimals else int):
            raise LessonError(f"{self.label}: {self._what} is needed, but {value!r} was given.")
        if not self.low <= value <= self.high:
            raise LessonError(
                f"{self.label}: {_bound(self.low)} to {_bound(self.high)} is possible, but {_given(value)} was given."
            )
        return value

    def parse(self, text: str) -> float:
        """Read what a reader typed or an address carries."""
        try:
            value = parse_number(text) if self.decimals else parse_whole(text)
        except LessonError as error:
            raise LessonError(f"{self.label}: {error} Possible: {self.allowed()}.") from None
        return self.check(value)

    def position(self, value: float) -> int:
        """Index of the slider's stop nearest to ``value``."""
        return min(range(len(self.stops)), key=lambda i: abs(self.stops[i] - value))

    def text(self, value: float) -> str:
        """The value as a reader sees it.

        >>> PARAMETERS["prompt"].text(4000), PARAMETERS["price"].text(2.5)
        ('4,000', '2.50')
        """
        return f"{value:,.{self.decimals}f}"

    def allowed(self) -> str:
        """What may be given, for a message."""
        return f"{self._what} from {_bound(self.low)} to {_bound(self.high)}"

    def example(self) -> str:
        """A value that is allowed, for a message."""
        return str(self.stops[len(self.stops) // 2])


class Choice(Record):
    """One of a few names."""

    key: str
    label: str
    options: Callable[[], list[str]]
    option_label: Callable[[str], str]
    help: str

    def check(self, value: object) -> str:
        """Return ``value`` if it is one of the options, else raise LessonError."""
        if not isinstance(value, str) or value not in self.options():
            raise unknown(self.label, value, self.options())
        return value

    def parse(self, text: str) -> str:
        """Read what an address carries."""
        return self.check(text.strip())

    def text(self, value: str) -> str:
        """The option as a reader sees it."""
        return self.option_label(value)

    def allowed(self) -> str:
        """What may be given, for a message."""
        return f"one of {', '.join(self.options())}"

    def example(self) -> str:
        """A value that is allowed, for a message."""
        return self.options()[0]


class Pasted(Record):
    """A config.json as text, which gives the model; empty for none. Its value is the text cut down to what matters."""

    key: str
    label: str
    help: str

    def check(self, value: object) -> str:
        """Return the shortened text if a model can be read from it, else raise LessonError."""
        if not isinstance(value, str):
            raise LessonError(f"{self.label}: text is needed, but {type(value).__name__} was given.")
        if not value.strip():
            return ""
        from lessoncore.pasted import shortened

        return shortened(value)

    def parse(self, text: str) -> str:
        """Read what a reader pasted or an address carries."""
        return self.check(text)

    def text(self, value: str) -> str:
        """What was read, in a few words."""
        if not value:
            return "none"
        from lessoncore.pasted import about

        return about(value)

    def allowed(self) -> str:
        """What may be given, for a message."""
        return "the text of a config.json from Hugging Face, or nothing"

    def example(self) -> str:
        """A value that is allowed, for a message."""
        return '""'


def _one_two_five(low: int, high: int) -> tuple[int, ...]:
    """Slider stops that feel even on a range of many decades: about twenty to a decade, on round numbers.

    >>> [n for n in _one_two_five(1, 131072) if 1900 <= n <= 4000]
    [1900, 2000, 2100, 2200, 2300, 2400, 2500, 2600, 2800, 3000, 3200, 3400, 3600, 3800, 4000]
    """
    stops: list[int] = []
    n = low
    while n < high:
        stops.append(n)
        digit = 10 ** max(0, len(str(n)) - 2)
        tens = n // digit
        n += digit * (1 if tens < 26 else 2 if tens < 50 else 5)
    return (*stops, high)


_precision_label = lambda key: PRECISIONS[key].label if key in PRECISIONS else "as its checkpoint"  # noqa: E731
# A slider of a price: every 10 cents at first, then every 50, every 2 dollars.
_PRICES = tuple(cents / 100 for cents in (*range(0, 300, 10), *range(300, 1000, 50), *range(1000, 5001, 200), 10_000))
# A slider of a load: fine where one GPU stands.
_RATES = (
    *(0.1, 0.2, 0.5),
    *(half / 2 for half in range(2, 21)),
    *(float(n) for n in (*range(11, 21), 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 1000)),
)

PARAMETERS: dict[str, Count | Choice | Pasted] = {
    p.key: p
    for p in (
        Choice(
            "gpu",
            "GPU",
            lambda: catalogue.keys("gpus"),
            lambda key: catalogue.label("gpus", key),
            "The accelerator that serves the request.",
        ),
        Choice(
            "model",
            "Model",
            lambda: catalogue.keys("models"),
            lambda key: catalogue.label("models", key),
            "The language model that is served.",
        ),
        Pasted("config", "config.json", "The text of a model's config.json, which is served instead of the model."),
        Count(
            "gpus",
            "GPUs",
            "",
            1,
            64,
            (1, 2, 4, 8, 16, 32, 64),
            "GPUs that share one copy of the model: no more than their link joins.",
        ),
        Choice(
            "weights",
            "Weights",
            lambda: [*PRECISIONS, "stored"],
            _precision_label,
            "Number format of the weights in memory.",
        ),
        Choice(
            "maths",
            "Maths",
            lambda: ["bf16", "fp8", "int8", "fp4"],
            _precision_label,
            "Number format of the matrix products.",
        ),
        Choice("kv", "KV cache", lambda: ["bf16", "fp8"], _precision_label, "Number format of the KV cache."),
        Count(
            "prompt",
            "Prompt tokens",
            "tokens",
            1,
            131_072,
            _one_two_five(1, 131_072),
            "Tokens that go in.",
        ),
        Count(
            "cached",
            "Cached prefix",
            "tokens",
            0,
            131_071,
            (0, *_one_two_five(1, 131_071)),
            "Tokens at the start of the prompt whose keys and values are in the cache already.",
        ),
        Count(
            "output",
            "Answer tokens",
            "tokens",
            1,
            16_384,
            _one_two_five(1, 16_384),
            "Tokens that come out.",
        ),
        Count(
            "batch",
            "Requests at once",
            "requests",
            1,
            4_096,
            _one_two_five(1, 4_096),
            "Requests that are decoded together.",
        ),
        Count(
            "replicas",
            "Copies of the model",
            "copies",
            1,
            1_024,
            (*range(1, 11), 12, 14, 16, 20, 24, 32, 48, 64, 96, 128, 256, 512, 1_024),
            "Copies of all of the above.",
        ),
        Count(
            "rate",
            "Requests a second",
            "requests/s",
            0.1,
            1_000,
            _RATES,
            "Requests that arrive in a second, for all copies together.",
            decimals=1,
        ),
        Count(
            "price",
            "Price of a GPU hour",
            "USD",
            0,
            100,
            _PRICES,
            "US dollars for one GPU and hour; 0 stands for the middle of the catalogue's range.",
            decimals=2,
        ),
        Choice(
            "assumptions",
            "Assumptions",
            lambda: list(ASSUMPTIONS),
            lambda key: ASSUMPTIONS[key].label,
            "How close software comes to the hardware's limits: the lesson's round numbers, or fitted to measurements.",
        ),
    )
}


def parameter(key: object) -> Count | Choice | Pasted:
    """Find a parameter by its key."""
    if not isinstance(key, str) or key not in PARAMETERS:
        raise unknown("parameter", key, list(PARAMETERS))
    return PARAMETERS[key]
