"""The lie detector: what is read of a claim, what is asked, and ceilings worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessoncore.ceilings import as_claim, judge, missing
from lessoncore.claim import read_claim
from lessoncore.errors import LessonError
from lessoncore.open_claim import lacks, numbers, outcome
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
    ("8xH100 SXM TP4, Llama 3.3 70B", {"gpus": "", "model": "llama-3.1-70b"}, None),
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
    assert read_claim("Llama 70B").candidates["model"] == ["llama-3.1-70b", "llama-2-70b"]


# Claims in people's own words -> for each number what it is about and what comes of it: "yes", "no", "depends", "asked"
# (something is missing), "can't" (no number that could be judged).
WORDINGS: list[tuple[str, list[tuple[str, str]]]] = [
    ("Llama 3 70B at 3000 tok/s on one H100, batch 1", [("user", "no")]),
    ("Llama 3 70B at 30 tok/s on one H100, int4, batch 1", [("user", "yes")]),
    ("Llama 3 70B at 30 tok/s on one H100, batch 1", [("user", "depends")]),  # in bf16 it doesn't fit
    ("3.000 tok/s, Llama 3.1 70B, 1x H100 SXM, fp8, batch 1", [("user", "depends")]),
    ("9.000 tok/s, Llama 3.1 70B, 4x H100 SXM, fp8, one of 1 users", [("user", "depends")]),
    ("Llama 3.1 8B 1x H100 SXM bf16 batch 1: -5 tok/s", [("user", "can't")]),
    ("Llama 3.1 8B 1x H100 SXM bf16 batch 1: 0 tok/s", [("user", "can't")]),
    ("17k tokens/s per GPU H100 DeepSeek V3 prefill, prompt 4k, fp8, 8 GPUs", [("prefill_gpu", "yes")]),
    ("170k tokens/s per GPU H100 DeepSeek V3 prefill, prompt 4k, fp8, 8 GPUs", [("prefill_gpu", "no")]),
    ("17k tokens/s per GPU H100 DeepSeek V3 prefill, prompt 4k, fp8, 16 GPUs", [("prefill_gpu", "can't")]),
    ("first token in 30 ms for a 2k prompt, Llama 3 8B, H100 SXM fp16", [("ttft", "yes")]),
    ("3 ms to first token for a 2k prompt, Llama 3 8B, one H100 SXM fp16", [("ttft", "no")]),
    ("TTFT of 5ms for 8k tokens on an A100", [("ttft", "asked")]),
    ("TTFT 4 ms, Llama 3.1 8B, one H100 SXM, bf16", [("ttft", "no")]),  # the weights alone take 4.5 ms to read
    ("TTFT 40 ms, Llama 3.1 8B, one H100 SXM, bf16", [("ttft", "depends")]),
    ("1e4 tok/s Llama 3.1 8B 1x H100 SXM bf16 batch 1", [("user", "no")]),
    ("1e2 tok/s Llama 3.1 8B 1x H100 SXM bf16 batch 1", [("user", "yes")]),
    ("throughput: 5000 tokens/sec on 8 H100s for Llama 3.1 70B bf16, 128 concurrent users", [("total", "yes")]),
    ("throughput: 500000 tokens/sec on 8 H100s for Llama 3.1 70B bf16, 128 concurrent users", [("total", "no")]),
    ("1.1 million tokens/s total on 8 H100s for Llama 3.1 70B", [("total", "no")]),
    (
        "Llama 3.1 70B FP8, 2 H100 SXM, TPOT 18.6 ms, TTFT 406.8 ms, 5,000 in, 500 out, 1 user",
        [("tpot", "yes"), ("ttft", "yes")],
    ),
    (
        "Llama 3.1 70B FP8, 2 H100 SXM, TPOT 1.86 ms, TTFT 406.8 ms, 5,000 in, 500 out, 1 user",
        [("tpot", "no"), ("ttft", "yes")],
    ),
    (
        "DeepSeek-R1 on 8xH200: 250 tokens per second per user, 30,000 tokens/s max throughput",
        [("user", "yes"), ("total", "depends")],
    ),
    (
        "Qwen2.5-72B, 4xA100 80GB, TP=4, ISL 2048 OSL 256, concurrency 32, 1,150 tok/s, p50 TTFT 780 ms",
        [("", "depends"), ("ttft", "yes")],
    ),
    ("Llama 3.1 8B bf16 on one H100 SXM: 163,5 tok/s, batch 1", [("user", "yes")]),
    ("Llama 3.1 8B bf16 auf einer H100 SXM: 163,5 Token/s, Batch 1", [("user", "yes")]),
    ("Llama 3.1 8B bf16 on one H100 SXM: 663,5 tok/s, batch 1", [("user", "no")]),
    ("1.234,5 tokens/s total, Llama 3.1 8B on 1x H100 SXM, fp16, batch size 64", [("total", "yes")]),
    ("Mixtral 8x7B int4 runs at 45 tokens/s on my RTX 4090", [("", "yes")]),
    ("We get 24,000 tok/s with Llama-3-8B on a single H100 (vLLM, FP8)", [("", "depends")]),
    ("We get 9,000,000 tok/s with Llama-3-8B on a single H100 (vLLM, FP8)", [("", "no")]),
    ("Groq serves Llama 2 70B at 300 tokens/s per user", [("user", "asked")]),
    ("llama3-8b q4_K_M 130 t/s on 4090", [("", "yes")]),
    ("llama3-8b q4_K_M 430 t/s on one 4090, single user", [("user", "no")]),
    ("Llama-3.3-70B-Instruct AWQ on 2x3090: 22 tok/s", [("", "yes")]),
    ("2.7x higher throughput and 5x faster TPOT on Llama 8B, 1.8x on Llama 70B, H100", [("", "asked")]),
    ("50 ms/token Llama 3.1 405B fp8 8xH100 SXM", [("tpot", "yes")]),
    ("5 ms/token Llama 3.1 405B fp8 8xH100 SXM", [("tpot", "no")]),
    ("Time to first token: 0.2 seconds. Prompt 1000 tokens. Llama 3 8B, L4, fp16", [("ttft", "yes")]),
    ("200 tok/sec/user on B200 for Llama 3.1 70B NVFP4 batch 1", [("user", "yes")]),
    ("A100 prefill 100k tok/s Llama 3.1 8B bf16 prompt 4k", [("prefill", "depends")]),
    ("one A100 prefill 100k tok/s Llama 3.1 8B bf16 prompt 4k", [("prefill", "no")]),
    ("DGX H100 Llama 2 70B 6000 tok/s", [("", "depends")]),
    ("1 x NVIDIA H100-SXM5-80GB: 12 ms inter token latency, Llama-3.1-8B, BF16, concurrency=100", [("tpot", "yes")]),
    ("Qwen3-30B-A3B 196 tokens/sec RTX 5090 Q4", [("", "yes")]),
    ("gpt-oss-120b does 400 tok/s on one H100, single user", [("user", "yes")]),
    ("gpt-oss-120b does 4000 tok/s on one H100, single user", [("user", "no")]),
    ("10 tokens/s on MacBook M3 Max for Llama 70B q4", [("", "asked")]),
    ("latency 1.2 s", [("", "asked")]),
    ("Llama 3.1 8B, 1x H100 SXM, bf16, 450 tok/s with EAGLE-3, batch 1", [("user", "no")]),  # of a plain pass
    ("Llama 3.1 70B on one RTX 4090 at 30 tok/s, int4, batch 1", [("user", "no")]),
    ("100 tokens/s Llama 3 8B A100 40GB PCIe fp16 single stream", [("user", "yes")]),
    ("H100 SXM x8, Llama 3.1 405B FP8, 45 tok/s/user", [("user", "yes")]),
    ("Llama 3.1 70B bf16 on 4 x A100-80G SXM: 30 tokens per sec, batch=1", [("user", "yes")]),
    ("8xH100 SXM TP4, Llama 3.3 70B fp8, 150 tok/s per user, batch 1", [("user", "yes")]),
    ("8xH100 SXM TP4, Llama 3.3 70B fp8, 350 tok/s per user, batch 1", [("user", "depends")]),
    ("Llama 3.1 8B, one H100 SXM, bf16: 150-200 tok/s per user, batch 1", [("user", "yes")]),
    ("Llama 3.1 8B, one H100 SXM, bf16: 150 to 900 tok/s per user, batch 1", [("user", "depends")]),
    ("Llama 3.1 8B 3 H100 SXM bf16 100 tok/s batch 1", [("user", "can't")]),  # 32 heads
    ("Kimi K2 on 8 B200: 20 tok/s per user, fp8", [("user", "yes")]),
]


def verdicts(text: str) -> list[tuple[str, str]]:
    reading = read_claim(text)
    found = []
    for fields in numbers(reading.fields, reading):
        if lacks(fields, reading):
            found.append((fields["what"], "asked"))
            continue
        try:
            state = outcome(fields, reading).state
        except LessonError:
            state = "can't"
        found.append((fields["what"], {"possible": "yes", "impossible": "no"}.get(state, state)))
    return found


@pytest.mark.parametrize(("text", "expected"), WORDINGS, ids=lambda x: x if isinstance(x, str) else "")
def test_claims_in_peoples_own_words(text: str, expected: list[tuple[str, str]]) -> None:
    assert verdicts(text) == expected


def said_of(text: str) -> str:
    page = Page(inputs={"claim.do": "read", "claim.text": text})
    return PIECES["verdict"](understood("", page), page)


def test_what_even_the_kindest_reading_cannot_reach_is_a_lie() -> None:
    said = said_of("Llama 3 70B at 3000 tok/s on one H100, batch 1")
    assert "It breaks a ceiling: memory bandwidth, even on any H100 and with 4 bits a weight." in said
    assert "Llama 3 70B is taken as Llama 3.1 70B, which has the same shape." in said


def test_what_is_taken_for_what_is_not_said_is_said() -> None:
    said = said_of("Llama-3.1-8B on H100: 100 tok/s")
    assert "one GPU, a rate for one user, one request at once" in said
    assert "weights as in the checkpoint, bf16" in said
    assert "the slowest that the name fits" in said


def test_what_would_decide_it_is_asked() -> None:
    said = said_of("We get 24,000 tok/s with Llama-3-8B on a single H100 (vLLM, FP8)")
    assert "It depends on what isn’t said:" in said
    assert "for each user or all together, how many requests at once" in said
    assert "with as many requests at once as fit" in said


def test_a_number_that_can_be_read_in_two_ways_is_asked_about() -> None:
    reading = read_claim("3.000 tok/s, Llama 3.1 70B, 1x H100 SXM, fp8, batch 1")
    assert reading.candidates["value"] == ["3 tokens/s", "3,000 tokens/s"]
    assert reading.open["value"] == "it can be 3 tokens/s, 3,000 tokens/s: which one?"


def test_each_of_several_numbers_is_judged() -> None:
    said = said_of("Llama 3.1 70B FP8, 2 H100 SXM, TPOT 1.86 ms, TTFT 406.8 ms, 5,000 in, 500 out, 1 user")
    assert "1.86 ms, time per token: it breaks a ceiling: memory bandwidth." in said
    assert "406.8 ms, time to first token: possible." in said


def test_corrections_alone_are_enough() -> None:
    own = "Llama 3.1 8B, one A100 80GB SXM, fp8, 7 ms/token"
    page = Page(inputs={"claim.do": "check", "claim.gpus": "2"})  # as an address has them
    fields = understood(own, page).fields
    assert (fields["gpus"], fields["value"], fields["model"]) == ("2", "7 ms", "llama-3.1-8b")


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
