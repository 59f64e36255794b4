"""The error to expect: which measurements are like a case, and how far off the model is on them.

Each quantity by itself: a case's TTFT is held against measured TTFTs only. The calibrated constants are fitted to these
very measurements, so their error is that of predictions made without a row's own project, which is what a case of
one's own is like (sets.py).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

from lessoncore.architecture import Architecture, Parameters
from lessoncore.assumptions import Assumptions, assumptions
from lessoncore.attention import GroupedQueryAttention, LatentAttention
from lessoncore.evidence.accuracy import Accuracy, accuracy
from lessoncore.evidence.effects import EFFECTS, Effect
from lessoncore.evidence.quantities import measure
from lessoncore.evidence.rows import Row, rows, rows_of
from lessoncore.evidence.sets import error
from lessoncore.figures import figure
from lessoncore.precision import precision
from lessoncore.scenario import Scenario

# From here on a prompt counts as a long one, and a context too; a model below this size is a small one.
_LONG_PROMPT = 512
_LONG_CONTEXT = 4096
_SMALL_PARAMETERS = 1e9
# A tenth above or below what was measured isn't worth a word.
_NEAR = 1.1
# From this error in one case of ten on, a figure is no more than an order of magnitude.
ROUGH = 0.4
_MIXTURES = Effect("mixtures", "mixtures of experts, all Mixtral 8x7B", "")

# With fewer measurements than this left, those that are less like a case count too.
_FEWEST = 5

# An effect and the quantity that it is looked at in: keys of EFFECTS (or _MIXTURES) and quantities.MEASURES.
type Kind = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Group:
    """Measurements that a case is like in one respect, and how far off predictions of them are."""

    effect: Effect
    accuracy: Accuracy


@dataclass(frozen=True, slots=True)
class Expected:
    """The error to expect of a figure, by all groups of measurements that it falls under.

    ``unlike`` says in words what the case has that nobody measured, ``beyond`` where it lies outside of the measured
    range: the error may then be larger. ``same`` are measurements of this very model on these GPUs.
    """

    groups: tuple[Group, ...]
    assumptions: Assumptions
    unlike: tuple[str, ...]
    beyond: tuple[str, ...]
    same: tuple[Row, ...] = ()

    @property
    def typical(self) -> Group:
        """The group with the largest median error."""
        return max(self.groups, key=lambda group: group.accuracy.median)

    @property
    def worst(self) -> Group:
        """The group with the largest error in one case of ten."""
        return max(self.groups, key=lambda group: group.accuracy.ninetieth)

    @property
    def rough(self) -> bool:
        """Whether it is too large to rely on the figure."""
        return self.worst.accuracy.ninetieth >= ROUGH

    @property
    def cross_validated(self) -> bool:
        """Whether each measurement was predicted with constants that its project had no part in."""
        return set_of(self.assumptions) == "cross-validated"


def set_of(by: Assumptions) -> str:
    """The one of sets.SETS that tells of assumptions: what is fitted is told by cross-validation."""
    return "cross-validated" if by.key == "calibrated" else "textbook"


def expected_error(scenario: Scenario, of: str, by: Assumptions | None = None) -> Expected | None:
    """The error to expect of the figure ``of``; None for a figure that no measurement is about, such as memory.

    Without ``by`` it is that of the scenario's own assumptions. A case often falls under several groups, such as
    quantised weights on two GPUs: the worst one counts.

    >>> found = expected_error(Scenario(), "tpot")
    >>> found.typical.effect.key, found.typical.accuracy.count
    ('decode_bs1', 18)
    """
    by = by or assumptions(scenario.assumptions)
    if figure(of).key not in _KINDS:
        return None
    several = scenario.gpus > 1
    kinds = [kind for kind in _KINDS[of](scenario) if _like(*kind, several)]
    groups = tuple(
        Group(EFFECTS.get(key, _MIXTURES), _accuracy(key, quantity, several, set_of(by))) for key, quantity in kinds
    )
    if any(quantity == "training" for _, quantity in kinds):
        return Expected(groups, by, (), ())
    beyond = dict.fromkeys(words for kind in kinds if kind[0] != _MIXTURES.key for words in _beyond(*kind, scenario))
    quantities = {quantity for _, quantity in kinds}
    return Expected(groups, by, _unlike(scenario.architecture), tuple(beyond), _same(scenario, quantities))


@lru_cache(maxsize=64)
def _like(key: str, quantity: str, several: bool) -> tuple[Row, ...]:
    """The rows of a kind: on one GPU or on several as the case is, and mixtures of experts apart from other models."""
    found = _mixtures() if key == _MIXTURES.key else rows_of(key)
    found = tuple(row for row in found if measure(row).key == quantity)
    if quantity == "training" or key == _MIXTURES.key:
        return found
    dense = [row for row in found if not row.scenario.architecture.has_experts]
    alike = tuple(row for row in dense if (row.scenario.gpus > 1) == several)
    return alike if len(alike) >= _FEWEST else tuple(dense)


def _mixtures() -> tuple[Row, ...]:
    return tuple(row for row in rows() if not row.is_training and row.scenario.architecture.has_experts)


@lru_cache(maxsize=128)
def _accuracy(key: str, quantity: str, several: bool, by: str) -> Accuracy:
    return accuracy(error(row, by) for row in _like(key, quantity, several))


# What a case falls under.


def _of_ttft(scenario: Scenario) -> list[Kind]:
    new = scenario.prompt - scenario.cached
    length = "ttft_long" if new >= _LONG_PROMPT else "ttft_short"
    return [(key, "ttft") for key in (length, *_shared(scenario))]


def _of_tpot(scenario: Scenario) -> list[Kind]:
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
    return [(key, "tpot") for key in keys or ["decode_bs1"]]


def _shared(scenario: Scenario) -> list[str]:
    shared = ["tensor_parallel"] if scenario.gpus > 1 else []
    return shared + ([_MIXTURES.key] if scenario.architecture.has_experts else [])


def _of_both(scenario: Scenario) -> list[Kind]:
    return [*_of_ttft(scenario), *_of_tpot(scenario)]


def _of_throughput(scenario: Scenario) -> list[Kind]:
    if scenario.batch == 1:
        return _of_both(scenario)
    return [(key, "throughput") for key in ("throughput", *_shared(scenario))]


def _of_training(scenario: Scenario) -> list[Kind]:
    return [("training", "training")]


_DECODE = ("tpot", "decode", "user_tokens_per_s", "tokens_per_s", "gpu_tokens_per_s", "output_cost")
_KINDS: dict[str, Callable[[Scenario], list[Kind]]] = {
    **dict.fromkeys(("ttft", "input_cost"), _of_ttft),
    **dict.fromkeys(_DECODE, _of_tpot),
    **dict.fromkeys(("total", "request_cost"), _of_both),
    "throughput": _of_throughput,
    **dict.fromkeys(("training_mfu", "training_hours", "training_cost"), _of_training),
}


# What nobody measured.


@lru_cache(maxsize=16)
def _unlike(model: Architecture) -> tuple[str, ...]:
    """What a model has that no measured one had."""
    kinds = [group.attention for group in model.groups if group.attention is not None]
    caching = [one for one in kinds if isinstance(one, GroupedQueryAttention | LatentAttention)]
    has = {
        "a mixture of experts other than Mixtral 8x7B": model.has_experts and model.key != "mixtral-8x7b",
        "latent attention (MLA)": any(isinstance(one, LatentAttention) for one in caching),
        "linear attention": len(caching) < len(kinds),
        "sliding windows": any(isinstance(one, GroupedQueryAttention) and one.window for one in caching)
        and not model.key.startswith("mistral-7b"),
    }
    return tuple(words for words, it_has in has.items() if it_has)


def _same(scenario: Scenario, quantities: set[str]) -> tuple[Row, ...]:
    """Measurements of the same model in the same formats on as many of the same GPUs, with such prompts and batches."""
    return tuple(row for of in quantities for row in _by_sameness().get((of, *_sameness(scenario, of)), ()))


@cache
def _by_sameness() -> dict[tuple[object, ...], list[Row]]:
    found: dict[tuple[object, ...], list[Row]] = {}
    for row in rows():
        if not row.is_training:
            of = measure(row).key
            found.setdefault((of, *_sameness(row.scenario, of)), []).append(row)
    return found


def _sameness(s: Scenario, quantity: str) -> tuple[object, ...]:
    """What two cases have to have in common for one to tell of the other."""
    kind = s.prompt - s.cached >= _LONG_PROMPT if quantity == "ttft" else s.batch == 1
    return s.architecture.key, s.hardware.key, s.gpus, s.maths, s.weight_format("mlp").bits, kind


def _beyond(key: str, quantity: str, scenario: Scenario) -> list[str]:
    like = _like(key, quantity, scenario.gpus > 1)
    sayings = [_gpu(like, scenario)]
    if key.startswith("ttft"):
        tokens = scenario.prompt - scenario.cached
        sayings.append(_outside("prompts", "tokens", tokens, [row.scenario.prompt for row in like]))
    elif key == "long_context":
        sayings.append(_outside("contexts", "tokens", _context(scenario), [_context(row.scenario) for row in like]))
    elif key == "batching":
        sayings.append(_outside("batches", "requests", scenario.batch, [row.scenario.batch for row in like]))
    elif key == "tensor_parallel":
        sayings.append(_outside("models on", "GPUs", scenario.gpus, [row.scenario.gpus for row in like]))
    return [words for words in sayings if words]


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
