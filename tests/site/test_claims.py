"""What the sentences of the lesson claim is true, in figures and in words, wherever the controls stand."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from prose import STEPS, texts_of_widgets
from states import DOCS, pages_of, stage_of

from lessoncore.estimate import Estimate
from lessoncore.evidence.rows import rows_of
from lessoncore.evidence.sets import error
from lessoncore.figures import FIGURES
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS
from site_hooks.expressions import Expression, LiveNumber, Ratio, evaluate
from site_hooks.source import EXPRESSION, Prose, blocks

LESSON = [DOCS / "index.md", *STEPS]
# Words that make a figure of a sentence.
_COUNTS = "two|three|four|five|six|seven|eight|nine|ten|twelve|thirteen|fourteen|sixteen|twenty|fifty|hundred"
IN_WORDS = re.compile(
    r"\b(?:half|halve[sd]?|thirds?|quarters?|fifths?|sixths?|tenths?|hundredth|hundredfold|twice|doubled?|doubles|doubling"
    rf"|dozens|hundreds|thousands|nearly all|almost all|hardly (?:more|counts)|(?:{_COUNTS}) times"
    rf"|more than (?:{_COUNTS}|half)|about (?:{_COUNTS}))\b",
    re.IGNORECASE,
)
# Words that relate a number to another one, or judge it.
RELATING = re.compile(
    r"\b(?:more|less|fewer|far|hardly|nearly|almost|only|still|longer|shorter|faster|slower|cheaper|larger|smaller"
    r"|enough|instead|against|above|below|compute-bound|memory-bound|down to|not even|never|alone|most|all|as before)\b"
)

type Of = Callable[..., Estimate]


@dataclass(frozen=True)
class Claim:
    """Words of a page, and what must be so for them to be true.

    ``of`` gives the page's own scenario with changes; ``everywhere`` is for sentences with numbers that follow the
    controls: there it gives each state that a reader can bring the page to.
    """

    step: int
    words: str
    true: Callable[[Of], bool]
    everywhere: bool = False


def times(figure: str, least: float, most: float, first: dict, second: dict) -> Callable[[Of], bool]:  # type: ignore[type-arg]
    """Whether the figure of one scenario is so many times that of another."""

    def check(of: Of) -> bool:
        one, other = (FIGURES[figure].known(of(**changes)).value for changes in (first, second))
        return least <= one / other <= most

    return check


def share(figure: str, least: float, most: float, **changes: object) -> Callable[[Of], bool]:
    return lambda of: least <= FIGURES[figure].known(of(**changes)).value <= most


def missing_time(effect: str) -> Callable[[Of], bool]:
    """Whether the model is too fast wherever it is off by more than the median."""
    return lambda of: all(one < 0 for one in _beyond_the_median(effect))


def _beyond_the_median(effect: str) -> list[float]:
    """The larger half of the errors; all measurements are compared as times."""
    errors = sorted((error(row, "textbook") for row in rows_of(effect)), key=abs)
    return errors[len(errors) // 2 :]


def most_are_slower(effect: str) -> Callable[[Of], bool]:
    """Whether most measurements that are off by more than the median are slower than the model says."""

    def check(of: Of) -> bool:
        beyond = _beyond_the_median(effect)
        return sum(one < 0 for one in beyond) > len(beyond) / 2

    return check


def _always(of: Of) -> bool:
    """For words that are a definition, arithmetic or an everyday count, and no result of the model."""
    return True


_FASTER = {"weights": "fp8"}
_ALONE = {"prompt": 2000, "gpus": 1}
CLAIMS = [
    Claim(0, "four times as much as you got", lambda of: of().scenario.prompt == 4 * of().scenario.output),
    Claim(0, "which half gains", _always),
    Claim(1, "four times as many tokens as the answer", lambda of: of().scenario.prompt == 4 * of().scenario.output),
    Claim(1, "three quarters of a word", _always),
    Claim(1, "does a fraction of the arithmetic", lambda of: of().decode.flops.value < of().prefill.flops.value / 100),
    Claim(1, "tokens run through it", _always),
    Claim(1, "the memory sets the pace, and fetching", lambda of: of().decode.bound == "memory", everywhere=True),
    Claim(1, "Nearly all of it", share("decode_share", 0.95, 1)),
    Claim(1, "Double the prompt", _always),
    Claim(1, "first token doubles, and a little more", times("ttft", 2.01, 2.2, {"prompt": 4000}, {})),
    Claim(2, "far above the ridge", lambda of: of().prefill.intensity.value > 5 * of().ridge.value),
    Claim(2, "nearly all the time", share("decode_compute_busy", 0, 0.02)),
    Claim(2, "one token up to thousands", _always),
    Claim(2, "ten times the ridge", lambda of: 10 * of().ridge.value == pytest.approx(2950, rel=0.01)),
    Claim(3, "8 billion numbers of two bytes", lambda of: of().weight_bytes.value == pytest.approx(16e9, rel=0.02)),
    Claim(4, "about a hundredth", times("prefill_compute_time", 95, 105, {"prompt": 2000}, {})),
    Claim(4, "a hundredfold", times("prefill_compute_time", 95, 105, {"prompt": 2000}, {})),
    Claim(4, "twenty tokens as for two thousand", lambda of: of().scenario.prompt == 20),
    Claim(4, "what a decode pass takes", lambda of: abs(of().ttft_s.value / of().tpot_s.value - 1) < 0.02),
    Claim(4, "hardly more than 20 tokens", times("ttft", 1, 1.05, {"prompt": 200}, {})),
    Claim(4, "Ten times the tokens for the same time", times("ttft", 1, 1.05, {"prompt": 200}, {})),
    Claim(4, "double that prompt", _always),
    Claim(4, "hundreds of small programs", lambda of: of().scenario.architecture.layers * 8 > 200),
    Claim(4, "of the time is missing", missing_time("ttft_short")),
    Claim(5, "hundreds of operations", lambda of: of().ridge.value > 200),
    Claim(5, "hardly more than the", times("tpot", 1, 1.15, {}, {"batch": 1})),
    Claim(5, "more than anybody can read", lambda of: of().user_tokens_per_s.value > 20),
    Claim(5, "hardly notices", times("tpot", 1, 1.15, {}, {"batch": 1})),
    Claim(5, "cost far less", lambda of: _cost(of, "in", batch=8) < _cost(of, "out", batch=8) / 10, everywhere=True),
    Claim(5, "Shared by", lambda of: _cost(of, "out", batch=8) < _cost(of, "out", batch=1) / 5, everywhere=True),
    Claim(5, "most of the others are slower", most_are_slower("batching")),
    Claim(5, "twice as large", _always),
    Claim(5, "almost twice as many tokens", times("tokens_per_s", 1.7, 2, {"batch": 16}, {})),
    Claim(5, "below half a dollar", _always),
    Claim(5, "more than ten times cheaper", lambda of: of(batch=1).output_cost.value > 10 * 0.5),
    Claim(6, "A pass for {{ batch }} is", _always),
    Claim(6, "most of the others are slower", most_are_slower("throughput")),
    Claim(6, "throughput falls by half", lambda of: 4700 / of().tokens_per_s.value == pytest.approx(0.5, abs=0.01)),
    Claim(6, "no batch is large enough", lambda of: of(prompt=2000, output=500).batch_crossover is None),
    Claim(7, "fp8, which halves it", times("kv_per_token", 0.5, 0.5, {"kv": "fp8"}, {})),
    Claim(7, "Half the bytes for each cached number, twice", times("kv_tokens", 1.99, 2.01, {"kv": "fp8"}, {})),
    Claim(8, "half the bytes", times("weight_bytes", 0.5, 0.5, _FASTER, {})),
    Claim(8, "one byte instead of two", times("weight_bytes", 0.5, 0.5, _FASTER, {})),
    Claim(8, "twice as many operations a second", times("peak", 1.99, 2.01, {"maths": "fp8"}, {})),
    Claim(8, "nearly twice as fast", times("tpot", 1.9, 2, {}, _FASTER)),
    Claim(8, "weights still take half the time", times("tpot", 1.9, 2.1, {}, _FASTER)),
    Claim(8, "half of the bytes are gone", times("tpot", 1.9, 2.1, {}, _FASTER)),
    Claim(8, "Half the bytes, half the time", times("tpot", 1.9, 2.1, {}, _FASTER)),
    Claim(8, "the half that waits for arithmetic", _always),
    Claim(
        8,
        "The bill follows",
        times("output_cost", 1.9, 2.1, {"maths": "bf16", "weights": "bf16"}, {"maths": "bf16", "weights": "fp8"}),
        everywhere=True,
    ),
    Claim(8, "most of the others are slower", most_are_slower("quantised")),
    Claim(9, "Halve it again", times("weight_bytes", 0.5, 0.5, {"weights": "int4"}, _FASTER)),
    Claim(9, "Half a byte", lambda of: of(weights="int4").scenario.weight_format("mlp").bytes == 0.5),
    Claim(9, "half a bit more", lambda of: of(weights="int4-g32").scenario.weight_format("mlp").bytes == 4.5 / 8),
    Claim(9, "not even half the time", times("tpot", 0.5, 1, {"weights": "int4", "batch": 64}, {"batch": 64})),
    Claim(9, "A quarter of the bytes", times("weight_bytes", 0.25, 0.25, {"weights": "int4"}, {})),
    Claim(9, "more than three times as fast", lambda of: of().tpot_s.value / 0.002 > 3),
    Claim(10, "dozens of times slower", lambda of: 24 < of().bandwidth.value / 64e9 < 100),  # PCIe 5.0, 16 lanes
    Claim(10, "twice as many gigabytes", lambda of: of().scenario.weight_format("mlp").bytes == 2),
    Claim(11, "a tenth is kept back", lambda of: of().assumptions.usable_share == pytest.approx(0.9)),
    Claim(11, "more than the small one", times("kv_per_token", 1.01, 9, {}, {"model": "llama-3.1-8b"})),
    Claim(11, "the memory is doubled, and nearly all", lambda of: _gain(of) > 0.85),
    Claim(11, "worth far more than the first", times("largest_batch", 3, 99, {"gpus": 2}, {})),
    Claim(
        11, "for a user who is alone", lambda of: _cost(of, "out", batch=4, **_ALONE) < _cost(of, "out", **_ALONE) / 3
    ),
    Claim(11, "About thirteen thousand", share("kv_tokens", 12_900, 13_500)),
    Claim(11, "ten times as many", lambda of: of().scenario.architecture.longest_context / of().kv_tokens.value > 9.5),
    Claim(12, "hardly matters", lambda of: of().decode.communication_s.value < 1.05 * _latencies(of)),
    Claim(12, "not twice as fast", times("tpot", 0.51, 0.9, {"gpus": 8}, {})),
    Claim(12, "Less than twice, for twice the price", times("tpot", 0.51, 0.9, {"gpus": 8}, {})),
    Claim(12, "twice as much memory", times("kv_budget", 2, 9, {"gpus": 8}, {})),
    Claim(12, "Is it twice as fast", _always),
    Claim(12, "Half the reading", times("decode_memory_time", 0.49, 0.51, {"gpus": 8}, {})),
    Claim(12, "The reading is halved", times("decode_memory_time", 0.49, 0.51, {"gpus": 8}, {})),
    Claim(12, "further doubling buys less", lambda of: _speedup(of, 4) > _speedup(of, 8)),
    Claim(12, "of the time is missing", missing_time("tensor_parallel")),
    Claim(13, "a tenth is kept in reserve", lambda of: of().assumptions.usable_share == pytest.approx(0.9)),
    Claim(13, "int4 half a byte", lambda of: of(weights="int4").scenario.weight_format("mlp").bytes == 0.5),
    Claim(13, "a quarter of every layer", lambda of: of().scenario.gpus == 4),
    Claim(
        14, "twice the tokens, twice the work", times("prefill_products_time", 2, 2, {"prompt": 8000}, {"prompt": 4000})
    ),
    Claim(
        14,
        "twice the tokens, four times the work",
        times("prefill_attention_time", 4, 4, {"prompt": 800}, {"prompt": 400}),
    ),
    Claim(14, "attention hardly counts", share("attention_share", 0, 0.05, prompt=2000)),
    Claim(14, "sixteen times as many", lambda of: 16 * 8000 == 128_000),
    Claim(14, "Sixteen times the tokens", lambda of: 16 * 8000 == 128_000),
    Claim(14, "attention is half of the work", share("attention_share", 0.48, 0.52, prompt=62_000)),
    Claim(14, "closer to four times than to twice", times("ttft", 3, 4, {"prompt": 131_000}, {"prompt": 65_500})),
    Claim(15, "nearly all computing", share("waiting_share", 0, 0.1, rate=0.5)),
    Claim(15, "hardly half full", lambda of: of().served.served_gpu_tokens_per_s.value < 0.55 * _offline(of)),
    Claim(15, "each of their tokens takes longer", times("tpot", 1.01, 99, {"batch": 64}, {"batch": 8})),
    Claim(15, "what nearly all users get", _always),
    Claim(15, "Half of them have their first token", _always),
    Claim(15, "Half of the users noticed nothing", _always),
    Claim(15, "twice the load, 6 requests a second", lambda of: of().scenario.rate == 3),
    Claim(15, "Twice the load, twice the GPUs", lambda of: of().scenario.rate == 3),
    Claim(15, "waiting is now", _always),
    Claim(15, "and {{ slo_share }} of the requests get both", _always),
    Claim(16, "thousands of tokens in every pass", _always),
    Claim(16, "three times the arithmetic", lambda of: of().training.flops_per_token.value / (2 * 8_030_261_248) == 3),
    Claim(16, "eight times the memory", lambda of: of().training.state_bytes.value == 8 * of().weight_bytes.value),
    Claim(
        16,
        "For this model that is",
        lambda of: of().training.state_bytes.value == 8 * of().weight_bytes.value,
        everywhere=True,
    ),
    Claim(16, "More than thirteen", lambda of: 13 < _gpus_of_state(of) < 14),
    Claim(
        16,
        "six times parameters times tokens",
        lambda of: of().training.flops.value == pytest.approx(6 * 15e12 * 8.03e9, rel=1e-3),
    ),
    Claim(17, "Halve the bytes of the weights and decode takes half the time", times("tpot", 0.5, 0.52, _FASTER, {})),
    Claim(17, "Twice the GPUs are less than twice as fast", lambda of: _speedup(of, 8) < 2),
    Claim(17, "Twice the prompt, twice the pause, and more", times("ttft", 2, 2.2, {"prompt": 4000}, {})),
    Claim(17, "half within", _always),
]


def _cost(of: Of, way: str, **changes: object) -> float:
    """The price of a million tokens."""
    cost = of(**changes).input_cost if way == "in" else of(**changes).output_cost
    assert cost is not None
    return cost.value


def _gain(of: Of) -> float:
    """The part of a second GPU's usable memory that conversations get."""
    e = of()
    return (of(gpus=2).kv_budget.value - e.kv_budget.value) / (e.assumptions.usable_share * e.memory_bytes.value)


