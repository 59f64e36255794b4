"""The decode speed limit: no token can come faster than the weights can be read."""

from lessoncore.drills import Case, Drill, Question, Slip
from lessoncore.drills.common import FORMATS, GPUS, MODELS, bits, of, parameters, told
from lessoncore.formula import quantity
from lessoncore.roofline import decode_limit


def _ask(case: Case) -> Question | None:
    e = of(gpu=case["gpu"], model=case["model"], weights=case["weights"])
    if not e.fits:
        return None
    gpu, model, form = e.scenario.hardware, e.scenario.architecture, e.scenario.weight_format("mlp")
    plain = quantity("decode_limit_s", decode_limit, weight_bytes=e.weight_bytes, bandwidth=e.bandwidth)
    share = e.assumptions.memory_efficiency
    if case["reached"]:
        answer, other = e.reached_decode_limit_s, plain
        how, swapped = (
            f"if reading the weights reaches {share:.0%} of its bandwidth",
            (f"That is the limit at the datasheet's full bandwidth; here {share:.0%} of it is reached."),
        )
    else:
        answer, other = plain, e.reached_decode_limit_s
        how, swapped = (
            "at the full bandwidth of the datasheet",
            (f"That is the limit at {share:.0%} of the bandwidth; here the full bandwidth is asked about."),
        )
    value = answer.value
    slips = [
        Slip(other.value, swapped),
        Slip(value / form.bytes, f"That looks as if each weight were one byte: {bits(e)}."),
        Slip(value * 8, f"That looks like bits for bytes: {bits(e)}."),
        Slip(
            2 * model.parameters.total / e.peak_flops.value, "That is the time for the arithmetic, not for the bytes."
        ),
    ]
    if case["reached"]:
        slips.append(
            Slip(plain.value * share, f"A slower memory takes longer: divide by {share:.0%} instead of multiplying.")
        )
    return Question(
        f"{model.label} in {form.label}, one {gpu.label}, one conversation. "
        f"What is the shortest possible time per output token {how}?",
        (parameters(e), ("Memory bandwidth", told(e.bandwidth))),
        answer,
        "ms",
        tuple(slips),
    )


DRILL = Drill(
    name="decode-limit",
    summary="The shortest time per token of a single conversation, at full bandwidth or at the 80% that is reached.",
    formula="TPOT ≥ weight bytes ÷ bandwidth",
    step=3,
    vary={"gpu": GPUS, "model": MODELS, "weights": FORMATS, "reached": (False, True)},
    ask=_ask,
    first={"gpu": "h200-sxm", "model": "qwen3-32b", "weights": "bf16", "reached": False},
)
