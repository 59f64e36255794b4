"""Fit the calibrated constants to the measurements: ``python tests/validation/fit.py``.

One set of constants for every GPU, engine and model. What is minimised is the sum, over the effects that rows
show, of the effect's error: the mean of the smaller three quarters of its absolute errors (in logarithms), in
units of what the effect should reach. Leaving the worst quarter out keeps known faults of an engine from bending
constants that have nothing to do with them. To it comes a weak pull towards what is known without these rows
(PRIOR), which decides where they say nothing: without one project's rows, for instance, no 4-bit product is left.
The search is Nelder and Mead's and starts there too. The figures of a row know how they came about, so a row is
computed once and then only recomputed with other constants.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from copy import replace
from inspect import signature
from math import exp, inf, log
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # run as a script, it finds lessoncore without installing it

from lessoncore.assumptions import CALIBRATED, Assumptions
from lessoncore.evidence import Row, rows

# Constant -> where it is expected, and how far from there it may easily be (as a logarithm). A dot names an entry of
# narrow_efficiency. The four shares of the peak are medians of single kernels on A100, H100, H200 and B200 at 2,048 to
# 8,192 tokens, from the kernel timings of NVIDIA's aiconfigurator; the others are orders of magnitude.
PRIOR = {
    "compute_efficiency": (0.80, 0.15),
    "narrow_efficiency.fp8": (0.58, 0.15),
    "narrow_efficiency.fp4": (0.42, 0.15),
    "attention_efficiency": (0.55, 0.15),
    "memory_efficiency": (0.80, 0.15),
    "overlap": (0.40, 0.7),
    "prefill_layer_s": (80e-6, 0.7),
    "decode_layer_s": (50e-6, 0.7),
    "unpack_operations": (4.0, 0.7),
    "training_traffic": (100.0, 0.7),
    "sharding_efficiency": (0.70, 0.7),
}
_PULL = 0.1
START = {name: expected for name, (expected, _) in PRIOR.items()}
# The error that each effect should come down to; effects that aren't named don't count: a model of half a billion
# parameters shows how fast the host starts kernels (from 1.8 to 3.2 ms on one kind of GPU), and training on very long
# sequences how old the attention kernels were.
AIMS = {
    "decode_bs1": 0.05,
    "batching": 0.05,
    "tensor_parallel": 0.08,
    "quantised": 0.10,
    "long_context": 0.08,
    "ttft_short": 0.12,
    "ttft_long": 0.07,
    "throughput": 0.10,
    "training": 0.10,
}
_KEPT = 0.75
# Givens of a derivation go by their symbol; two constants may share one.
_SYMBOLS = {
    "prefill_layer_s": "layer_latency_s",
    "decode_layer_s": "layer_latency_s",
    "narrow_efficiency.fp8": "compute_efficiency",
    "narrow_efficiency.fp4": "compute_efficiency",
}

type Constants = dict[str, float]


def fit(data: Sequence[Row]) -> Assumptions:
    """The constants that suit ``data`` best."""
    return assumptions(minimised(loss_on(data)))


def assumptions(constants: Constants) -> Assumptions:
    """CALIBRATED with other constants; int8 products are taken to be as efficient as fp8 ones."""
    narrow = {name.partition(".")[2]: value for name, value in constants.items() if "." in name}
    plain: dict[str, Any] = {name: value for name, value in constants.items() if "." not in name}
    return replace(CALIBRATED, narrow_efficiency=narrow | {"int8": narrow["fp8"]}, **plain)


def loss_on(data: Sequence[Row]) -> Callable[[Constants], float]:
    """The function to be minimised."""
    compiled = [(recomputation(row), row.measured_s, row.effects) for row in data]

    def loss(constants: Constants) -> float:
        if not all(value > 0 for value in constants.values()) or any(
            constants[name] > 1 for name in constants if "efficiency" in name or name == "overlap"
        ):
            return inf
        errors: dict[str, list[float]] = defaultdict(list)
        for predicted_s, measured_s, effects in compiled:
            error = abs(log(predicted_s(constants) / measured_s))
            for effect in effects:
                errors[effect].append(error)
        missed = sum(_mean_of_smaller(errors[effect]) / aim for effect, aim in AIMS.items() if errors[effect])
        return missed + _PULL * sum(
            (log(constants[name] / expected) / width) ** 2 for name, (expected, width) in PRIOR.items()
        )

    return loss


def _mean_of_smaller(errors: list[float]) -> float:
    kept = sorted(errors)[: max(1, round(_KEPT * len(errors)))]
    return sum(kept) / len(kept)


def recomputation(row: Row) -> Callable[[Constants], float]:
    """What the model says to a row, as a function of the constants: its derivation, taken apart once."""
    probe = assumptions(START)
    q = row.prediction(probe)
    named = {(_SYMBOLS.get(name, name), value): name for name, value in START.items()}
    places: dict[int, int] = {}
    fixed: list[float] = []
    constants: list[tuple[int, str]] = []
    steps: list[tuple[int, Callable[..., float], list[int]]] = []
    for given in q.givens():
        places[id(given)] = len(fixed)
        name = named.get((given.symbol, given.value)) if given.source.startswith(probe.source) else None
        if name:
            constants.append((len(fixed), name))
        fixed.append(given.value)
    depends = {place for place, _ in constants}
    for step in q.steps():
        assert step.function
        places[id(step)] = len(fixed)
        inputs = [places[id(step.inputs[name])] for name in signature(step.function).parameters]
        if depends.intersection(inputs):  # the others come out the same whatever the constants
            depends.add(len(fixed))
            steps.append((len(fixed), step.function, inputs))
        fixed.append(step.value)

    def predicted(values: Constants) -> float:
        numbers = fixed.copy()
        for place, name in constants:
            numbers[place] = values[name]
        for place, function, inputs in steps:
            numbers[place] = function(*[numbers[i] for i in inputs])
        return row.as_time(numbers[-1])

    return predicted


def minimised(loss: Callable[[Constants], float]) -> Constants:
    """The constants with the smallest loss: searched in logarithms, and searched again around what was found."""
    names = list(START)

    def of(point: list[float]) -> float:
        return loss({name: START[name] * exp(x) for name, x in zip(names, point, strict=True)})

    point = [0.0] * len(names)
    for step in (0.2, -0.1, 0.05, -0.05):
        point = nelder_mead(of, point, step)
    return {name: START[name] * exp(x) for name, x in zip(names, point, strict=True)}


def nelder_mead(of: Callable[[list[float]], float], start: list[float], step: float, rounds: int = 400) -> list[float]:
    """The point with the smallest value near ``start`` (Nelder and Mead 1965).

    >>> [round(x, 2) for x in nelder_mead(lambda p: (p[0] - 1) ** 2 + (p[1] + 2) ** 2, [0.0, 0.0], 0.5)]
    [1.0, -2.0]
    """
    corners = [start] + [[x + step * (i == j) for j, x in enumerate(start)] for i in range(len(start))]
    simplex = sorted((of(corner), corner) for corner in corners)
    for _ in range(rounds):
        worst, last = simplex[-1]
        centre = [sum(p[i] for _, p in simplex[:-1]) / len(start) for i in range(len(start))]

        def along(share: float, centre: list[float] = centre, last: list[float] = last) -> tuple[float, list[float]]:
            point = [c + share * (c - x) for c, x in zip(centre, last, strict=True)]
            return of(point), point

        tried = along(1.0)
        if tried[0] < simplex[0][0]:
            tried = min(tried, along(2.0))
        elif tried[0] >= simplex[-2][0]:
            tried = along(-0.5)
        if tried[0] < worst:
            simplex[-1] = tried
        else:
            best = simplex[0][1]
            shrunk = [[(b + x) / 2 for b, x in zip(best, p, strict=True)] for _, p in simplex[1:]]
            simplex[1:] = [(of(p), p) for p in shrunk]
        simplex.sort()
    return simplex[0][1]


def main() -> None:
    """Print the fitted constants beside the ones that lessoncore has."""
    data = rows()
    loss = loss_on(data)
    found = minimised(loss)
    now = {name: _now(name) for name in START}
    print(f"{'constant':26}{'fitted':>12}{'in lessoncore':>15}")
    for name, value in found.items():
        print(f"{name:26}{value:12.4g}{now[name]:15.4g}")
    print(f"{'loss':26}{loss(found) / len(AIMS):12.4g}{loss(now) / len(AIMS):15.4g}")


def _now(name: str) -> float:
    field, _, entry = name.partition(".")
    value = getattr(CALIBRATED, field)
    return float(value[entry] if entry else value)


if __name__ == "__main__":
    main()
