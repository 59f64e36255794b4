"""How many conversations fit into the memory that the weights leave."""

from lessoncore.drills import Case, Drill, Question, Slip
from lessoncore.drills.common import MODELS, given, of, told
from lessoncore.formula import quantity
from lessoncore.memory import requests_that_fit
from lessoncore.passes import kv_bytes
from lessoncore.units import whole


def _ask(case: Case) -> Question | None:
    e = of(gpu=case["gpu"], model=case["model"], weights=case["weights"], prompt=case["prompt"], output=case["output"])
    room, context = e.kv_budget.value, case["prompt"] + case["output"]
    if room <= 0:
        return None
    budget = given(room, "kv_budget")
    one = quantity(
        "request_kv_bytes",
        kv_bytes,
        batch=given(1, "batch"),
        context=given(context, "context_end"),
        kv_bytes_per_token=e.kv_bytes_per_token,
    )
    answer = quantity(
        "largest_batch", requests_that_fit, kv_budget=budget, request_kv_bytes=one, kv_copies=given(1, "kv_copies")
    )
    if not 4 <= answer.value <= 2000:
        return None
    s = e.scenario
    return Question(
        f"{s.architecture.label} in {s.weight_format('mlp').label} on one {s.hardware.label}. Each user sends "
        f"{whole(case['prompt'])} tokens and gets {whole(case['output'])}. "
        "For how many of them at once is there room in the KV cache?",
        (
            ("Room for the KV cache", told(budget)),
            ("KV cache per token", told(e.kv_bytes_per_token, "kB")),
        ),
        answer,
        "",
        (
            Slip(room / (e.kv_bytes_per_token.value * case["prompt"]), "The answer's tokens are kept as well."),
            Slip(
                e.kv_tokens.value, f"That is the number of tokens that fit; each user needs {whole(context)} of them."
            ),
            Slip(
                e.memory_bytes.value / one.value,
                "That takes the whole memory; weights and runtime have their share of it.",
            ),
        ),
        counted=True,
    )


DRILL = Drill(
    name="users-that-fit",
    summary="The conversations of one length whose KV cache fits beside the weights.",
    formula="users = room for the KV cache ÷ (tokens of each × KV cache per token)",
    step=7,
    vary={
        "gpu": ("h100-sxm", "h200-sxm", "b200-sxm", "a100-80gb-sxm", "l40s", "rtx-4090", "mi300x"),
        "model": MODELS,
        "weights": ("bf16", "fp8"),
        "prompt": (1000, 2000, 4000, 8000, 16_000, 32_000),
        "output": (500, 1000, 2000),
    },
    ask=_ask,
    first={"gpu": "h200-sxm", "model": "llama-3.1-8b", "weights": "bf16", "prompt": 8000, "output": 1000},
)
