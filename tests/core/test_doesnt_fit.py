"""What doesn't fit has no speed and no price: not in a tile, not in a sentence, not for a screen reader."""

import json
import re
from html import unescape

import pytest

from lessoncore.page import Page
from lessoncore.parts import fill
from lessoncore.respond import respond

TOO_LARGE = {"model": "llama-3.1-70b"}
TOO_MANY = {"prompt": 16_000, "batch": 60}


def words(spec: dict[str, object], scenario: dict[str, object]) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", " ", fill(spec, Page(scenario)).html)).split())


@pytest.mark.parametrize("scenario", [TOO_LARGE, TOO_MANY], ids=("too large", "too many"))
@pytest.mark.parametrize("figure", ["tpot", "total", "tokens_per_s", "user_tokens_per_s", "output_cost", "throughput"])
def test_a_tile_of_what_does_not_fit_says_so(figure: str, scenario: dict[str, object]) -> None:
    said = words({"kind": "tiles", "figures": [figure]}, scenario)
    assert said.endswith("– doesn’t fit")
    assert not re.search(r"\d", said)


def test_a_prompt_can_still_be_read_where_only_the_batch_is_too_large() -> None:
    assert "545.9 ms" in words({"kind": "tiles", "figures": ["ttft"]}, TOO_MANY)
    assert "doesn’t fit" in words({"kind": "tiles", "figures": ["ttft"]}, TOO_LARGE)


def test_what_is_needed_is_still_shown() -> None:
    assert "141.1 GB" in words({"kind": "tiles", "figures": ["weight_bytes"]}, TOO_LARGE)


def test_a_number_in_a_sentence_and_a_screen_readers_say_the_same() -> None:
    assert words({"kind": "number", "figure": "tpot"}, TOO_LARGE) == "– (doesn’t fit)"
    asked = {"id": 1, "scenario": TOO_LARGE, "state": {}, "inputs": {}, "parts": [], "say": ["tpot"]}
    assert json.loads(respond(json.dumps(asked)))["say"] == "Time per token –, doesn’t fit"


def test_no_task_is_done_by_what_does_not_fit() -> None:
    fast = {"kind": "task", "when": {"tokens_per_s": "> 500 tokens/s"}}
    assert fill(fast, Page({"prompt": 16_000, "batch": 24})).done is True
    assert fill(fast, Page(TOO_MANY)).done is False
