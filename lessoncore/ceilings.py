"""What no software can beat: the ceilings of a GPU by its datasheet, and where a claimed number stands below them."""

from math import inf
from typing import Any, NamedTuple

from lessoncore.assumptions import CALIBRATED, Assumptions
from lessoncore.claim import PRECISIONS, WHAT
from lessoncore.drills.answers import read_one
from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate, estimate
from lessoncore.parameters import PARAMETERS
from lessoncore.scenario import Scenario
from lessoncore.units import show

# Everything at its best: the datasheet's rates in full, links free, all memory usable.
DATASHEET = Assumptions(
    key="datasheet",
    label="datasheet",
    source="the datasheet's rates in full",
    compute_efficiency=1.0,
    memory_efficiency=1.0,
    link_latency_s=0.0,
    link_latency_per_gpu_s=0.0,
    pcie_latency_s=0.0,
    pcie_latency_per_gpu_s=0.0,
    usable_share=1.0,
    runtime_bytes=0.0,
    skips_idle_parameters=True,
)
# A claim's number is rounded: it breaks a ceiling only when it is beyond by more than this.
TOLERANCE = 0.005
# Weights of four bits without scales, and the fastest arithmetic of the GPU: nothing that is served is faster.
NARROWEST = "narrowest"
_NEEDED = ("what", "value", "model", "gpu", "gpus", "precision")
_NAMES = {
    "what": "what the number is about",
    "value": "the number",
    "model": "the model",
    "gpu": "the GPU",
    "gpus": "the number of GPUs",
    "precision": "the number format",
    "batch": "the number of requests at once",
    "prompt": "the length of the prompt",
}


class Claim(NamedTuple):
    """A claim that says all that is needed. ``time_s`` is that of the pass: TTFT, TPOT, or what a rate stands for.

    ``kind`` are the figures that it is about: "decode" or "prefill"; ``kindly`` what was taken in its favour.
    """

    what: str
    value: float
    scenario: Scenario
    time_s: float
    kind: str
    kindly: tuple[str, ...]


class Ceiling(NamedTuple):
    """One limit: the least time it allows and what it consists of, in words; for memory's size both in bytes."""

    name: str
    least: float
    claimed: float
    unit: str
    words: str

    @property
    def broken(self) -> bool:
        """Whether the claim is beyond it."""
        return self.claimed < self.least * (1 - TOLERANCE)

    @property
    def share(self) -> float:
        """What the claim reaches of it: 1 is the ceiling itself."""
        return self.least / self.claimed


class Judged(NamedTuple):
    """A claim beside its ceilings and the calibrated estimate of the same time (s)."""

    claim: Claim
    ceilings: tuple[Ceiling, ...]
    estimate_s: float
    fits_by_estimate: bool

    @property
    def broken(self) -> list[Ceiling]:
        """The ceilings that it breaks."""
        return [ceiling for ceiling in self.ceilings if ceiling.broken]

    @property
    def nearest(self) -> Ceiling:
        """Of the ceilings in time the one that decides."""
        return max((c for c in self.ceilings if c.unit == "s"), key=lambda c: c.least)


def missing(fields: dict[str, str]) -> list[str]:
    """What a claim has to say and doesn't, in words."""
    needed = list(_NEEDED)
    if fields.get("what") in ("total", "gpu"):
        needed.append("batch")
    if _kind(fields.get("what", "")) == "prefill":
        needed.append("prompt")
    return [_NAMES[key] for key in needed if not fields.get(key, "").strip()]


def as_claim(fields: dict[str, str]) -> Claim:
    """Make a claim of the form's fields; LessonError says what can't be.

    >>> c = as_claim({"what": "user", "value": "250 tok/s", "model": "llama-3.1-70b", "gpu": "h100-sxm",
    ...               "gpus": "4", "precision": "fp8"})
    >>> c.time_s, c.scenario.weights, c.kindly[0]
    (0.004, 'fp8', 'one request at once')
    """
    if absent := missing(fields):
        raise LessonError(f"needed: {', '.join(absent)}.")
    what = fields["what"].strip()
    if what not in WHAT or fields["precision"] not in (*PRECISIONS, NARROWEST):
        raise LessonError("one of the words in the list is needed.")
    value = _value(fields["value"], what)
    scenario, kindly = _scenario(fields, what)
    return Claim(what, value, scenario, _time(what, value, scenario), _kind(what), tuple(kindly))


def _kind(what: str) -> str:
    return "prefill" if what in ("ttft", "prefill", "prefill_gpu") else "decode"


def _value(text: str, what: str) -> float:
    unit, scale = ("s", "ms") if what in ("ttft", "tpot") else ("tokens/s", "tokens/s")
    value = read_one(text, unit, scale, most=600 if unit == "s" else inf)  # nobody claims ten minutes
    if not 1e-9 < value < 1e12:
        raise LessonError(f"“{text.strip()}” is no {'time' if unit == 's' else 'rate'} that a server could have.")
    return value


