"""Weights per GPU, and what is left there for conversations."""

from lessoncore.drills import Case, Drill, Question, Slip
from lessoncore.drills.common import FORMATS, LINKED_GPUS, MODELS, bits, of, parameters, told
from lessoncore.errors import LessonError
from lessoncore.formula import quantity
from lessoncore.memory import kv_budget_of_a_gpu
from lessoncore.units import show

_LARGE = ("llama-3.1-405b", "mixtral-8x7b", "mixtral-8x22b", "qwen3-30b-a3b", "qwen3-235b-a22b")


def _ask(case: Case) -> Question | None:
    try:
        e = of(gpu=case["gpu"], model=case["model"], weights=case["weights"], gpus=case["gpus"])
    except LessonError:  # heads that the GPUs can't share
        return None
    fit = e.memory_fit
    if not e.fits or fit.weights.value < 1e9:
        return None
    s = e.scenario
    what = f"{s.architecture.label} in {s.weight_format('mlp').label}, shared by {s.gpus} {s.hardware.label} GPUs."
    if case["room"]:
        return _room(case, what)
    form, value = s.weight_format("mlp"), fit.weights.value
    return Question(
        f"{what} How much memory do the weights take on each GPU?",
        (parameters(e),),
        fit.weights,
        "GB",
        (
            Slip(value * s.gpus, f"That is the whole model; {s.gpus} GPUs share it."),
            Slip(value / form.bytes, f"That looks as if each weight were one byte: {bits(e)}."),
            Slip(value * 8, f"That looks like bits for bytes: {bits(e)}."),
            Slip(value * s.gpus / form.bytes, f"That is the number of parameters, in billions. Mind that {bits(e)}."),
        ),
    )


def _room(case: Case, what: str) -> Question:
    e = of(gpu=case["gpu"], model=case["model"], weights=case["weights"], gpus=case["gpus"])
    fit, taken = e.memory_fit, e.assumptions
    answer = quantity(
        "gpu_kv_budget",
        kv_budget_of_a_gpu,
        usable_share=fit.usable.inputs["usable_share"],
        memory_bytes=fit.total,
        runtime_bytes=fit.runtime,
        gpu_weight_bytes=fit.weights,
    )
    runtime, share = show(taken.runtime_bytes, "B", 2), f"{taken.usable_share:.0%}"
    gpus, value = e.scenario.gpus, answer.value
    return Question(
        f"{what} How much memory is left for the KV cache on each GPU?",
        (
            parameters(e),
            ("Memory of a GPU, as the driver reports it", told(fit.total)),
            ("Of it a server may use", share),
            ("Its runtime takes", str(runtime)),
        ),
        answer,
        "GB",
        (
            Slip(fit.total.value - fit.runtime.value - fit.weights.value, f"A server may use {share} of the memory."),
            Slip(value + fit.runtime.value, f"The runtime takes {runtime} of it, too."),
            Slip(fit.total.value - fit.weights.value, f"Only {share} may be used, and the runtime takes {runtime}."),
            Slip(value * gpus, "That is the room on all GPUs together; one of them is asked about."),
            Slip(
                value + fit.weights.value * (1 - gpus),
                f"That looks as if each GPU held the whole model; {gpus} GPUs share it.",
            ),
            Slip(fit.weights.value, "That is what the weights take; what they leave is asked for."),
        ),
    )


DRILL = Drill(
    name="weights-per-gpu",
    summary="What the weights of a shared model take on each GPU, or what they leave for the KV cache.",
    formula="weights per GPU = parameters × bytes per weight ÷ GPUs",
    step=13,
    vary={
        "gpu": LINKED_GPUS,
        "model": tuple(m for m in MODELS if m not in ("llama-3.2-1b", "llama-3.2-3b")) + _LARGE,
        "weights": FORMATS,
        "gpus": (2, 4, 8, 16),
        "room": (False, True),
    },
    ask=_ask,
    first={"gpu": "h100-sxm", "model": "qwen2.5-72b", "weights": "bf16", "gpus": 4, "room": False},
)
