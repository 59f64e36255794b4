"""The door between page and model: figures as the lesson prints them, errors in words, nothing that breaks out."""

import json
import re
from typing import Any

import pytest
from going_on import answered
from hypothesis import given, settings
from hypothesis import strategies as st
from requests_to_try import SPECS, random_requests

from lessoncore import catalogue, respond
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS, Count
from lessoncore.parts import stands_alone
from lessoncore.pictures import NAMES


def ask(**request: Any) -> dict[str, Any]:
    reply: dict[str, Any] = json.loads(respond(json.dumps(request)))
    return reply


def number(figure: str, state: dict[str, str] | None = None, **options: Any) -> str:
    reply = ask(state=state or {}, parts=[{"kind": "number", "figure": figure, **options}])
    return str(reply["parts"][0]["html"]).replace("\xa0", " ")


PICTURES: list[dict[str, Any]] = [
    *({"kind": "picture", "picture": name} for name in NAMES if name not in ("curves", "stack")),
    {"kind": "picture", "picture": "curves", "x": "prompt", "figures": ["ttft"]},
    {"kind": "picture", "picture": "stack", "of": ["decode_bytes"]},
    {"kind": "sweep", "of": "tpot", "over": "batch"},
]


def test_while_a_control_moves_no_search_goes_on() -> None:
    search = {"parts": [{"kind": "capacity", "name": "capacity", "show": "rate"}], "scenario": {"batch": 64}}
    replies = [ask(**search, moving=True)["parts"] for _ in range(3)]
    assert replies[0][0]["again"]
    assert replies[1:] == replies[:1] * 2, "asked again it is where it was"
    assert not answered(search, respond)["parts"][0].get("again")
    assert "'moving' of a request must be true or false" in ask(**search, moving="yes")["error"]


@pytest.mark.parametrize("spec", PICTURES, ids=lambda spec: spec.get("picture", "sweep"))
def test_a_live_page_gets_its_pictures_in_the_size_that_it_shows(spec: dict[str, Any]) -> None:
    both, wide, narrow = (
        answered({"parts": [spec | shows]}, respond)["parts"][0]["html"]
        for shows in ({}, {"shows": "wide"}, {"shows": "narrow"})
    )
    svgs = re.findall(r"<svg.*?</svg>", both, re.DOTALL)
    assert len(svgs) == 2
    assert wide == both.replace(svgs[1], "")
    assert narrow == both.replace(svgs[0], "")
    assert "size of a picture 'huge'" in ask(parts=[spec | {"shows": "huge"}])["error"]


@pytest.mark.parametrize(
    ("figure", "options", "shown"),
    [
        ("ttft", {}, "55.9 ms"),
        ("tpot", {}, "6.10 ms"),
        ("tpot", {"digits": 2}, "6.1 ms"),
        ("total", {}, "3.11 s"),
        ("decode_share", {}, "98%"),
        ("memory_used", {}, "16.4 GB"),
    ],
)
def test_the_first_row_of_the_lesson(figure: str, options: dict[str, Any], shown: str) -> None:
    assert number(figure, **options) == shown


def test_a_prompt_of_4000_tokens() -> None:
    assert number("ttft", {"prompt": "4000"}) == "115.3 ms"


def test_the_reply_names_its_request_and_the_controls() -> None:
    reply = ask(id="a7", state={"prompt": "4k"}, say=["ttft"])
    prompt = PARAMETERS["prompt"]
    assert isinstance(prompt, Count)
    assert reply["id"] == "a7"
    assert reply["controls"]["prompt"] == {"text": "4,000", "position": prompt.stops.index(4000), "own": False}
    assert reply["say"] == "Time to first token 115.3\xa0ms"


@pytest.mark.parametrize(
    ("given_", "problem"),
    [
        ("", "'' isn't a number"),
        ("0", "1 to 10,485,760 is possible, but 0 was given"),
        ("1e308", "1 to 10,485,760 is possible, but 1e+308 was given"),
        ("10485761", "1 to 10,485,760 is possible, but 10,485,761 was given"),
        ("2.5", "'2.5' isn't a whole number"),
        ("nan", "'nan' isn't a number"),
        ("<script>", "'<script>' isn't a number"),
    ],
)
def test_wrong_input_is_named_and_gives_no_number(given_: str, problem: str) -> None:
    reply = ask(state={"prompt": given_}, parts=[{"kind": "number", "figure": "ttft"}])
    assert problem in reply["controls"]["prompt"]["error"]
    assert reply["parts"] == [{"html": "–", "none": True}]
    moving = ask(state={"prompt": given_}, parts=[{"kind": "number", "figure": "ttft"}], moving=True)
    assert moving["parts"] == [], "it may be on the way to something else"


def test_a_question_is_answered_whatever_stands_in_the_controls() -> None:
    parts = [
        {"kind": "tiles", "figures": ["ttft"]},
        {"kind": "answer", "input": "guess", "figure": "ttft", "scale": "ms", "close": 5, "gaps": []},
        {"kind": "drill", "name": "d", "drills": ["ridge-point"], "show": "verdict"},
    ]
    inputs = {"guess": "60", "d.do": "check", "d.answer": "1"}
    reply = ask(state={"prompt": "lots"}, inputs=inputs, parts=parts)
    assert reply["parts"][0]["none"]
    assert "you said 60\xa0ms" in reply["parts"][1]["html"]
    assert "Not yet" in reply["parts"][2]["html"]


