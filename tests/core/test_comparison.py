"""Two scenarios side by side, and a picture with a caption: differences in words, live, and mistakes named."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lessoncore import respond
from lessoncore.figures import FIGURES, figure
from lessoncore.page import Page
from lessoncore.views.comparison import _MORE, _NEITHER, better, comparison, difference
from lessoncore.widgets.registry import KINDS

BF16 = {"label": "bf16 weights", "with": {"weights": "bf16"}}
FP8 = {"label": "fp8 weights", "with": {"weights": "fp8"}}


def rows(html: str) -> dict[str, str]:
    found = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', html)
    return {name: " ".join(re.sub(r"<[^>]*>|&nbsp;", " ", rest).split()) for name, rest in found}


def test_fp8_weights_make_decode_faster_and_leave_prefill_alone() -> None:
    keys = ["ttft", "tpot", "weight_bytes", "kv_tokens", "output_cost"]
    html = comparison(BF16, FP8, [figure(key) for key in keys], Page())
    said = rows(html)
    assert "the same" in said["Time to first token"]
    assert "3.11 ms" in said["Time per token"]
    assert "1.96 × faster" in said["Time per token"]
    assert "1.96 × cheaper" in said["A million answer tokens"]
    assert html.count("lc-compare__better") == 4


@pytest.mark.parametrize(
    ("unit", "left", "right", "words"),
    [
        ("s", 6.10e-3, 3.11e-3, "1.96 × faster"),
        ("s", 3.11e-3, 6.10e-3, "1.96 × slower"),
        ("tokens/s", 164, 1164, "7.10 × faster"),
        ("B", 16e9, 16e9, "the same"),
        ("share", 0.5, 0.62, "12 points more"),
        ("B", -3e9, 4e9, ""),
        ("s", 1.0, 1.02, "2.0% slower"),
    ],
)
def test_differences_in_words(unit: str, left: float, right: float, words: str) -> None:
    assert difference(unit, left, right) == words


def test_what_is_better() -> None:
    assert FIGURES.keys() >= _MORE | _NEITHER
    assert better(figure("tpot"), 6, 3) == 1
    assert better(figure("tokens_per_s"), 6, 3) == -1
    assert better(figure("kv_budget"), -1, 3) == 1
    assert better(figure("ridge"), 1, 3) == 0


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(list(FIGURES)), st.integers(1, 4096), st.integers(1, 131_072))
def test_any_figure_can_be_compared(key: str, batch: int, prompt: int) -> None:
    right = {"label": "<b>", "with": {"batch": batch, "prompt": prompt}}
    html = comparison(BF16, right, [figure(key)], Page())
    assert "<b>" not in html
    assert "nan" not in html.lower()


def test_it_follows_the_page_and_names_what_is_impossible() -> None:
    part = {
        "kind": "comparison",
        "left": BF16,
        "right": {"label": "fp8", "with": {"maths": "fp8"}},
        "figures": ["ttft"],
    }
    reply = json.loads(respond(json.dumps({"state": {"prompt": "4000"}, "parts": [part]})))
    assert "115.3" in reply["parts"][0]["html"]
    reply = json.loads(respond(json.dumps({"state": {"gpu": "a100-80gb-sxm"}, "parts": [part]})))
    assert "no fp8 arithmetic" in reply["parts"][0]["html"]


def test_authors_mistakes_are_named() -> None:
    kind = KINDS["comparison"]
    given_ = {"left": BF16, "right": BF16, "figures": ["ttft"]}
    values, problems = kind.check(given_)
    assert not problems
    assert "both sides are the same" in kind.verify(values, Page())[0].message
    _, problems = kind.check({"left": BF16, "right": {"label": "x", "with": {"weights": "fp9"}}, "figures": ["tpt"]})
    assert [problem.key for problem in problems] == ["right", "figures"]


def test_a_caption_has_live_figures_and_is_escaped() -> None:
    kind = KINDS["picture"]
    values, problems = kind.check({"picture": "tank", "caption": "<i> of {{ weight_bytes }}"})
    assert not problems
    html = kind.build(values, Page())
    assert "&lt;i&gt; of <span" in html
    assert "16.06\xa0GB</span>" in html
    for wrong in ("{{ weigt_bytes }}", "{{ ttft(prompt=1) }}"):
        assert kind.check({"picture": "tank", "caption": wrong})[1][0].key == "caption"


def test_variants_and_training_do_not_mix() -> None:
    kind = KINDS["picture"]
    shown = {"kind": "stack", "of": "training_memory", "variants": [BF16]}
    values, problems = kind.check({"picture": shown, "caption": "x"})
    assert not problems
    assert "without variants" in kind.verify(values, Page())[0].message
