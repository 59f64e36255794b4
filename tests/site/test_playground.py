"""The playground's page as it is built: the whole form, every answer with its derivation, and nothing left to write."""

import re
from html import unescape
from pathlib import Path

import markdown
import pytest

from lessoncore.parameters import PARAMETERS
from site_hooks.lesson_markdown import LessonExtension

STEP = Path(__file__).parents[2] / "docs" / "steps" / "18-playground.md"
BODY = STEP.read_text().split("\n---\n", 1)[1]


@pytest.fixture(scope="module")
def html() -> str:
    return markdown.markdown(BODY, extensions=[LessonExtension(file=STEP.name)])


def test_every_parameter_of_a_request_has_a_control(html: str) -> None:
    """The rate of arrivals is the queue's, which is another step's."""
    form = html.partition('class="lc-answers"')[0]
    assert set(re.findall(r'data-parameter="(\w+)"', form)) == set(PARAMETERS) - {"rate"}


def test_a_short_form_comes_first_and_folded_groups_say_what_is_set(html: str) -> None:
    form = html.partition('class="lc-answers"')[0]
    short, _, folded = form.partition('<details class="lc-group">')
    assert re.findall(r'data-parameter="(\w+)"', short) == ["gpu", "model", "prompt", "output", "batch"]
    now = [re.sub("<.*?>", "", words) for words in re.findall(r'class="lc-group__now"[^>]*>(.*?)</span>', folded)]
    assert [words.replace("\xa0", " ") for words in now] == [
        "1 GPU · 1 copy",
        "as stored · maths bf16 · KV bf16",
        "none",
        "0 tokens cached",
        "catalogue price",
        "textbook",
    ]


def test_the_answers_are_there_before_any_script(html: str) -> None:
    text = " ".join(unescape(re.sub("<[^>]*>", " ", html)).replace("\xa0", " ").split())
    assert "It fits. 58.6 GB of 77.0 GB is left on the GPU" in text
    for answer in ("55.9 ms", "6.10 ms", "3.11 s", "164 tokens/s", "0.027 USD", "5.93 USD", "off by 20% in the median"):
        assert answer in text
    assert "Nothing is sent anywhere" in text
    assert "written yet" not in text


def test_every_figure_leads_to_its_derivation(html: str) -> None:
    links = set(re.findall(r'href="#(why-[\w-]+)"', html))
    assert len(links) >= 30
    assert links <= set(re.findall(r'id="(why-[\w-]+)"', html))


def test_no_id_stands_twice(html: str) -> None:
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))


def test_a_parameter_stands_in_the_form_once_and_the_stage_is_alone() -> None:
    twice = BODY.replace("controls: [cached]", "controls: [cached, prompt]")
    with pytest.raises(Exception, match="'prompt' stands in the form twice"):
        LessonExtension(file=STEP.name).check(twice)
    stage = BODY[BODY.index("```widget") : BODY.index("## Compare")]
    with pytest.raises(Exception, match="a page has one stage"):
        LessonExtension(file=STEP.name).check(BODY + "\n" + stage)
