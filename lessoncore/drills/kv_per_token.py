"""KV cache per token from the shape of the model."""

from lessoncore.drills import Case, Drill, Question, Slip
from lessoncore.drills.common import MODELS, of


def _ask(case: Case) -> Question | None:
    e = of(model=case["model"], kv=case["kv"])
    model, answer = e.scenario.architecture, e.kv_bytes_per_token
    value, size = answer.value, answer.inputs["bytes_per_kv"].value
    return Question(
        f"{model.label}, KV cache in {case['kv']}. How much memory does each token of a conversation take?",
        (
            ("Layers", f"{model.layers}"),
            ("Query heads", f"{model.heads}"),
            ("Key/value heads", f"{model.kv_heads}"),
            ("Width of a head", f"{model.head_dim}"),
        ),
        answer,
        "kB",
        (
            Slip(
                value * model.heads / model.kv_heads,
                "That counts the query heads: only keys and values are kept, which several query heads share.",
            ),
            Slip(value / 2, "A key and a value are kept for each head: twice as much."),
            Slip(value / size, f"That counts numbers, not bytes: each takes {size:g} in {case['kv']}."),
            Slip(value * 8, "That looks like bits for bytes."),
            Slip(value / model.layers, "That is one layer; every layer keeps keys and values of its own."),
            Slip(value / model.kv_heads, "That is one head of each layer; every key/value head has its own."),
        ),
    )


DRILL = Drill(
    name="kv-per-token",
    summary="The bytes that each token of a conversation adds to the KV cache.",
    formula="KV cache per token = 2 × layers × KV heads × width of a head × bytes",
    step=5,
    vary={"model": (*MODELS, "llama-3.1-405b", "mixtral-8x7b", "mixtral-8x22b", "qwen3-0.6b"), "kv": ("bf16", "fp8")},
    ask=_ask,
    first={"model": "qwen3-32b", "kv": "bf16"},
    tolerance=0.01,
)
