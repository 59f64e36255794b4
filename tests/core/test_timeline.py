"""The picture of a request, in every scenario a page can have: well-formed, within its frame, and true to scale."""

import json
import re
import xml.etree.ElementTree as ElementTree
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from picture_checks import SIZES, draw, drawn

from lessoncore.estimate import estimate
from lessoncore.page import Page
from lessoncore.scenario import Scenario


def pictures(**scenario: int) -> dict[str, ElementTree.Element]:
    return drawn(draw("timeline", Page(scenario)))


@settings(max_examples=60, deadline=None)
@given(prompt=st.integers(1, 131_072), output=st.integers(1, 16_384))
def test_any_request_stays_within_its_frame(prompt: int, output: int) -> None:
    for size, svg in pictures(prompt=prompt, output=output).items():
        height = float(str(svg.get("viewBox")).split()[3])
        for rect in svg.iter("rect"):
            x, y = float(rect.get("x", 0)), float(rect.get("y", 0))
            assert 0 <= x <= x + float(rect.get("width", 0)) <= SIZES[size] + 0.1
            assert 0 <= y <= y + float(rect.get("height", 0)) <= height


@pytest.mark.parametrize(("prompt", "output"), [(1, 1), (131_072, 1), (1, 16_384), (131_072, 16_384), (2000, 500)])
def test_texts_of_a_line_do_not_collide(prompt: int, output: int) -> None:
    for svg in pictures(prompt=prompt, output=output).values():
        lines: dict[float, list[tuple[float, float]]] = {}
        unseen = ("lc-hide" in str(g.get("style")) or g.get("display") == "none" for g in svg.iter("g"))
        for group in [svg, *(g for g, hidden in zip(svg.iter("g"), unseen, strict=True) if not hidden)]:
            for text in group.findall("text"):
                words = "".join(text.itertext())
                x, width = float(text.get("x", 0)), len(words) * 6.0
                left = x - {"middle": width / 2, "end": width}.get(str(text.get("text-anchor")), 0)
                lines.setdefault(float(text.get("y", 0)), []).append((left, left + width))
        for spans in lines.values():
            for one, after in zip(sorted(spans), sorted(spans)[1:], strict=False):
                assert one[1] <= after[0] + 2


def test_the_film_lasts_as_long_as_the_answer_and_says_so() -> None:
    e = estimate(Scenario())
    data = re.search(r'data-film="([^"]*)"', draw("timeline", Page()))
    assert data
    film = json.loads(unescape(data[1]))
    assert film["seconds"] == e.total_s.value
    assert film["captions"][0] == [0, "0\xa0s of 3.11\xa0s", "Answer · 500 tokens · waiting"]
    assert film["captions"][-1] == [1, "3.11\xa0s of 3.11\xa0s", "Answer · token 500 of 500 · one pass each"]
    shares = [share for share, *_ in film["captions"]]
    assert shares == sorted(shares)


def test_it_is_described_for_those_who_cannot_see_it() -> None:
    for svg in pictures().values():
        assert svg.findtext("title") == "One request in time"
        assert "98% of it is decode" in str(svg.findtext("desc"))
