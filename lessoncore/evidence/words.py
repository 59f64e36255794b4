"""A measurement in words: what was measured on what, and how far off a prediction is."""

import re
from urllib.parse import urlencode

from lessoncore import catalogue
from lessoncore.evidence.chosen import row_named
from lessoncore.evidence.quantities import Measure, measure
from lessoncore.evidence.rows import Row
from lessoncore.evidence.said import percent
from lessoncore.evidence.sets import error
from lessoncore.evidence.subjects import gpu
from lessoncore.precision import PRECISIONS, Precision
from lessoncore.scenario import Scenario
from lessoncore.units import show

_SPELLED = {"codellama": "Code Llama", "mpt": "MPT"}


def model_name(row: Row) -> str:
    """The model as its makers spell it.

    >>> from lessoncore.evidence.rows import rows
    >>> model_name(rows()[0])
    'Llama 2 7B'
    """
    family, *rest = row.fields["model"].split()[0].split("-")
    return " ".join([_SPELLED.get(family, family.capitalize()), *(part.upper().replace("X", "x") for part in rest)])


def set_up(row: Row) -> str:
    """Model, format and GPUs.

    >>> from lessoncore.evidence.rows import rows
    >>> set_up(rows()[0])
    'Llama 2 7B bf16, A100 80 GB SXM'
    """
    n = int(row.fields["n_gpus"])
    count = f"{n} × " if n > 1 else ""
    return f"{model_name(row)} {row.fields['weight_dtype'].removeprefix('amp_')}, {count}{gpu(row.fields['gpu']).label}"


def engine(row: Row) -> str:
    """The engine's name in short."""
    return row.fields["engine"].partition(" (")[0]


def amount(value: float, of: Measure) -> str:
    """A value of a quantity."""
    return str(show(value, of.unit))


def off(error: float, of: Measure) -> str:
    """How far a prediction is off, in words. Errors are of the time (or the bytes), also where a rate was measured.

    >>> from lessoncore.evidence.quantities import MEASURES
        >>> off(0.031, MEASURES["ttft"]), off(-0.25, MEASURES["throughput"]), off(0.0001, MEASURES["ttft"])
        ('3.1% too slow', '25% too fast', 'exact')
    """
    if abs(error) < 0.0005:
        return "exact"
    more, less = ("too slow", "too fast") if of.rate else (of.more, of.less)
    far = percent(abs(error)) if error < 1 else f"{1 + error:.2g} times"
    return f"{far} {more if error > 0 else less}"


def off_of(key: str, by: str) -> str:
    """How far off one of sets.SETS is on the row with this id, in words.

    >>> off_of("TR052", "calibrated")
    '61% too fast'
    """
    row = row_named(key)
    return off(error(row, by), measure(row))


def source(row: Row) -> tuple[str, str]:
    """Where it was published: an address, and the words for it."""
    text = row.fields["source"]
    address = re.match(r"https://\S+", text)
    assert address
    rest = text[address.end() :].strip()
    name = re.sub(r"^https://(?:github\.com/)?", "", address[0])
    project = "/".join(name.split("/")[:2]) if "github.com" in address[0] else name.split("/")[0]
    joiner = " " if rest.startswith("(") else ", "
    return address[0], f"{project}{joiner + rest if rest else ''}"


def in_playground(row: Row, assumptions: str) -> tuple[str, str]:
    """The query of the playground's address for a row's conditions, and what is different there, in words.

    Without a query the words say why there is none.
    """
    if row.is_training:
        return "", "The playground serves models; it doesn’t train them."
    if row.effects[0].startswith("queue"):
        return "", (
            "The playground has no queue. Step 15 simulates one, but it can’t be set to this GPU, to these lengths and "
            "to what is assumed of this engine; so there is nothing to open."
        )
    scenario = row.asked(assumptions)
    if scenario.architecture.key not in catalogue.keys("models"):
        return "", f"{model_name(row)} isn’t in the lesson’s catalogue, so the playground can’t show it."
    if scenario.hardware.key not in catalogue.keys("gpus"):
        return "", f"The {scenario.hardware.label} isn’t in the lesson’s catalogue, so the playground can’t show it."
    notes = []
    weights, nearest = scenario.weights, ""
    if isinstance(weights, Precision):
        near = min(PRECISIONS.values(), key=lambda p: abs(p.bytes - weights.bytes))
        nearest = near.key
        notes.append(f"{near.label} ({near.bytes * 8:.3g} bits) in place of {weights.label} ({weights.bits:.2g} bits)")
    label = catalogue.label("models", scenario.architecture.key)
    if label != model_name(row):
        notes.append(f"{label}, which has the same shape")
    query = {
        "gpu": scenario.hardware.key,
        "model": scenario.architecture.key,
        "gpus": scenario.gpus,
        "weights": nearest or weights,
        **{key: getattr(scenario, key) for key in ("maths", "kv", "prompt", "output", "batch")},
        "assumptions": assumptions,
    }
    own = Scenario()
    asked = {key: value for key, value in query.items() if key in ("gpu", "model") or value != getattr(own, key)}
    return urlencode(asked | {"measured": row.id}), f"There with {' and '.join(notes)}." if notes else ""
