"""The error to expect: which measurements are like a case, and how far off the model is on them."""

from collections.abc import Callable
from dataclasses import dataclass

from lessoncore.architecture import Parameters
from lessoncore.assumptions import Assumptions, assumptions
from lessoncore.evidence.accuracy import Accuracy, accuracy_of
from lessoncore.evidence.effects import EFFECTS, Effect
from lessoncore.evidence.rows import Row, rows_of
from lessoncore.figures import figure
from lessoncore.precision import precision
from lessoncore.scenario import Scenario

# From here on a prompt counts as a long one, and a context too; a model below this size is a small one.
_LONG_PROMPT = 512
_LONG_CONTEXT = 4096
_SMALL_PARAMETERS = 1e9
# A tenth above or below what was measured isn't worth a word.
_NEAR = 1.1


@dataclass(frozen=True, slots=True)
class Expected:
    """The error to expect of a figure: what the case falls under, and how far off the model is there.

    ``beyond`` says in words, one a respect, where the case lies outside of what was measured; the error may then be
    larger.
    """

    effect: Effect
    accuracy: Accuracy
    assumptions: Assumptions
    beyond: tuple[str, ...]


def expected_error(scenario: Scenario, of: str, by: Assumptions | None = None) -> Expected | None:
    """The error to expect of the figure ``of``; None for a figure that no measurement is about, such as memory.

    Without ``by`` it is that of the scenario's own assumptions. Where a case falls under several effects, such as
    quantised weights on two GPUs, the one with the largest error counts.

    >>> found = expected_error(Scenario(), "tpot")
    >>> found.effect.key, found.accuracy.count
    ('decode_bs1', 20)
    """
    by = by or assumptions(scenario.assumptions)
    if figure(of).key not in _EFFECTS:
        return None
    keys = _EFFECTS[of](scenario)
    key = max(keys, key=lambda key: accuracy_of(key, by).median)
    return Expected(
        EFFECTS[key], accuracy_of(key, by), by, () if key.startswith("training") else _beyond(key, scenario)
    )


def _of_ttft(scenario: Scenario) -> list[str]:
    new = scenario.prompt - scenario.cached
    return ["ttft_long" if new >= _LONG_PROMPT else "ttft_short", *_shared(scenario)]


def _of_tpot(scenario: Scenario) -> list[str]:
    """What the time of a decode pass falls under."""
    keys = _shared(scenario)
    if scenario.architecture.parameters.total < _SMALL_PARAMETERS:
        keys.append("small_model")
    maths = precision(scenario.maths)
    if any(scenario.weight_format(part).bits < maths.bits for part in Parameters.names):
        keys.append("quantised")
    if scenario.batch == 1 and scenario.prompt + scenario.output / 2 >= _LONG_CONTEXT:
        keys.append("long_context")
    if scenario.batch > 1:
        keys.append("batching")
    return keys or ["decode_bs1"]


def _shared(scenario: Scenario) -> list[str]:
    return ["tensor_parallel"] if scenario.gpus > 1 else []


def _of_both(scenario: Scenario) -> list[str]:
    return [*_of_ttft(scenario), *_of_tpot(scenario)]


def _of_throughput(scenario: Scenario) -> list[str]:
    return _of_both(scenario) if scenario.batch == 1 else ["throughput", *_shared(scenario)]


def _of_training(scenario: Scenario) -> list[str]:
    return ["training"]


_DECODE = ("tpot", "decode", "user_tokens_per_s", "tokens_per_s", "gpu_tokens_per_s", "output_cost")
_EFFECTS: dict[str, Callable[[Scenario], list[str]]] = {
    **dict.fromkeys(("ttft", "input_cost"), _of_ttft),
    **dict.fromkeys(_DECODE, _of_tpot),
    **dict.fromkeys(("total", "request_cost"), _of_both),
    "throughput": _of_throughput,
    **dict.fromkeys(("training_mfu", "training_hours", "training_cost"), _of_training),
}


def _beyond(key: str, scenario: Scenario) -> tuple[str, ...]:
    like = rows_of(key)
    if any(row.is_training for row in like):
        return ()
    sayings = [_gpu(like, scenario)]
    if key.startswith("ttft"):
        tokens = scenario.prompt - scenario.cached
        sayings.append(_outside("prompts", "tokens", tokens, [row.scenario.prompt for row in like]))
    elif key == "long_context":
        sayings.append(_outside("contexts", "tokens", _context(scenario), [_context(row.scenario) for row in like]))
    elif key == "batching":
        sayings.append(_outside("batches", "requests", scenario.batch, [row.scenario.batch for row in like]))
    sayings.append(_outside("models on", "GPUs", scenario.gpus, [row.scenario.gpus for row in like]))
    return tuple(filter(None, sayings))


def _context(scenario: Scenario) -> int:
    return scenario.prompt + scenario.output // 2


def _gpu(like: tuple[Row, ...], scenario: Scenario) -> str:
    if scenario.hardware.key in {row.scenario.hardware.key for row in like}:
        return ""
    return f"none of them was taken on {scenario.hardware.label}"


def _outside(what: str, unit: str, value: int, measured: list[int]) -> str:
    low, high = min(measured), max(measured)
    if low / _NEAR <= value <= high * _NEAR:
        return ""
    counted = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"measured were {what} {'' if what.endswith('on') else 'of '}{counted} {unit}, and this has {value:,}"
