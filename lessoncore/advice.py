"""What to change when something doesn't fit into the GPUs' memory."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate, estimate
from lessoncore.parameters import PARAMETERS
from lessoncore.units import show, whole


def advice(e: Estimate) -> list[str]:
    """Say what would make the scenario fit, a sentence for each way, or nothing if it fits.

    >>> from lessoncore.scenario import Scenario
    >>> for sentence in advice(estimate(Scenario(model="llama-3.1-70b"))):
    ...     print(sentence.replace("\N{NO-BREAK SPACE}", " "))
    67.0 GB are missing on each GPU: weights, KV cache and runtime need 143.9 GB, and 77.0 GB may be used.
    It fits on 2 GPUs.
    It fits with weights in fp8.
    """
    fit = e.memory_fit
    if e.fits:
        return []
    needed = fit.usable.value - fit.room.value
    said = (
        f"{show(-fit.room.value, 'B')} are missing on each GPU: weights, KV cache and runtime need "
        f"{show(needed, 'B')}, and {show(fit.usable.value, 'B')} may be used."
    )
    return [said, *(way.words for way in ways(e))]


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
    for gpus in (2, 4, 8, 16, 32, 64):
        if gpus > e.scenario.gpus and _fits(e, gpus=gpus):
            yield Way(f"It fits on {gpus} GPUs.", {"gpus": gpus})
            break
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
