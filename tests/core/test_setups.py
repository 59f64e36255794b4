"""Set-ups kept to be compared: written into the address and read back, the best of those that fit marked."""

import json
import re
from typing import Any

from any_scenario import scenarios
from collected_configs import CONFIGS
from hostile_html import MARKUP, check_safe
from hypothesis import given, settings
from hypothesis import strategies as st

from lessoncore import respond
from lessoncore.page import Page
from lessoncore.scenario import Scenario
from lessoncore.setups import MOST, read, state_of, write

PART = {"kind": "setups", "figures": ["ttft", "tpot", "output_cost", "memory_used", "largest_batch", "decode_share"]}
GEMMA = (CONFIGS / "google--gemma-3-27b-it.config.json").read_text()


def ask(kept: str, **state: str) -> str:
    reply = json.loads(respond(json.dumps({"state": state, "inputs": {"kept": kept}, "parts": [PART]})))
    return str(reply["parts"][0]["html"])


def rows(html: str) -> dict[str, list[str]]:
    """The cells of each row, as text."""
    found = re.findall(r'<tr[^>]*><th scope="row">(.*?)</th>(.*?)</tr>', html)
    strip = lambda cell: " ".join(re.sub(r"<[^>]*>|&nbsp;", " ", cell).split())  # noqa: E731
    return {name: [strip(cell) for cell in re.findall(r"<td.*?</td>", rest)] for name, rest in found}


def kept_by_the_button(html: str) -> str:
    [data] = [json.loads(found.replace("&quot;", '"')) for found in re.findall(r'data-set="([^"]*)">Keep', html)]
    return str(data["inputs"]["kept"])


@settings(max_examples=60, deadline=None)
@given(st.lists(scenarios(), max_size=MOST))
def test_what_is_kept_comes_back(some: list[Scenario]) -> None:
    own = Scenario()
    states = [state_of(one, own) for one in some]
    line = write(states)
    assert read(line) == states
    assert re.fullmatch(r"[\w.*-]*", line)  # nothing that an address has to escape
    for state, scenario in zip(states, some, strict=True):
        page = Page(None, state)
        assert page.problems == {}
        assert page.scenario == scenario


def test_a_pasted_config_is_kept_too() -> None:
    page = Page(None, {"config": GEMMA, "gpus": "2"})
    [state] = read(write([state_of(page.scenario, page.own)]))
    assert Page(None, state).scenario == page.scenario


def test_pasted_models_are_told_apart_by_type_and_size() -> None:
    phi = (CONFIGS / "microsoft--phi-4.config.json").read_text()
    kept = kept_by_the_button(ask(kept_by_the_button(ask("", config=GEMMA, model="llama-3.1-70b")), config=phi))
    said = rows(ask(kept, model="llama-3.1-70b"))
    assert said["Model"] == ["gemma3_text, 27.0 billion", "phi3, 14.7 billion", "Llama 3.1 70B"]
    assert "config.json" not in said


def test_keeping_one_set_up_after_the_other_to_four_side_by_side() -> None:
    kept = ""
    for n, state in enumerate(({}, {"gpu": "b200-sxm"}, {"weights": "fp8"}), 1):
        kept = kept_by_the_button(ask(kept, **state))
        assert len(read(kept)) == n
    html = ask(kept, weights="int4")
    assert re.findall(r'<th scope="col">([^<]+)', html) == ["Set-up 1", "Set-up 2", "Set-up 3", "Now"]
    said = rows(html)
    assert said["GPU"] == ["H100 SXM", "B200 SXM", "H100 SXM", "H100 SXM"]
    assert said["Weights"] == ["bf16", "bf16", "fp8", "int4"]
    assert "Prompt tokens" not in said  # the same everywhere
    assert said["Time to first token"][1] == "24.6 ms , best 2.27 × faster"
    assert said["Time per token"][3].startswith("1.61 ms , best")
    assert not any("best" in cell for cell in said["Share of decode"])  # neither is better
    assert "remove one to keep another" in html
    assert "Keep this set-up" in html
    assert "disabled" in html


def test_the_present_one_is_kept_once() -> None:
    kept = kept_by_the_button(ask("", gpu="b200-sxm"))
    assert "is kept as set-up 1" in ask(kept, gpu="b200-sxm")


def test_what_does_not_fit_is_never_the_best() -> None:
    said = rows(ask("s*model.llama-3.1-405b*gpu.b200-sxm*s*gpu.l4", batch="4"))
    assert said["Fits"] == ["✗ no", "✓ yes", "✓ yes"]
    assert "best" in said["Memory used"][1] or "best" in said["Memory used"][2]
    assert not any("best" in cells[0] for cells in said.values() if len(cells) == 3)


def test_a_set_up_that_is_not_possible_is_named_and_the_others_stay() -> None:
    html = ask("s*gpu.a100-80gb-sxm*maths.fp8*s*gpus.7")
    said = rows(html)
    assert "has no fp8 arithmetic" in said["Fits"][0]
    assert "7 GPUs can" in said["Fits"][1]
    assert said["Time per token"] == ["–", "–", "6.10 ms"]


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet="s*.gpumodelconfigz-9\"<>&'", max_size=60) | st.sampled_from(MARKUP), st.sampled_from(MARKUP))
def test_any_text_in_the_address_is_survived(kept: str, value: str) -> None:
    for line in (kept, f"s*gpu.{value}*s*config.{value}*s*prompt.{value}*s*s*s"):
        html = ask(line)
        check_safe(html, kept, value)
        assert len(read(line)) <= MOST


def test_buttons_set_the_form_and_remove() -> None:
    html = ask("s*gpu.b200-sxm*s*weights.fp8")
    data: list[dict[str, Any]] = [
        json.loads(found.replace("&quot;", '"')) for found in re.findall(r'data-set="([^"]*)"', html)
    ]
    assert {"state": {"gpu": "b200-sxm"}, "anew": True} in data
    assert {"inputs": {"kept": "s*weights.fp8"}} in data
    assert {"inputs": {"kept": "s*gpu.b200-sxm"}} in data
