"""Time to first token from the work of the prompt."""

from lessoncore.drills import Case, Drill, Question, Slip
from lessoncore.drills.common import GPUS, MODELS, given, of, parameters, told
from lessoncore.formula import Quantity, quantity
from lessoncore.passes import matrix_flops
from lessoncore.roofline import compute_time, memory_time
from lessoncore.units import whole


def _ask(case: Case) -> Question | None:
    e = of(gpu=case["gpu"], model=case["model"], prompt=case["prompt"])
    if not e.fits:
        return None
    s, taken = e.scenario, e.assumptions
    count = Quantity(s.architecture.parameters.total, "parameters", f"counted from {s.architecture.source}")
    answer = quantity(
        "ttft_s",
        compute_time,
        flops=quantity("flops", matrix_flops, parameters=count, tokens=given(case["prompt"], "tokens")),
        gpus=given(1, "gpus"),
        compute_efficiency=Quantity(taken.compute_efficiency, "compute_efficiency", taken.source),
        peak_flops=e.peak_flops,
    )
    value, share = answer.value, taken.compute_efficiency
    reading = memory_time(e.weight_bytes.value, 1, taken.memory_efficiency, e.bandwidth.value)
    if value < 1.5 * reading:  # too close to being memory-bound for this formula
        return None
    return Question(
        f"{s.architecture.label} in bf16 on one {s.hardware.label}: a prompt of {whole(case['prompt'])} tokens. "
        f"How long until the first token, if {share:.0%} of the peak rate is reached and attention is left out?",
        (parameters(e), ("Peak rate, dense", told(e.peak_flops))),
        answer,
        "ms",
        (
            Slip(value / 2, "A weight takes a multiplication and an addition for each token: two FLOP."),
            Slip(value * share, f"That is the time at the peak rate; {share:.0%} of it is reached."),
            Slip(value * share**2, f"A lower rate takes longer: divide by {share:.0%} instead of multiplying."),
            Slip(reading, "That is the time to read the weights; a prompt this long is bound by arithmetic."),
            Slip(value / case["prompt"], "That is the time for one token of the prompt."),
        ),
    )


DRILL = Drill(
    name="ttft-from-flops",
    summary="The time of a prefill pass from the work of its matrix products and the rate that is reached.",
    formula="TTFT = 2 × parameters × tokens ÷ (60% of the peak rate)",
    step=4,
    vary={"gpu": GPUS, "model": MODELS, "prompt": (1000, 2000, 3000, 4000, 6000, 8000)},
    ask=_ask,
    first={"gpu": "a100-80gb-sxm", "model": "llama-3.1-8b", "prompt": 4000},
)
