"""Scenarios for property tests: any that the catalogue allows."""

from hypothesis import strategies as st

from lessoncore import catalogue
from lessoncore.assumptions import CALIBRATED, TEXTBOOK
from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate
from lessoncore.formula import Quantity
from lessoncore.scenario import Scenario

# One model of each kind: plain, tied, experts, latent attention, windows, linear attention and state space.
MODELS = (
    "llama-3.1-8b",
    "llama-3.1-70b",
    "llama-3.2-1b",
    "mixtral-8x7b",
    "gpt-oss-120b",
    "deepseek-v3",
    "gemma-2-9b",
    "gemma-3-27b",
    "qwen3.5-35b-a3b",
    "nemotron-3-nano",
)
ASSUMPTIONS = st.sampled_from((TEXTBOOK, CALIBRATED))
# What an estimate has: its figures as attributes, prices and energy among them, which may be unknown.
FIGURES = [
    "ttft_s",
    "tpot_s",
    "decode_s",
    "total_s",
    "decode_share",
    "attention_share",
    "bandwidth",
    "peak_flops",
    "ridge",
    "crossover",
    "crossover_by_datasheet",
    "tokens_per_s",
    "user_tokens_per_s",
    "gpu_tokens_per_s",
    "prefill_share_s",
    "request_s",
    "requests_per_s",
    "throughput",
    "loaded_tpot_s",
    "weight_bytes",
    "kv_bytes_per_token",
    "memory_bytes",
    "context_end",
    "kv_bytes",
    "memory_used",
    "kv_budget",
    "kv_tokens",
    "largest_batch",
    "longest_context",
    "price",
    "input_cost",
    "output_cost",
    "request_cost",
    "fleet_price",
    "input_energy",
    "output_energy",
]


@st.composite
def scenarios(draw: st.DrawFn, /, **fixed: object) -> Scenario:
    """A scenario that is possible."""
    gpu = catalogue.gpu(draw(st.sampled_from(catalogue.keys("gpus"))))
    prompt = draw(st.integers(1, 131_072))
    values = {
        "gpu": gpu.key,
        "model": draw(st.sampled_from(MODELS)),
        "gpus": draw(st.sampled_from((1, 1, 2, 4, 8, 16))),
        "weights": draw(st.sampled_from(("bf16", "fp8", "int8", "int4", "int4-g128", "stored"))),
        "maths": draw(st.sampled_from([maths for maths in gpu.peak_flops if maths in ("bf16", "fp8", "int8", "fp4")])),
        "kv": draw(st.sampled_from(("bf16", "fp8"))),
        "prompt": prompt,
        "cached": draw(st.integers(0, prompt - 1)),
        "output": draw(st.integers(1, 16_384)),
        "batch": draw(st.integers(1, 4_096)),
        "replicas": draw(st.integers(1, 1_024)),
        "price": draw(st.sampled_from((0, 0.01, 2.5, 100))),
    } | fixed
    try:
        return Scenario(**values)  # type: ignore[arg-type]
    except LessonError:  # heads that GPUs can't share, GPUs without a link
        return Scenario(**values | {"gpus": 1})  # type: ignore[arg-type]


def figures(e: Estimate) -> dict[str, Quantity]:
    """All figures of an estimate that are known, those of its passes and its memory among them."""
    found = {name: getattr(e, name) for name in FIGURES}
    for name, each in (("prefill", e.prefill), ("decode", e.decode)):
        work = each.work
        for part in ("embedding", "projections", "attention", "mlp", "head", "total"):
            found[f"{name} flops {part}"] = getattr(work.flops, part)
        for part in ("embedding", "projections", "mlp", "head", "weights", "kv_read", "kv_write", "total"):
            found[f"{name} bytes {part}"] = getattr(work.bytes, part)
        for part in ("compute_s", "memory_s", "communication_s", "intensity", "compute_busy", "memory_busy"):
            found[f"{name} {part}"] = getattr(each, part)
    for part in ("total", "usable", "weights", "kv", "runtime", "activations", "room"):
        found[f"memory {part}"] = getattr(e.memory_fit, part)
    return {name: q for name, q in found.items() if q is not None}