def test_a_combination_that_cannot_be_is_named_at_the_control() -> None:
    reply = ask(state={"gpus": "3"}, parts=[{"kind": "chips"}])
    assert "3 GPUs can't share the 32 query heads of Llama 3.1 8B evenly" in reply["controls"]["gpus"]["error"]
    assert "Use 2\xa0GPUs" in reply["controls"]["gpus"]["remedy"]


CLASH = {"gpu": "a100-80gb-sxm", "gpus": "8", "maths": "fp8", "prompt": "3000"}


def test_what_does_not_go_together_is_blamed_on_the_last_that_has_to_do_with_it() -> None:
    assert "error" in ask(state=CLASH)["controls"]["maths"]
    controls = ask(state={"maths": "fp8", "gpu": "a100-80gb-sxm", "prompt": "3000"})["controls"]
    assert controls["gpu"]["error"] == "A100 80 GB SXM has no fp8 arithmetic. It can compute in: bf16, int8."
    assert "error" not in controls["maths"] | controls["prompt"]


def test_every_value_stays_what_the_reader_set_while_one_is_wrong() -> None:
    controls = ask(state=CLASH)["controls"]
    assert [controls[key]["text"] for key in ("gpu", "gpus", "prompt")] == ["a100-80gb-sxm", "8", "3,000"]


def test_each_mistake_is_named_and_none_that_is_not_the_readers() -> None:
    controls = ask(state={"gpu": "a40", "maths": "fp8", "gpus": "3"})["controls"]
    assert ["error" in controls[key] for key in ("gpu", "maths", "gpus")] == [False, True, True]
    controls = ask(state={"cached": "2500", "prompt": "3,000x"})["controls"]
    assert "error" not in controls["cached"], "a prompt of the page's own isn't what the reader has"


@settings(max_examples=150, deadline=None)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "gpu": st.sampled_from(catalogue.keys("gpus")),
            "model": st.sampled_from(["llama-3.1-8b", "llama-4-scout", "gemma-2-9b"]),
            "maths": st.sampled_from(["bf16", "fp8", "int8", "fp4"]),
            "gpus": st.integers(-1, 70).map(str),
            "prompt": st.integers(-1, 11_000_000).map(str),
            "cached": st.integers(-1, 11_000_000).map(str),
        },
    )
)
def test_what_is_offered_mends_it(state: dict[str, str]) -> None:
    for _ in range(4):  # mending one may show that another doesn't go with it
        page = Page(state=state)
        for remedy in page.remedies.values():
            state = state | {key: str(value) for key, value in remedy.items()}
    assert Page(state=state).problems == {}


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: "-".join(str(v) for v in list(spec.values())[:2]))
def test_no_part_shows_a_number_of_another_case(spec: dict[str, Any]) -> None:
    """A part that is about the scenario says the same whatever the page's own scenario is, so it shows none of it."""
    replies = [
        ask(scenario=own, state={"gpu": "a100-80gb-sxm", "maths": "fp8"}, parts=[spec])["parts"][0]
        for own in ({}, {"prompt": 777, "output": 333, "batch": 5, "price": 7.5, "kv": "fp8"})
    ]
    if not stands_alone(spec) and spec["kind"] != "set":  # which shows what is set
        assert replies[0] == replies[1]
        assert replies[0]["none"]


def test_a_prompt_may_be_as_long_as_the_longest_context_of_the_catalogue() -> None:
    longest = max(catalogue.model(key).longest_context for key in catalogue.keys("models"))
    prompt, cached = PARAMETERS["prompt"], PARAMETERS["cached"]
    assert isinstance(prompt, Count)
    assert isinstance(cached, Count)
    assert (prompt.high, cached.high) == (longest, longest - 1)
    state = {"model": "llama-4-scout", "gpus": "8", "prompt": str(longest)}
    for spec in [*PICTURES, *({"kind": "sweep", "of": "ttft", "over": over} for over in ("prompt", "cached"))]:
        (part,) = ask(state=state, parts=[spec])["parts"]
        assert part["html"]


NO_REQUESTS = ["", "[]", "{", "null", '{"x": 1}', '{"state": []}', '{"state": {"a": 1}}', '{"parts": [1]}', "[" * 10**5]


@pytest.mark.parametrize("request_", NO_REQUESTS)
def test_what_is_no_request_gets_a_sentence(request_: str) -> None:
    assert json.loads(respond(request_))["error"]


@pytest.mark.slow
def test_fifty_random_requests_have_finite_answers() -> None:
    for request in random_requests(50, seed=1):
        reply = respond(json.dumps(request))
        assert not any(word in reply for word in ("NaN", "Infinity", ">nan", ">inf"))


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from([*PARAMETERS, "<b>", "\0"]), st.text(max_size=60) | st.just("9" * 10_000)))
def test_hostile_state_gives_a_view_or_a_sentence_and_never_markup(state: dict[str, str]) -> None:
    reply = ask(state=state, parts=[{"kind": "picture", "picture": "timeline"}, {"kind": "tiles", "figures": ["ttft"]}])
    assert len(reply["parts"]) == 2 or any("error" in control for control in reply["controls"].values())
    assert all("<b>" not in part["html"] for part in reply["parts"])


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40))
def test_a_hostile_guess_is_a_number_or_refused(guess: str) -> None:
    part = {"kind": "answer", "figure": "total", "scale": "s", "input": "g", "close": 1, "gaps": []}
    reply = ask(inputs={"g": guess}, parts=[part])
    shown = reply["error"] if "error" in reply else reply["parts"][0]["html"]
    assert any(words in shown for words in ("isn't a number", "It is <b>", "<b>Close:</b>"))
