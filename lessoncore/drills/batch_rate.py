"""Tokens a second of a batch: one read of the weights serves all, each adds its own KV cache."""

from lessoncore.drills import Case, Drill, Question, Slip
from lessoncore.drills.common import MODELS, given, of, told
from lessoncore.formula import Quantity, quantity
from lessoncore.passes import bytes_moved, kv_read_bytes, kv_write_bytes
from lessoncore.rates import tokens_per_second
from lessoncore.roofline import memory_time
from lessoncore.units import whole


def _ask(case: Case) -> Question | None:
    e = of(gpu=case["gpu"], model=case["model"], weights=case["weights"], batch=case["batch"], prompt=case["context"])
    if not e.fits or e.decode_at(case["context"]).bound != "memory":
        return None
    s, taken = e.scenario, e.assumptions
    batch, per_token = given(case["batch"], "batch"), e.kv_bytes_per_token
    weights = given(e.weight_bytes.value, "weights_read_bytes")
    read = quantity(
        "kv_read_bytes",
        kv_read_bytes,
        batch=batch,
        context=given(case["context"], "context"),
        kv_bytes_per_token=per_token,
    )
    written = quantity("kv_write_bytes", kv_write_bytes, tokens=given(s.batch, "tokens"), kv_bytes_per_token=per_token)
    pass_s = quantity(
        "tpot_s",
        memory_time,
        bytes_moved=quantity(
            "bytes_moved",
            bytes_moved,
            weights_read_bytes=weights,
            kv_read_bytes=read,
            kv_write_bytes=written,
        ),
        gpus=given(1, "gpus"),
        memory_efficiency=Quantity(taken.memory_efficiency, "memory_efficiency", taken.source),
        bandwidth=e.bandwidth,
    )
    answer = quantity("tokens_per_s", tokens_per_second, batch=batch, tpot_s=pass_s)
    value, share = answer.value, taken.memory_efficiency
    return Question(
        f"{s.architecture.label} in {s.weight_format('mlp').label} on one {s.hardware.label}: {case['batch']} "
        f"conversations with {whole(case['context'])} tokens each are decoded together, at {share:.0%} of the "
        "bandwidth. How many tokens a second does the batch write?",
        (
            ("Weights", told(weights)),
            ("KV cache per token", told(per_token, "kB")),
            ("Memory bandwidth", told(e.bandwidth)),
        ),
        answer,
        "tokens/s",
        (
            Slip(
                case["batch"] * share * e.bandwidth.value / weights.value,
                "That leaves out the KV cache, which each conversation adds to what is read.",
            ),
            Slip(value / case["batch"], "That is the rate of one user; the whole batch is asked about."),
            Slip(value / share, f"That takes the full bandwidth; {share:.0%} of it is reached."),
            Slip(
                share * e.bandwidth.value / weights.value,
                "That is one conversation alone: one read of the weights serves the whole batch.",
            ),
        ),
    )


DRILL = Drill(
    name="batch-rate",
    summary="Tokens a second of a batch that is decoded together.",
    formula="tokens/s = batch ÷ ((weights + batch × tokens × KV cache per token) ÷ (80% of the bandwidth))",
    step=6,
    vary={
        "gpu": ("h100-sxm", "h200-sxm", "b200-sxm", "a100-80gb-sxm", "mi300x", "l40s"),
        "model": MODELS,
        "weights": ("bf16", "fp8"),
        "batch": (4, 8, 16, 24, 32, 48, 64),
        "context": (500, 1000, 2000, 4000, 8000),
    },
    ask=_ask,
    first={"gpu": "h200-sxm", "model": "llama-3.1-8b", "weights": "bf16", "batch": 32, "context": 2000},
)
