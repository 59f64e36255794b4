"""Predictions, drills and the gallery as authors write them and as the build leaves them."""

import re
from html import unescape

import markdown
import pytest

from lessoncore.drills import NAMES as DRILLS
from lessoncore.figures import FIGURES
from lessoncore.parameters import PARAMETERS
from lessoncore.pictures import NAMES as PICTURES
from lessoncore.widgets.registry import KINDS
from site_hooks.lesson_markdown import LessonExtension
from site_hooks.mistakes import LessonMistakes

STAGE = "```widget\n" + KINDS["stage"].example + "```\n"
CHOICE = """\
```widget
kind: predict
question: Where does the time go?
choices:
  - text: Into reading.
    say: It takes a single pass.
    when: {decode_share: "< 50 %"}
  - text: Into writing.
    right: true
    when: {decode_share: "> 50 %"}
```
"""
PAGE = f"# One request\n\n{STAGE}\n{CHOICE}"


def build(text: str) -> str:
    return markdown.markdown(text, extensions=[LessonExtension(file="step.md"), "pymdownx.superfences", "toc"])


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", html)))


def test_a_choice_is_whole_without_scripts() -> None:
    html = build(PAGE)
    assert html.count('type="radio"') == 2
    assert "It is: Into writing." in text_of(html)
    known = r"<section class=\"lc-whys.*|data-say='[^']*'|lc-(?:tells|instead)-\w+"  # these may name a figure
    assert "decode_share" not in re.sub(known, "", html, flags=re.DOTALL)


@pytest.mark.parametrize(
    ("wrong", "line", "problem"),
    [
        (PAGE.replace("> 50 %", "> 99 %"), 14, "option 2 is said to be right, but {'decode_share': '> 99 %'} doesn't"),
        (PAGE.replace("< 50 %", "< 99 %"), 14, "option 1 is said to be wrong, but {'decode_share': '< 99 %'} holds"),
        (PAGE.replace("    say: It takes a single pass.\n", ""), 14, "option 1 is wrong, so it needs 'say'"),
        (PAGE.replace("    right: true\n", "    say: No.\n"), 14, "exactly one of them must have 'right: true'"),
        (PAGE.replace("right: true", "right: maybe"), 14, "right: only 'true' is possible, but 'maybe' was given"),
        (PAGE.replace("text: Into reading.", "txt: Into reading."), 14, "unknown key 'txt'. Known: text, right, say"),
        (PAGE.replace("choices:", "slider: {min: 0, max: 9, start: 1, unit: s}\nchoices:"), 11, "not both"),
        (re.sub(r"choices:[^`]*", "", PAGE), 11, "either 'slider' or 'choices': one of them is missing"),
        (re.sub(r"choices:[^`]*", "slider: {min: 0, max: 9, start: 1, unit: s}\n", PAGE), 14, "needs a 'figure'"),
        (PAGE.replace("choices:", "with: {gpus: 3}\nchoices:"), 14, "3 GPUs can't share the 32 query heads"),
        (
            PAGE + "\n```widget\nkind: drill\ndrills: [decode]\n```\n",
            25,
            "unknown drill 'decode'. Did you mean 'decode-",
        ),
        (PAGE + "\n```widget\nkind: drill\ndrills: [ridge-point]\nquestions: 0\n```\n", 26, "from 1 to 100 is needed"),
    ],
)
def test_a_wrong_claim_stops_the_build(wrong: str, line: int, problem: str) -> None:
    with pytest.raises(LessonMistakes) as caught:
        build(wrong)
    assert f"step.md:{line}: " in str(caught.value)
    assert problem in str(caught.value)


def test_a_drill_is_whole_without_scripts_and_makes_a_page_live_without_a_stage() -> None:
    html = build("# Drill\n\n```widget\nkind: drill\ndrills: [weights-per-gpu]\nquestions: 3\n```\n")
    shown = text_of(html)
    assert "lc-page" in html
    for words in ("Qwen2.5 72B in bf16, shared by 4 H100 SXM GPUs", "72.71\xa0billion", "Question 1 of 3", "in GB"):
        assert words.replace("\xa0", " ") in shown
    assert "The answer: 36.35 GB" in shown


@pytest.fixture(scope="module")
def gallery() -> str:
    text = f"# The widgets\n\n{STAGE}\nWords.\n\n```widget-gallery\n```\n\nAfter.\n"
    quick = LessonExtension(file="step.md", searches=False)
    return markdown.markdown(text, extensions=[quick, "pymdownx.superfences", "toc"])


@pytest.mark.slow
def test_the_gallery_has_everything_that_is_declared(gallery: str) -> None:
    for name in (*KINDS, *PICTURES):
        assert re.search(rf'<h[23] id="[\w-]+">{name}</h[23]>', gallery), name
    for name in (*DRILLS, *FIGURES, *PARAMETERS):
        assert f"<code>{name}</code>" in gallery, name
    for kind in KINDS.values():
        assert all(field.help.split(".")[0] in text_of(gallery) for field in kind.fields)
        assert not kind.fields or f"{kind.name}: unknown key" in gallery  # what an author is told
    assert "After." in gallery


def test_the_gallery_is_well_formed(gallery: str) -> None:
    ids = re.findall(r'\sid="([^"]+)"', gallery)
    assert sorted(ids) == sorted(set(ids))
    assert "{{" not in re.sub(r"<(pre|code).*?</\1>", "", gallery, flags=re.DOTALL)
    links = set(re.findall(r'href="#([\w.-]+)"', gallery))
    assert links <= set(ids)
