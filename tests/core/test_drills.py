"""Drills: questions that the model answers, answers as people type them, mistakes that are recognised, a fair score."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lessoncore import respond
from lessoncore.drills import NAMES, Question, drill
from lessoncore.drills.answers import read
from lessoncore.drills.card import At
from lessoncore.drills.judge import Verdict, judge, said
from lessoncore.drills.sequence import Asked, first, question, questions
from lessoncore.errors import LessonError
from lessoncore.estimate import estimate
from lessoncore.memory import kv_budget_of_a_gpu
from lessoncore.scenario import Scenario
from lessoncore.symbols import SYMBOLS
from lessoncore.units import SCALES


def asked(name: str, **case: Any) -> Question:
    kind = drill(name)
    found = kind.ask({**kind.first, **case})
    assert found
    return found


def verdict(name: str, typed: str, **case: Any) -> Verdict:
    return judge(drill(name), asked(name, **case), typed)


def sequence(names: tuple[str, ...], seed: str, n: int) -> list[Asked]:
    """What a reader of one card is asked, one after the other."""
    come: list[Asked] = []
    for number in range(n):
        come.append(question(names, seed, number, {one.key for one in come}))
    return come


LLAMA = {"gpu": "h100-sxm", "model": "llama-3.1-8b", "weights": "bf16"}


# What is asked.


@pytest.mark.parametrize(
    ("name", "case", "shown"),
    [
        ("decode-limit", LLAMA, "4.794 ms"),
        ("decode-limit", {**LLAMA, "reached": True}, "5.993 ms"),
        ("weights-per-gpu", {"gpu": "h100-sxm", "model": "llama-3.1-70b", "gpus": 4}, "35.28 GB"),
        ("weights-per-gpu", {"gpu": "h100-sxm", "model": "llama-3.1-70b", "gpus": 8}, "17.64 GB"),
        ("ridge-point", {"gpu": "h100-sxm"}, "295.3 FLOP/B"),
        ("ttft-from-flops", {"gpu": "h100-sxm", "prompt": 2000}, "54.11 ms"),
        ("kv-per-token", {"model": "llama-3.1-8b"}, "131.1 kB"),
        ("users-that-fit", {**LLAMA, "prompt": 2000, "output": 500}, "179"),
        ("users-that-fit", {**LLAMA, "prompt": 16_000, "output": 500}, "27"),
        ("batch-rate", {**LLAMA, "batch": 64, "context": 500}, "8,468 tokens/s"),
        ("training-flops", {"model": "llama-3.1-8b", "tokens": 18}, "8.67 × 10²³ FLOP"),
    ],
)
def test_the_lessons_own_figures(name: str, case: dict[str, Any], shown: str) -> None:
    assert said(asked(name, **case)).replace("\xa0", " ") == shown


def test_answers_are_those_of_the_estimate() -> None:
    e = estimate(Scenario(gpus=4, model="llama-3.1-70b"))
    fit = e.memory_fit
    one = kv_budget_of_a_gpu(0.9, fit.total.value, fit.runtime.value, fit.weights.value)
    assert 4 * one == pytest.approx(e.kv_budget.value)
    batch = asked("batch-rate", **LLAMA, batch=8, context=2000)
    assert batch.answer.value == pytest.approx(8 / estimate(Scenario(batch=8)).decode_at(2000).time_s.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_question_can_be_answered_and_none_comes_twice(name: str) -> None:
    kind = drill(name)
    texts = set()
    for n, one in enumerate(questions(kind, "1")):
        unit = SYMBOLS[one.answer.symbol].unit
        assert one.answer.value > 0
        assert one.answer.value == pytest.approx(one.answer.recomputed())
        assert one.scale in [scale for _, scale in SCALES[unit]]
        assert (said(one) + one.text + str(one.given) + str(one.slips)).isprintable() or "\xa0" in one.text + str(one)
        if n < 100:
            assert judge(kind, one, said(one)).right is True, one
            assert all(judge(kind, one, f"{one.answer.value * off:.9g} {unit}").right is False for off in (0.5, 2))
        texts.add((one.text, one.given))
    assert len(texts) == n + 1 >= 25


@settings(max_examples=40, deadline=None)
@given(
    st.text(max_size=50), st.lists(st.sampled_from(["ridge-point", "kv-per-token"]), unique=True, min_size=1), st.data()
)
def test_no_repetition_within_a_sequence_whatever_the_seed(seed: str, names: list[str], data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 28 * len(names) - len(names)))
    come = sequence(tuple(names), seed, n)
    assert len({one.question.text for one in come}) == n
    assert come[0].key == question(tuple(names), "another", 0).key
    for start in range(0, n - len(names) + 1, len(names)):  # each kind once a round
        kinds = [one.drill.name for one in come[start : start + len(names)]]
        assert sorted(kinds) == sorted(names)


def test_seeds_differ_and_all_questions_used_up_start_over() -> None:
    orders = {tuple(one.key for one in sequence(("decode-limit",), str(seed), 6)) for seed in range(20)}
    assert len(orders) == 20
    all_of_them = {one.key for one in sequence(("kv-per-token",), "1", 28)}
    assert len(all_of_them) == 28
    later = [question(("kv-per-token",), "1", n, all_of_them).key for n in (28, 29, 99_999)]
    assert set(later) <= all_of_them
    assert later[0] != later[1]


def test_no_two_cards_of_the_lesson_begin_with_the_same_question() -> None:
    cards = [
        tuple(re.split(r",\s*", names))
        for path in sorted((Path(__file__).parents[2] / "docs" / "steps").glob("*.md"))
        for names in re.findall(r"^drills: \[(.*)\]$", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert len(cards) >= 5
    assert len({first(names).key for names in cards}) == len(cards)


# What is typed.


@pytest.mark.parametrize(
    "typed",
    [
        "4.8 ms",
        "4,8",
        "4.8",
        " 4.8",
        "0.0048 s",
        "4.8e-3 s",
        "4800 µs",
        "4800 μs",
        "4 800 us",
        "4,800 µs",
        "4.8ms",
        "~4.8 msec",
        "4.8 milliseconds",
        "4.79",
        "0,0048 seconds",
        "4.8×10^-3 s",
        "4.8 · 10⁻³ s",
        "4.794 MS",
        "٤.٨",
    ],
)
def test_any_reasonable_form_of_a_time(typed: str) -> None:
    assert verdict("decode-limit", typed, **LLAMA).right is True


@pytest.mark.parametrize(
    ("name", "case", "typed"),
    [
        ("weights-per-gpu", {"gpus": 8}, ["18.18 GB", "18,176 MB", "16.93 GiB", "18.2", "145 Gbit", "18,18 gb"]),
        (
            "kv-per-token",
            {"model": "llama-3.1-8b"},
            ["131 kB", "128 KiB", "131072 B", "131 072 bytes", "0.131 MB/token"],
        ),
        ("ridge-point", {"gpu": "h100-sxm"}, ["295", "295 FLOP/B", "295 FLOPs per byte", "295 flop/byte"]),
        ("users-that-fit", {"gpu": "h200-sxm"}, ["99", "100", "98", "99 users", "99 conversations"]),
        ("batch-rate", {}, ["5,026", "5026 tok/s", "5.03k", "5k tokens/s", "5,026.3 tokens per second"]),
        ("training-flops", {}, ["7.08e24", "7.08 × 10²⁴", "7080 ZFLOP", "7.1e24 FLOPs", "7.08 YFLOP", "7.08*10^24"]),
    ],
)
def test_other_units_in_other_spellings(name: str, case: dict[str, Any], typed: list[str]) -> None:
    for text in typed:
        assert verdict(name, text, **case).right is True, text


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", "Type a number first"),
        ("abc", "“abc” isn't a number"),
        ("4.8 GB", "“GB” is the unit of a size, but a time is asked for, in ms"),
        ("208 tokens/s", "“tokens/s” is the unit of a rate of tokens, but a time"),
        ("4.8 parsecs", "“parsecs” is no unit that is known here"),
        ("1e999", "too large a number"),
        ("1.2.3", "isn't a number"),
        ("4" * 10_000, "at most 60 characters, but this one has 10,000"),
    ],
)
def test_what_cannot_be_checked_is_named_and_counts_as_no_attempt(typed: str, says: str) -> None:
    got = verdict("decode-limit", typed, **LLAMA)
    assert got.right is None
    assert says in got.say


@pytest.mark.parametrize(
    ("name", "case", "typed", "headline", "says"),
    [
        ("decode-limit", LLAMA, "2.4 ms", "2.0 times too small", "two bytes"),
        ("decode-limit", LLAMA, "38.4", "8.0 times too large", "bits for bytes"),
        ("decode-limit", LLAMA, "6.0", "25% too large", "the full bandwidth is asked about"),
        ("decode-limit", {**LLAMA, "reached": True}, "4.8", "20% too small", "80% of it is reached"),
        ("decode-limit", {**LLAMA, "reached": True}, "3.84", "36% too small", "divide by 80%"),
        ("decode-limit", LLAMA, "4.8 s", "1,000 times too large", "a thousand times off"),
        ("decode-limit", LLAMA, "0.0048", "1,000 times too small", "asked for in ms"),
        ("decode-limit", LLAMA, "-4.8", "Not yet", "more than zero"),
        ("decode-limit", LLAMA, "17", "3.5 times too large", ""),
        ("weights-per-gpu", {}, "145.4", "4.0 times too large", "the whole model; 4 GPUs share it"),
        ("weights-per-gpu", {}, "18.2 GB", "2.0 times too small", "two bytes"),
        ("weights-per-gpu", {}, "33.85", "7% too small", "right in GiB, but it was read as GB"),
        ("weights-per-gpu", {}, "36.35 GiB", "7% too large", "right in GB, but you wrote GiB"),
        ("weights-per-gpu", {"room": True}, "47.2", "22% too large", "may use 90% of the memory"),
        ("weights-per-gpu", {"room": True}, "36.35", "6% too small", "what they leave is asked for"),
        ("kv-per-token", {"model": "llama-3.1-8b"}, "128 kB", "2% too small", "right in KiB"),
        ("kv-per-token", {"model": "llama-3.1-8b"}, "524 kB", "4.0 times too large", "query heads"),
        ("users-that-fit", LLAMA | {"prompt": 2000, "output": 500}, "224", "25% too large", "answer's tokens"),
        ("training-flops", {}, "2.36e24", "3.0 times too small", "forward pass alone"),
    ],
)
def test_a_likely_mistake_is_recognised(name: str, case: dict[str, Any], typed: str, headline: str, says: str) -> None:
    got = verdict(name, typed, **case)
    assert got.right is False
    assert headline in got.headline
    assert says in got.say if says else not got.say


def test_rounding_to_two_digits_is_no_mistake_but_to_one_is() -> None:
    case = {"gpu": "b200-sxm", "model": "mistral-7b-v0.3", "weights": "fp8"}
    right = asked("decode-limit", **case).answer.value * 1e3
    assert 0.9 < right < 0.95
    assert verdict("decode-limit", "0.91", **case).right is True
    assert verdict("decode-limit", "1 ms", **case).right is False


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.text(max_size=70) | st.from_regex(r"[-+]?[0-9.,' ]{1,12}(e[0-9]{1,4})? ?[a-zA-Zµ/%]{0,9}", fullmatch=True))
def test_any_text_is_judged_or_refused_in_words(typed: str) -> None:
    for name in ("decode-limit", "weights-per-gpu", "users-that-fit", "training-flops"):
        got = judge(drill(name), question((name,), "", 0).question, typed)
        assert got.headline
        assert got.right is not None or got.say


@given(st.floats(1e-6, 1e6), st.sampled_from(["s", "ms", "µs"]))
def test_a_number_with_its_unit_is_read_as_it_is_meant(value: float, unit: str) -> None:
    [got] = read(f"{value!r} {unit}", "s", "ms").values
    assert got == pytest.approx(value * {"s": 1, "ms": 1e-3, "µs": 1e-6}[unit])


# The card.


class Card:
    """A reader at a card: does something, and sees what comes back."""

    def __init__(self, **spec: Any) -> None:
        self.spec = {"kind": "drill", "name": "d", "drills": ["decode-limit"], **spec}
        self.fields = {"d.seed": "7"}
        self.tried = False

    def question(self) -> str:
        return self.do("")["question"]

    def do(self, what: str, answer: str = "") -> dict[str, str]:
        self.fields |= {"d.do": what, "d.answer": answer}
        pieces = ("place", "question", "unit", "hint", "verdict", "solution")
        asked_for = {"inputs": self.fields, "parts": [{**self.spec, "show": piece} for piece in pieces]}
        reply = respond(json.dumps(asked_for))
        assert reply == respond(json.dumps(asked_for))  # nothing is remembered
        seen = {name: part["html"] for name, part in zip(pieces, json.loads(reply)["parts"], strict=True)}
        self.tried = "lc-drill__score--tried" in seen["place"]
        for name, value in re.findall(r'name="([^"]*)" value="([^"]*)"', seen["place"]):
            self.fields[name] = unescape(value)
        return {name: re.sub(r"<[^>]*>", "", html) for name, html in seen.items()}


def right_answer(seen: dict[str, str]) -> str:
    return seen["solution"].rpartition("The answer: ")[2]


def test_a_streak_counts_first_attempts_and_ends_with_a_wrong_one() -> None:
    card = Card(questions=5)
    for n in range(1, 4):
        seen = card.do("next") if n > 1 else card.do("")
        assert seen["place"] == f"Question {n} of 5" + (f" · {n - 1} right in a row" if n > 2 else "")
        seen = card.do("check", right_answer(seen))
        assert seen["verdict"].startswith("✓Right: ")
    assert seen["place"] == "Question 3 of 5 · 3 right in a row"
    assert card.do("check", right_answer(seen))["place"] == seen["place"]  # checked again, counted once
    card.do("next")
    assert card.do("check", "1 h")["place"] == "Question 4 of 5 · best 3"
    seen = card.do("")
    assert card.do("check", right_answer(seen))["place"] == "Question 4 of 5 · best 3"
    seen = card.do("next")
    assert card.do("check", "what?")["place"] == "Question 5 of 5 · best 3"  # not read, so no attempt
    seen = card.do("check", right_answer(seen))
    assert seen["place"] == "Question 5 of 5 · best 3 · 4 of 5 right at the first attempt"
    assert card.do("next")["place"] == "Question 6 · best 3"


def test_a_solution_that_was_looked_at_does_not_count_and_keeps_the_verdict() -> None:
    card = Card()
    seen = card.do("show")
    assert card.do("check", right_answer(seen))["place"] == "Question 1"
    at = At.read(card.fields["d.at"])
    assert at == At(tries=1, seen=1, solved=1, place=at.place if at else -1)
    card.do("next")
    wrong = card.do("check", "1 h")["verdict"]
    assert card.do("show", "half typed")["verdict"] == wrong


def test_the_worked_solution_has_this_questions_numbers() -> None:
    seen = Card().do("")
    assert "TPOT ≥ weight bytes ÷ bandwidth" in seen["solution"]
    for words in ("32.76\xa0billion·2\xa0B", "= 65.52\xa0GB", "65.52\xa0GB4.800\xa0TB/s", "= 13.65\xa0ms"):
        assert words in seen["solution"]
    assert "href" not in seen["solution"]


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(st.sampled_from(["d.at", "d.do", "d.answer", "d.checked", "d.seed", "d.had"]), st.text(max_size=80))
)
def test_whatever_a_form_sends_is_drawn_or_named(fields: dict[str, str]) -> None:
    parts = [
        {"kind": "drill", "name": "d", "drills": ["decode-limit"], "show": piece} for piece in ("place", "verdict")
    ]
    reply = json.loads(respond(json.dumps({"inputs": fields, "parts": parts})))
    assert len(reply["parts"]) == 2
    typed = fields.get("d.answer", "")
    if re.search(r"<\w", typed):
        assert typed not in reply["parts"][1]["html"]


@pytest.mark.parametrize("at", ["9" * 40, "1.0.0.0.0.0.0.999999", "1.0.0.0.0.0.0", "what?", "-1.0.0.0.0.0.0.0"])
def test_a_place_that_no_card_has_is_the_start(at: str) -> None:
    card = Card()
    start = card.question()
    card.do("next")
    card.fields["d.at"] = at
    assert card.question() == start


def test_a_question_that_was_had_on_another_card_does_not_come_again() -> None:
    kinds = ["kv-per-token", "ridge-point"]
    one, other = Card(drills=["kv-per-token"]), Card(drills=kinds)
    seen = {one.question()} | {one.do("next")["question"] for _ in range(20)}
    other.fields["d.had"] = one.fields["d.had"]
    asked_there = {other.do("next")["question"] for _ in range(12)}  # the built page has the first
    assert not seen & asked_there


def test_what_another_card_asks_leaves_this_cards_question_alone() -> None:
    card = Card()
    card.do("next")
    question = card.question()
    card.fields["d.had"] += " decode-limit.3 decode-limit.4"
    assert card.question() == question


def test_the_solution_comes_after_an_attempt() -> None:
    card = Card()
    assert not card.tried
    card.question()
    assert not card.tried
    card.do("check", "1 h")
    assert card.tried
    card.do("next")
    assert not card.tried
    card.do("check", "")  # who has no idea checks nothing
    assert card.tried


def test_an_unknown_drill_says_what_is_known() -> None:
    with pytest.raises(LessonError, match="unknown drill 'decode-limits'"):
        drill("decode-limits")
