"""What the drills share: the GPUs, models and formats that they ask about, and how they say so."""

from lessoncore.estimate import Estimate, estimate
from lessoncore.formula import Quantity
from lessoncore.scenario import Scenario
from lessoncore.units import JOINER, show

GPUS = (
    "h100-sxm",
    "h100-nvl",
    "h200-sxm",
    "b200-sxm",
    "a100-80gb-sxm",
    "a100-40gb-sxm",
    "l40s",
    "l4",
    "rtx-4090",
    "rtx-5090",
    "mi300x",
    "mi325x",
)
# Those whose GPUs have a link among them: a model can be shared.
LINKED_GPUS = ("h100-sxm", "h200-sxm", "b200-sxm", "a100-80gb-sxm", "a100-40gb-sxm", "l40s", "mi300x")
# Dense models whose layers all attend alike: the plain formulas hold exactly.
MODELS = (
    "llama-3.1-8b",
    "llama-3.1-70b",
    "llama-3.2-1b",
    "llama-3.2-3b",
    "qwen2.5-7b",
    "qwen2.5-72b",
    "qwen3-8b",
    "qwen3-32b",
    "mistral-7b-v0.3",
    "phi-4",
)
FORMATS = ("bf16", "fp8", "int4")


def of(**values: object) -> Estimate:
    """The estimate that a question is about."""
    return estimate(Scenario(**values))  # type: ignore[arg-type]


def told(q: Quantity, scale: str | None = None) -> str:
    """A number that the question tells, with four digits but no trailing zeros.

    >>> told(given(4.8e12, "bandwidth")).replace(JOINER, " "), told(given(2e9, "bandwidth")).replace(JOINER, " ")
    ('4.8 TB/s', '2 GB/s')
    """
    shown = show(q.value, q.meaning.unit, 4, scale)
    number = shown.number.rstrip("0").removesuffix(".") if "." in shown.number else shown.number
    return f"{number}{JOINER}{shown.unit}"


def given(value: float, symbol: str) -> Quantity:
    """A number that the question itself gives."""
    return Quantity(value, symbol, "the question")


def parameters(e: Estimate) -> tuple[str, str]:
    """The model's size, as a given."""
    return "Parameters", str(show(e.scenario.architecture.parameters.total, "parameters", 4))


def bits(e: Estimate) -> str:
    """How wide a weight is, for a hint.

    >>> bits(of(weights="int4")).replace(JOINER, " ")
    'a weight in int4 has 4 bits, half a byte'
    """
    form = e.scenario.weight_format("mlp")
    size = {0.5: "half a byte", 1: "one byte", 2: "two bytes"}.get(form.bytes, f"{form.bytes:g} bytes")
    return f"a weight in {form.label} has {form.bits:g}{JOINER}bits, {size}"