def _scenario(fields: dict[str, str], what: str) -> tuple[Scenario, list[str]]:
    given: dict[str, Any] = {}
    kindly = []
    for key in ("model", "gpu", "gpus", "batch", "prompt", "output"):
        if text := fields.get(key, "").strip():
            given[key] = PARAMETERS[key].parse(text)
    if "batch" not in given or _kind(what) == "prefill":
        if _kind(what) == "decode":
            kindly.append("one request at once")
        given["batch"] = 1
    if "prompt" not in given:
        kindly.append("no prompt in the cache")
        given["prompt"] = 1
    given.setdefault("output", 1)
    weights, maths = _formats(fields["precision"], given, kindly)
    kv = fields.get("kv", "").strip() or "fp8"
    if not fields.get("kv", "").strip():
        kindly.append("an fp8 cache, which is half as many bytes")
    return Scenario(**given, weights=weights, maths=maths, kv=PARAMETERS["kv"].parse(kv)), kindly  # type: ignore[arg-type]


def _formats(said: str, given: dict[str, Any], kindly: list[str]) -> tuple[str, str]:
    """Weights and maths: what is said, as far as the GPU has it, else the fastest that it has."""
    has = _formats_of(given["gpu"])
    fastest = max(has, key=lambda key: has[key])
    if said == NARROWEST:
        return "int4", fastest
    weights, maths = PRECISIONS[said]
    if said == "stored":
        stored = _stored(given["model"])
        kindly.append(f"weights as in the checkpoint, {stored}")
        maths = {"bf16": "bf16", "fp8": "fp8"}.get(stored, "fp4")
    if maths in has:
        return weights, maths
    instead = fastest if maths == "fp4" else "bf16"  # 4-bit weights may be widened to any format
    kindly.append(f"maths in {instead}, as the GPU has no {maths} units")
    return weights, instead


def _stored(model: str) -> str:
    """The number format that most of a model's checkpoint is in."""
    from lessoncore import catalogue

    return catalogue.model(model).stored.weights


def _formats_of(gpu: str) -> dict[str, float]:
    """The number formats that a GPU computes in."""
    from lessoncore import catalogue

    return catalogue.gpu(gpu).peak_flops


def _time(what: str, value: float, s: Scenario) -> float:
    """The time of a pass that a claimed value stands for (s)."""
    return {
        "ttft": value,
        "tpot": value,
        "user": 1 / value,
        "total": s.batch / value,
        "gpu": s.batch / (value * s.gpus),
        "prefill": s.prompt / value,
        "prefill_gpu": s.prompt / (value * s.gpus),
    }[what]


def judge(claim: Claim) -> Judged:
    """Hold a claim against the ceilings of its hardware.

    >>> j = judge(as_claim({"what": "ttft", "value": "20 ms", "model": "llama-3.1-8b", "gpu": "a100-80gb-sxm",
    ...                     "gpus": "1", "precision": "bf16", "prompt": "8000"}))
    >>> [c.name for c in j.broken], round(j.nearest.share, 1)
    (['Compute'], 20.6)
    """
    best = estimate(claim.scenario, DATASHEET)
    one = best.prefill if claim.kind == "prefill" else best.decode
    ceilings = [
        Ceiling("Compute", one.compute_s.value, claim.time_s, "s", _compute_words(best, claim)),
        Ceiling(
            "Memory size", best.memory_fit.weights.value + best.memory_fit.kv.value, best.memory_bytes.value, "B", ""
        ),
    ]
    if not claim.what.startswith("prefill"):  # prompts may share a pass, and with it the reading of the weights
        ceilings.insert(
            0, Ceiling("Memory bandwidth", one.memory_s.value, claim.time_s, "s", _memory_words(best, claim))
        )
    real = estimate(claim.scenario, CALIBRATED)
    seconds = real.ttft_s if claim.kind == "prefill" else real.tpot_s
    return Judged(claim, tuple(ceilings), seconds.value, real.fits)


def _gpus(e: Estimate) -> str:
    n = e.scenario.gpus
    return f"{n} {e.scenario.hardware.label}" if n > 1 else f"one {e.scenario.hardware.label}"


def _memory_words(e: Estimate, claim: Claim) -> str:
    one = e.prefill if claim.kind == "prefill" else e.decode
    return f"{show(one.bytes_moved.value, 'B')} to move, {show(e.bandwidth.value, 'B/s')} for each of {_gpus(e)}"


def _compute_words(e: Estimate, claim: Claim) -> str:
    one = e.prefill if claim.kind == "prefill" else e.decode
    rate = show(e.peak_flops.value, "FLOP/s")
    return f"{show(one.flops.value, 'FLOP')} to compute, {rate} in {e.scenario.maths} for each of {_gpus(e)}"
