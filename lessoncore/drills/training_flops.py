"""The work of a training run."""

from lessoncore.drills import Case, Drill, Question, Slip
from lessoncore.drills.common import MODELS
from lessoncore.training import Training, training
from lessoncore.units import show


def _ask(case: Case) -> Question | None:
    t = training(Training(model=case["model"], tokens=case["tokens"] * 1e12))
    model, value = t.run.architecture, t.flops.value
    count = model.parameters.total
    return Question(
        f"{model.label} is trained on {case['tokens']} trillion tokens. How much arithmetic is that, attention apart?",
        (("Parameters", str(show(count, "parameters", 4))),),
        t.flops,
        "FLOP",
        (
            Slip(value / 3, "That is the forward pass alone; the backward pass takes twice as much again."),
            Slip(value * 2 / 3, "That is the backward pass alone: two for each weight forwards, four backwards."),
            Slip(value / 6, "Each token takes six FLOP for each weight: two forwards, four backwards."),
            Slip(6 * count, "That is the work of one token."),
        ),
    )


DRILL = Drill(
    name="training-flops",
    summary="The arithmetic of a training run.",
    formula="FLOP = 6 × parameters × tokens",
    step=16,
    vary={"model": (*MODELS, "llama-3.1-405b"), "tokens": (1, 2, 4, 8, 10, 12, 18, 20, 36)},
    ask=_ask,
    first={"model": "qwen3-32b", "tokens": 36},
)
