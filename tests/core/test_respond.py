"""The door between page and model: figures as the lesson prints them, errors in words, nothing that breaks out."""

import json
import re
from typing import Any

import pytest
from going_on import answered
from hypothesis import given, settings
from hypothesis import strategies as st
from requests_to_try import random_requests

from lessoncore import respond
from lessoncore.parameters import PARAMETERS, Count
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
        ("0", "1 to 131,072 is possible, but 0 was given"),
        ("1e308", "1 to 131,072 is possible, but 1e+308 was given"),
        ("131073", "1 to 131,072 is possible, but 131,073 was given"),
        ("2.5", "'2.5' isn't a whole number"),
        ("nan", "'nan' isn't a number"),
        ("<script>", "'<script>' isn't a number"),
    ],
)
def test_wrong_input_is_named_and_gives_no_number(given_: str, problem: str) -> None:
    reply = ask(state={"prompt": given_}, parts=[{"kind": "number", "figure": "ttft"}])
    assert problem in reply["controls"]["prompt"]["error"]
    assert reply["parts"] == []


def test_a_question_is_answered_whatever_stands_in_the_controls() -> None:
    parts = [
        {"kind": "tiles", "figures": ["ttft"]},
        {"kind": "answer", "input": "guess", "figure": "ttft", "scale": "ms", "close": 5, "gaps": []},
        {"kind": "drill", "name": "d", "drills": ["ridge-point"], "show": "verdict"},
    ]
    inputs = {"guess": "60", "d.do": "check", "d.answer": "1"}
    reply = ask(state={"prompt": "lots"}, inputs=inputs, parts=parts)
    assert reply["parts"][0] is None
    assert "you said 60\xa0ms" in reply["parts"][1]["html"]
    assert "Not yet" in reply["parts"][2]["html"]


def test_a_combination_that_cannot_be_is_named_at_the_control() -> None:
    reply = ask(state={"gpus": "3"}, parts=[{"kind": "chips"}])
    assert "3 GPUs can't share the 32 query heads of Llama 3.1 8B evenly" in reply["controls"]["gpus"]["error"]


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