def _speedup(of: Of, gpus: int) -> float:
    one, two = (of(model="llama-3.1-70b", gpus=n).tpot_s.value for n in (gpus // 2, gpus))
    return one / two


def _latencies(of: Of) -> float:
    all_reduces = of().decode.communication_s.inputs
    return float(all_reduces["all_reduces"].value * all_reduces["all_reduce_s"].inputs["all_reduce_latency_s"].value)


def _offline(of: Of) -> float:
    return float(of().served.offline_gpu_tokens_per_s.value)


def _gpus_of_state(of: Of) -> float:
    e = of(model="llama-3.1-70b")
    return float(e.training.state_bytes.value / e.memory_bytes.value)


def number(path: Path) -> int:
    return int(path.stem[:2]) if path.stem[:2].isdigit() else 0


NAMED = {number(path): path for path in LESSON}


@cache
def source(step: int) -> str:
    return " ".join(NAMED[step].read_text(encoding="utf-8").split())


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: f"{c.step}: {c.words}")
def test_a_claim_is_true(claim: Claim) -> None:
    assert claim.words.lower() in source(claim.step).lower(), "no such words on the page: the claim can go"
    if claim.everywhere:
        for page in pages_of(NAMED[claim.step]):
            assert claim.true(lambda page=page, **changes: page.estimate(changes)), page.scenario
    else:
        own = Page((stage_of(NAMED[claim.step]) or {}).get("scenario"))
        assert claim.true(lambda **changes: own.estimate(changes))


def sentences(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The sentences of a page's prose, as written, each with what stands in its braces."""
    body = path.read_text(encoding="utf-8").split("\n---\n", 1)[-1]
    paragraph: list[str] = []
    for block in [*blocks(body.split("\n")), Prose(0, "")]:
        text = block.text.strip() if isinstance(block, Prose) else ""
        if not text or re.match(r"[-*|#!\d] ?", text):
            yield from _split(" ".join(paragraph))
            paragraph = []
        if text and not text.startswith(("#", "|", ":::")):
            paragraph.append(text)


def _split(paragraph: str) -> Iterator[tuple[str, list[str]]]:
    found: list[str] = []
    kept = EXPRESSION.sub(lambda m: found.append(m[0]) or f"⟦{len(found) - 1}⟧", paragraph)  # type: ignore[func-returns-value]
    for one in re.split(r"(?<=[.!?:;])[\"”)*]*\s+(?=[A-Z\"“(*⟦-])", kept):
        expressions = [found[int(n)] for n in re.findall(r"⟦(\d+)⟧", one)]
        yield re.sub(r"⟦(\d+)⟧", lambda m: found[int(m[1])], one), expressions


def claimed(path: Path, text: str) -> bool:
    said = text.lower()
    return any(c.step == number(path) and (c.words.lower() in said or said in c.words.lower()) for c in CLAIMS)


# "Half of the measured times are within 20%": what a median is.
_MEDIAN = re.compile(r"[Hh]alf of (?:the|all) .*?\{\{ error\([^}]*\}\}")


@pytest.mark.parametrize("path", LESSON, ids=lambda path: path.stem)
def test_a_figure_in_words_is_checked_as_well(path: Path) -> None:
    prose = [_MEDIAN.sub("", text) for text, _ in sentences(path)]
    spoken = [text for text in prose if IN_WORDS.search(text)]
    spoken += [p.text for p, _ in texts_of_widgets(path) if IN_WORDS.search(p.text)]
    assert [text for text in spoken if not claimed(path, text)] == []


# A share can be 0%; nothing else in the lesson's sentences is ever nothing.
_NONSENSE = re.compile(r"not known|[-–…]|0(?![.\d%])")


def value(expression: str) -> Expression:
    return evaluate(expression.removeprefix("{{").removesuffix("}}"))


@pytest.mark.slow
@pytest.mark.parametrize("path", LESSON, ids=lambda path: path.stem)
def test_a_sentence_that_relates_numbers_has_them_pinned(path: Path) -> None:
    """Or else its claim is checked, and holds in every state."""
    pages = pages_of(path)
    moving = [
        text
        for text, expressions in sentences(path)
        if RELATING.search(EXPRESSION.sub("", text))
        and any(_moves(value(expression), pages) for expression in expressions)
    ]
    assert [text for text in moving if not claimed(path, text)] == []


def _moves(number: Expression, pages: list[Page]) -> bool:
    if not isinstance(number, LiveNumber | Ratio) or (isinstance(number, LiveNumber) and number.own):
        return False
    return len({number.text(page) for page in pages}) > 1


@pytest.mark.slow
@pytest.mark.parametrize("path", LESSON, ids=lambda path: path.stem)
def test_no_number_in_a_sentence_is_ever_nonsense(path: Path) -> None:
    for page in pages_of(path):
        for text, expressions in sentences(path):
            for expression in expressions:
                number = value(expression)
                if isinstance(number, LiveNumber) and number.key not in PARAMETERS:
                    shown = number.text(page)
                    if shown == "– (doesn’t fit)" and not page.estimate().memory_fit.fits:
                        continue  # the stage tells the reader what ran out
                    assert not _NONSENSE.match(shown), (
                        f"{path.stem} with {page.scenario}: {expression} is {shown} in: {text}"
                    )


@pytest.mark.parametrize("path", STEPS, ids=lambda path: path.stem)
def test_words_that_follow_the_controls_say_both(path: Path) -> None:
    """Each wording of a ``when`` is seen by some reader, and says what the figures say."""
    for _, expressions in sentences(path):
        for expression in expressions:
            if expression.startswith("{{ when("):
                assert len({value(expression).text(page) for page in pages_of(path)}) == 2, expression
