"""What a stage covers until its question is answered: the asked figure wherever it stands, and nothing else."""

import json
import re
from typing import Any

import pytest

from lessoncore import respond

TILES: dict[str, Any] = {"kind": "tiles", "figures": ["ttft", "tpot", "total"]}
GPUS: dict[str, Any] = {"kind": "picture", "picture": "gpus"}
MODEL_70B = {"model": "llama-3.1-70b", "gpus": 4}


def drawn(part: dict[str, Any], asks: dict[str, Any], **request: Any) -> str:
    reply = json.loads(respond(json.dumps({"parts": [part | {"asks": asks}], **request})))
    return str(reply["parts"][0]["html"] if "parts" in reply else reply["error"]).replace("\xa0", " ")


def covered(html: str) -> list[str]:
    found = re.findall(r'<span class="lc-asked"><span>(.*?)</span></span>|<g class="lc-asked">(.*?)</g>', html)
    return [re.sub(r"<[^>]*>", "", span or group).replace("&nbsp;", " ") for span, group in found]


@pytest.mark.parametrize(
    ("part", "figure", "words"),
    [
        (TILES, "ttft", ["55.9 ms"]),
        (TILES, "decode_share", ["98%"]),  # in the note of another figure's tile
        (TILES, "memory_used", []),
        ({**TILES, "figures": ["largest_batch", "tpot"]}, "largest_batch", ["179 "]),
        ({"kind": "picture", "picture": "roofline", "size": "wide"}, "ridge", ["ridge: 295 FLOP/B", "295 FLOP/B"]),
    ],
)
def test_the_asked_figure_is_marked_wherever_it_stands(part: dict[str, Any], figure: str, words: list[str]) -> None:
    assert sorted(covered(drawn(part, {"figure": figure}))) == sorted(words)


def test_what_is_as_good_as_the_figure_is_marked_too() -> None:
    html = drawn({**GPUS, "size": "wide"}, {"figure": "tpot", "with": {"gpus": 8}}, scenario=MODEL_70B)
    assert "7.71 ms" in covered(html)
    assert "6.62 ms of work + 1.10 ms of all-reduces" in covered(html)
    assert "? of work + ? of all-reduces" in html
    tank = drawn({"kind": "picture", "picture": "tank", "size": "wide"}, {"figure": "largest_batch"})
    assert "Room for 178 more requests of 2,500 tokens" in covered(tank)


def test_with_scripts_off_and_for_a_screen_reader_nothing_is_missing() -> None:
    plain = json.loads(respond(json.dumps({"parts": [TILES]})))["parts"][0]["html"].replace("\xa0", " ")
    html = drawn(TILES, {"figure": "ttft"})
    assert re.sub(r"<[^>]*>", "", html) == re.sub(r"<[^>]*>", "", plain)


def test_nothing_is_covered_any_more_once_a_control_is_moved() -> None:
    assert not covered(drawn(TILES, {"figure": "ttft"}, state={"prompt": "2000"}))
    assert not covered(drawn(TILES, {"figure": "ttft"}, state={"prompt": "4000"}))


@pytest.mark.parametrize("asks", [{}, {"figure": 7}, {"figure": "tttf"}, {"figure": "ttft", "with": "gpus"}])
def test_a_question_that_no_page_asks_gets_a_sentence(asks: dict[str, Any]) -> None:
    assert "figure" in drawn(TILES, asks)


def test_a_shape_that_tells_is_covered_too() -> None:
    timeline = {"kind": "picture", "picture": "timeline", "size": "wide"}
    bar = r'<g class="{}"><rect [^>]*class="lc-fill-compute"/><rect [^>]*class="lc-fill-weights"/>'
    assert re.search(bar.format("lc-asked"), drawn(timeline, {"figure": "decode_share"}))
    assert not re.search(bar.format("lc-asked"), drawn(timeline, {"figure": "ttft"}))
