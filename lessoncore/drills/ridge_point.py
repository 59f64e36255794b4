"""The ridge point: FLOP per byte from which arithmetic is the limit."""

from lessoncore.drills import Case, Drill, Question, Slip
from lessoncore.drills.common import GPUS, of, told


def _ask(case: Case) -> Question | None:
    from lessoncore.catalogue import gpu

    card = gpu(case["gpu"])
    if case["maths"] not in card.peak_flops:
        return None
    e = of(gpu=case["gpu"], maths=case["maths"])
    taken, value = e.assumptions, e.ridge.value
    reached = taken.efficiency(case["maths"], card)[0] / taken.memory_efficiency
    slips = [
        Slip(1 / value, "That is upside down: arithmetic divided by bandwidth, not bandwidth by arithmetic."),
        Slip(value * reached, "That is the ridge with the rates that are reached; here the datasheet's is asked for."),
        Slip(value * 2, "That is twice as much: some datasheets print rates with sparsity, which don't apply here."),
    ]
    if case["maths"] != "bf16":
        bf16 = card.peak("bf16") / card.bandwidth
        slips.insert(0, Slip(bf16, f"That is its ridge point in bf16; in {case['maths']} its arithmetic is faster."))
    return Question(
        f"{card.label}, arithmetic in {case['maths']}. "
        "From how many FLOP per byte on is a pass bound by arithmetic, by the datasheet?",
        (("Peak rate, dense", told(e.peak_flops)), ("Memory bandwidth", told(e.bandwidth))),
        e.ridge,
        "FLOP/B",
        tuple(slips),
    )


DRILL = Drill(
    name="ridge-point",
    summary="The arithmetic intensity at which a GPU's arithmetic and its memory take equally long.",
    formula="ridge point = peak FLOP/s ÷ bandwidth",
    step=2,
    vary={"gpu": (*GPUS, "h100-pcie", "b300-sxm", "a40", "rtx-3090"), "maths": ("bf16", "fp8")},
    ask=_ask,
    first={"gpu": "a100-80gb-sxm", "maths": "bf16"},
)
