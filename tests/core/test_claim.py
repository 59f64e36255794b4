"""The lie detector: what is read of a claim, what is asked, and ceilings worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessoncore.ceilings import as_claim, judge, missing
from lessoncore.claim import read_claim
from lessoncore.errors import LessonError
from lessoncore.page import Page
from lessoncore.views.claim import PIECES, understood

READ = [
    (
        "Llama 3.1 70B on 4x H100: 250 tok/s per user, fp8, batch 1",
        {
            "what": "user",
            "value": "250 tokens/s",
            "model": "llama-3.1-70b",
            "gpus": "4",
            "precision": "fp8",
            "batch": "1",
        },
        {"gpu"},
    ),
    ("TTFT 20 ms for 8k prompt on A100", {"what": "ttft", "value": "20 ms", "prompt": "8000"}, None),
    (
        "3,000 output tokens/s total throughput with Qwen3-32B (AWQ) at concurrency 64 on 2 x L40S, ISL 1024 OSL 256",
        {"what": "total", "value": "3,000 tokens/s", "model": "qwen3-32b", "gpu": "l40s", "gpus": "2"}
        | {"precision": "int4", "batch": "64", "prompt": "1024", "output": "256"},
        set(),
    ),
    (
        "gpt-oss-120b single H100 SXM5 80GB mxfp4 180 tps single user",
        {"what": "user", "value": "180 tokens/s", "model": "gpt-oss-120b", "gpu": "h100-sxm", "gpus": "1"}
        | {"precision": "fp4", "batch": "1"},
        set(),
    ),
    (
        "Llama-3.1-8B bf16 A100-SXM4-80GB x1: 12,000 tok/s prefill, 2000-token prompt",
        {"what": "prefill", "value": "12,000 tokens/s", "model": "llama-3.1-8b", "gpu": "a100-80gb-sxm", "gpus": "1"}
        | {"precision": "bf16", "prompt": "2000"},
        set(),
    ),
    ("mixtral 8x7b, rtx 4090 x2, 4-bit, 60 t/s", {"model": "mixtral-8x7b", "gpu": "rtx-4090", "gpus": "2"}, {"what"}),
    (
        "phi-4 on one RTX 5090, 16-bit, 14 ms per token, fp8 kv cache",
        {"what": "tpot", "value": "14 ms", "kv": "fp8"},
        set(),
    ),
    ("0.5 s TTFT and 30 ms TPOT", {"what": "", "value": ""}, None),
    ("TPOT 30 ms, then TTFT: 0.5 s", {"what": "", "value": ""}, None),
    ("8xH100 SXM TP4, Llama 3.3 70B", {"gpus": "", "model": ""}, None),
    ("Kimi K2.5 rather than Kimi K2", {"model": ""}, None),
    ("fp8 or bf16, DeepSeek-V3.1", {"precision": "", "model": ""}, None),
]


@pytest.mark.parametrize(("text", "fields", "asked"), READ, ids=lambda x: x[:30] if isinstance(x, str) else "")
def test_what_is_read_and_what_is_asked(text: str, fields: dict[str, str], asked: set[str] | None) -> None:
    reading = read_claim(text)
    assert {key: reading.fields[key] for key in fields} == fields
    if asked is not None:
        assert set(reading.open) == asked
    for key, value in reading.fields.items():  # what is empty and needed has a reason
        assert value or key in reading.open or key in ("kv", "batch", "prompt", "output")


def test_an_open_gpu_offers_what_it_can_be() -> None:
    assert read_claim("on 8 H100").candidates["gpu"] == ["h100-sxm", "h100-pcie", "h100-nvl"]
    assert read_claim("Llama 3.3 70B").candidates["model"] == ["llama-3.1-70b"]


FULL = {"what": "user", "value": "250 tok/s", "model": "llama-3.1-70b", "gpu": "h100-sxm", "gpus": "4"} | {
    "precision": "fp8",
    "batch": "1",
}


def test_a_claim_that_breaks_the_memory_bandwidth() -> None:
    # 70.55 billion weights of a byte less the input table's 1.05 billion, at 4 × 3.35 TB/s: 5.19 ms a token.
    judged = judge(as_claim(FULL))
    assert [c.name for c in judged.broken] == ["Memory bandwidth"]
    assert judged.nearest.least == pytest.approx(69.5e9 / (4 * 3.35e12), rel=1e-3)
    assert judged.claim.time_s == 1 / 250


def test_a_claim_that_breaks_compute() -> None:
    # 8,000 tokens of Llama 3.1 8B: at least 2 · 6.98 billion multiplied weights a token at 312 TFLOP/s.
    fields = FULL | {"what": "ttft", "value": "20 ms", "model": "llama-3.1-8b", "gpu": "a100-80gb-sxm", "gpus": "1"}
    judged = judge(as_claim(fields | {"precision": "bf16", "prompt": "8000"}))
    assert [c.name for c in judged.broken] == ["Compute"]
    assert judged.nearest.least > 2 * 6.98e9 * 8000 / 312e12


def test_a_claim_that_does_not_fit() -> None:
    judged = judge(as_claim(FULL | {"gpus": "1", "precision": "bf16", "value": "5 tok/s"}))
    assert [c.name for c in judged.broken] == ["Memory size"]


def test_a_possible_claim_says_its_share() -> None:
    judged = judge(as_claim(FULL | {"value": "100 tok/s"}))
    assert judged.broken == []
    assert judged.nearest.share == pytest.approx(5.19e-3 * 100, rel=2e-3)


@pytest.mark.parametrize(
    ("what", "value", "seconds"),
    [
        ("total", "1000 tok/s", 64 / 1000),
        ("gpu", "1000 tok/s", 64 / 4000),
        ("user", "20 tok/s", 1 / 20),
        ("tpot", "20", 0.02),
    ],
)
def test_every_kind_of_rate_is_a_time_of_a_pass(what: str, value: str, seconds: float) -> None:
    assert as_claim(FULL | {"what": what, "value": value, "batch": "64"}).time_s == pytest.approx(seconds)


def test_what_is_missing_is_named_and_never_guessed() -> None:
    assert missing({"what": "total"}) == [
        *("the number", "the model", "the GPU", "the number of GPUs", "the number format"),
        "the number of requests at once",
    ]
    with pytest.raises(LessonError, match="the length of the prompt"):
        as_claim(FULL | {"what": "ttft", "value": "1 s"})


def test_what_is_taken_in_its_favour_is_said() -> None:
    page = Page(inputs={"claim.do": "read", "claim.text": "Llama 3.1 8B, one A100 80GB SXM, fp8, 7 ms/token"})
    said = PIECES["verdict"](understood("", page), page)
    assert "one request at once, no prompt in the cache, maths in bf16, as the GPU has no fp8 units" in said


def test_speculative_decoding_is_no_lie() -> None:
    page = Page(inputs={"claim.do": "read", "claim.text": READ[0][0].replace("H100", "H100 SXM") + " with EAGLE"})
    said = PIECES["verdict"](understood("", page), page)
    assert "by its own words several tokens come out of one pass" in said
    assert "It breaks" not in said


@given(st.text(max_size=200) | st.lists(st.sampled_from([w for t, *_ in READ for w in t.split()])).map(" ".join))
def test_any_text_is_read_or_asked_about(text: str) -> None:
    reading = read_claim(text)
    page = Page(inputs={"claim.do": "read", "claim.text": text})
    assert PIECES["verdict"](understood("", page), page)
    assert all(len(value) < 100 for value in reading.fields.values())
