"""What to change when something doesn't fit into the GPUs' memory, or is longer than the model was made for."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from lessoncore import catalogue
from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate, estimate
from lessoncore.hardware import Gpu
from lessoncore.parameters import PARAMETERS
from lessoncore.units import show, whole

# Numbers of GPUs that share a model, where the link joins so many.
_COUNTS = (1, 2, 4, 8, 16, 32, 64)
_BOARD = 8


def advice(e: Estimate) -> list[str]:
    """Say what would make the scenario fit, a sentence for each way, and whether it is too long for the model.

    Nothing if neither is the case.

    >>> from lessoncore.scenario import Scenario
    >>> for sentence in advice(estimate(Scenario(model="llama-3.1-70b"))):
    ...     print(sentence.replace("\N{NO-BREAK SPACE}", " "))
    67.0 GB are missing on each GPU: weights, KV cache and runtime need 143.9 GB, and 77.0 GB may be used.
    It fits on 2 GPUs.
    It fits with weights in fp8.
    """
    longer = [too_long(e)] if e.too_long else []
    return longer if e.fits else [*missing(e), *(way.words for way in ways(e)), *longer]


def missing(e: Estimate) -> list[str]:
    """Say what is missing, and that no number of such GPUs is enough where that is so."""
    fit = e.memory_fit
    needed = fit.usable.value - fit.room.value
    said = (
        f"{show(-fit.room.value, 'B')} are missing on each GPU: weights, KV cache and runtime need "
        f"{show(needed, 'B')}, and {show(fit.usable.value, 'B')} may be used."
    )
    gpu = e.scenario.hardware
    if _enough(e) or not gpu.link_bandwidth:
        return [said]
    most = max(_possible(e, gpu))
    if most <= e.scenario.gpus:
        return [said, f"No more than these can share the model: {gpu.link} joins at most {gpu.link_gpus} {gpu.label}."]
    return [said, f"It doesn't fit on {most} GPUs either; {gpu.link} joins at most {gpu.link_gpus} {gpu.label}."]


def too_long(e: Estimate) -> str:
    """Say that prompt and answer are longer than the model was made for.

    >>> from lessoncore.scenario import Scenario
    >>> too_long(estimate(Scenario(model="gemma-2-9b", prompt=9000)))
    'The model was made for up to 8,192 tokens; prompt and answer here have 9,500.'
    """
    longest, here = whole(e.scenario.architecture.longest_context), whole(e.context_end.value)
    return f"The model was made for up to {longest} tokens; prompt and answer here have {here}."


def _possible(e: Estimate, gpu: Gpu) -> list[int]:
    """The numbers of a GPU that can serve the scenario: its link joins them, and they can share the heads."""
    heads, joined = e.scenario.architecture.heads, max(1, gpu.link_gpus)
    if e.scenario.maths not in gpu.peak_flops:
        return []
    return [gpus for gpus in _COUNTS if gpus <= joined and heads % gpus == 0]


@lru_cache(maxsize=1)
def _enough(e: Estimate) -> int:
    """How many of its GPUs would be enough; 0 where no number is."""
    more = (n for n in _possible(e, e.scenario.hardware) if n > e.scenario.gpus)
    return next((n for n in more if _fits(e, gpus=n)), 0)


def _larger(e: Estimate) -> tuple[str, int] | None:
    """The GPU of the catalogue with the least more memory than this one that is enough, and how many of it."""
    memory, least = e.scenario.hardware.memory_bytes, e.weight_bytes.value + e.kv_bytes.value
    larger = [gpu for gpu in map(catalogue.gpu, catalogue.keys("gpus")) if gpu.memory_bytes > memory]
    larger.sort(key=lambda gpu: gpu.memory_bytes)
    for most in (_BOARD, _COUNTS[-1]):  # rather eight large ones than a rack or a pod
        for gpu in larger:
            if gpu.memory_bytes * min(most, max(1, gpu.link_gpus)) < least:
                continue
            possible = [n for n in _possible(e, gpu) if n <= most]
            if possible and _fits(e, gpu=gpu.key, gpus=possible[-1]):
                return gpu.key, next(n for n in possible if _fits(e, gpu=gpu.key, gpus=n))
    return None


class Way(NamedTuple):
    """A way to make it fit: in words, and what to change in the scenario."""

    words: str
    changes: dict[str, Any]


def ways(e: Estimate) -> Iterator[Way]:
    """The ways to make a scenario fit that doesn't."""
    if (batch := int(e.largest_batch.value)) >= 1:
        yield Way(f"At most {whole(batch)} requests of this length at once fit.", {"batch": batch})
    if (context := int(e.longest_context.value)) >= 2:
        output = min(e.scenario.output, context - 1)
        changes = {"output": output, "prompt": context - output, "cached": 0}
        yield Way(f"With this many requests, prompt and answer together may have {whole(context)} tokens.", changes)
    if gpus := _enough(e):
        yield Way(f"It fits on {gpus} GPUs.", {"gpus": gpus})
    elif larger := _larger(e):
        label, count = catalogue.label("gpus", larger[0]), larger[1]
        yield Way(f"It fits on {f'{count} × ' if count > 1 else 'one '}{label}.", {"gpu": larger[0], "gpus": count})
    for weights in ("fp8", "int4-g128"):
        if _narrower(e, weights) and _fits(e, weights=weights):
            label = PARAMETERS["weights"].text(weights)  # type: ignore[arg-type]
            yield Way(f"It fits with weights in {label}.", {"weights": weights})
            break
    if e.scenario.kv == "bf16" and _fits(e, kv="fp8"):
        yield Way("It fits with the KV cache in fp8.", {"kv": "fp8"})


def _narrower(e: Estimate, weights: str) -> bool:
    return estimate(e.scenario.but(weights=weights), e.assumptions).weight_bytes.value < e.weight_bytes.value


def _fits(e: Estimate, **changes: Any) -> bool:
    try:
        return estimate(e.scenario.but(**changes), e.assumptions).fits
    except LessonError:  # heads that can't be divided, GPUs without a link
        return False
