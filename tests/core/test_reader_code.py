"""Assumptions that a reader writes in Python: every figure follows, and every mistake has its line."""

import json
from typing import Any

import pytest

from lessoncore import respond
from lessoncore.assumptions import ASSUMPTIONS
from lessoncore.errors import CodeError
from lessoncore.page import Page
from lessoncore.reader_code import RANGES, names, template, written

TERM = "def own_term_s(p):\n    return {}\n"


def _page(code: str, scenario: dict[str, Any] | None = None) -> Page:
    return Page(scenario, inputs={"code.run": code})


@pytest.mark.parametrize("base", ASSUMPTIONS)
def test_the_first_text_changes_nothing(base: str) -> None:
    found = written(template(ASSUMPTIONS[base]), base)
    assert found.changed == {}
    assert _page(template(ASSUMPTIONS[base]), {"assumptions": base}).estimate().total_s.value == pytest.approx(
        Page({"assumptions": base}).estimate().total_s.value, rel=1e-12
    )


def test_every_term_can_be_set() -> None:
    assert set(names()) == {*RANGES, "narrow_efficiency"}
    for name, (low, high) in RANGES.items():
        value = {True: "True", False: repr(high if high < 1000 else low)}[name == "skips_idle_parameters"]
        taken = written(f"{name} = {value}", "calibrated").assumptions
        assert getattr(taken, name) == (True if name == "skips_idle_parameters" else float(value))


def test_half_the_bandwidth_doubles_the_time_per_token() -> None:
    before = Page().estimate()
    after = _page("memory_efficiency = 0.40").estimate()
    assert after.tpot_s.value == pytest.approx(2 * before.tpot_s.value)
    assert after.ttft_s.value == before.ttft_s.value


def test_a_term_is_added_to_each_pass_and_stands_in_the_derivation() -> None:
    code = TERM.format("p.layers * 1e-5 if p.phase == 'decode' else p.tokens * 1e-6")
    before, after = Page().estimate(), _page(code).estimate()
    assert after.tpot_s.value == pytest.approx(before.tpot_s.value + 32e-5)
    assert after.ttft_s.value == pytest.approx(before.ttft_s.value + 2000e-6)
    assert after.tpot_s.recomputed() == after.tpot_s.value
    assert any(q.source == "your own code" for q in after.total_s.givens())


@pytest.mark.parametrize("assumptions", ASSUMPTIONS)
def test_curves_roofs_queue_and_search_follow(assumptions: str) -> None:
    scenario = {"gpu": "h100-sxm", "model": "llama-3.1-8b", "rate": 2.0, "batch": 16, "assumptions": assumptions}
    code = "memory_efficiency = 0.2\n" + TERM.format("0.01")
    own, plain = _page(code, scenario), Page(scenario)
    for figure in ("served", "training"):
        assert getattr(own.estimate(), figure) is not None
    served, before = own.estimate().served, plain.estimate().served
    assert served
    assert before
    assert served.ttft_p50_s.value > before.ttft_p50_s.value + 0.009
    from lessoncore.pictures import picture
    from lessoncore.widgets.fields import PICTURE

    for name in ({"kind": "curves", "x": "batch", "figures": ["tpot"]}, "roofline"):
        values = PICTURE.check(name)
        kind = picture(values["picture"])
        assert kind.draw(kind.checked(values), own, "k") != kind.draw(kind.checked(values), plain, "k")


def test_answers_to_questions_about_the_page_stay() -> None:
    assert _page("memory_efficiency = 0.2").estimate(own=True).tpot_s.value == Page().estimate().tpot_s.value


@pytest.mark.parametrize(
    ("code", "line", "says"),
    [
        ("\nx = 1", 2, "'x' isn't an assumption"),
        ("memory_eficiency = 1", 1, "Did you mean 'memory_efficiency'?"),
        ("memory_efficiency = 1.5", 1, "0.01 to 1 is possible, but 1.5 was given"),
        ("memory_efficiency = 'high'", 1, "a number is needed, but 'high' was given"),
        ("memory_efficiency = float('nan')", 1, "that isn't infinite is needed, but nan was given"),
        ("runtime_bytes = 10**400", 1, "that isn't infinite is needed"),
        ("_a = 1\n_b = _a / 0", 2, "ZeroDivisionError"),
        ("memory_efficiency = ", 1, "that isn't Python"),
        ("import os", 1, "only 'import math' is possible"),
        ("_x = ().__class__", 1, "names with two underscores"),
        ("_x = __builtins__", 1, "names with two underscores"),
        ("_x = open('/etc/passwd')", 1, "NameError"),
        ("def _f(): return _f()\n_f()", 1, "calls itself without an end"),
        ("own_term_s = 3", 1, "must be a function"),
        (TERM.format("p.nothing"), 2, "a pass has no 'nothing'. It has: phase, tokens"),
        (TERM.format("-1"), 1, "0 to 3600 seconds are possible, but -1 came for a prefill pass of 2,000 tokens"),
        (TERM.format("1e300"), 1, "0 to 3600 seconds are possible"),
        (TERM.format("float('nan')"), 1, "that isn't infinite is needed, but nan"),
        (TERM.format("None"), 1, "a number is needed, but None"),
        ("def own_term_s():\n    return 0", 1, "TypeError"),
        ("narrow_efficiency = {'fp7': 1}", 1, "with some of fp8, int8, fp4"),
        ("tokens_per_pass = 1.5", 1, "a whole number is needed"),
        ("skips_idle_parameters = 1", 1, "True or False is needed"),
        ("class A: pass", 1, "no classes"),
        ("x" * 20_001, 0, "at most 20,000 characters"),
        ("\0", 0, "that isn't Python"),
        ("(" * 5_000, 1, "that isn't Python"),
    ],
)
def test_a_mistake_is_told_with_its_line(code: str, line: int, says: str) -> None:
    page = _page(code)
    assert page.code_problem is not None
    assert says in str(page.code_problem)
    if "def own_term_s():" not in code:  # the call that fails is ours
        assert page.code_problem.line == line
    assert not page.code_in_force
    assert page.estimate().tpot_s.value == Page().estimate().tpot_s.value


def test_a_term_that_fails_elsewhere_on_the_page_puts_all_of_it_without() -> None:
    code = TERM.format("0.001 if p.tokens < 3000 or p.phase == 'decode' else -1")
    spec = {"kind": "number", "figure": "ttft"}
    parts = [spec, {"kind": "code"}, {**spec, "with": {"prompt": 4000}}]
    reply = json.loads(respond(json.dumps({"inputs": {"code.run": code}, "parts": parts})))
    shown = [part["html"] for part in reply["parts"]]
    assert shown[0] == "55.9\xa0ms"
    assert "for a prefill pass of 4,000 tokens" in shown[1]
    assert shown[2] == "115.3\xa0ms"


def test_a_page_says_that_it_follows_the_readers_assumptions() -> None:
    asked = {"inputs": {"code.run": "memory_efficiency = 0.5"}, "parts": [{"kind": "chips"}]}
    assert "own assumptions" in json.loads(respond(json.dumps(asked)))["parts"][0]["html"]
    assert "own assumptions" not in json.loads(respond(json.dumps(asked | {"inputs": {}})))["parts"][0]["html"]


def test_what_it_prints_is_text() -> None:
    page = _page("print('<script>', 1)\nprint('x' * 5000)")
    from lessoncore.views.reader_code import verdict

    assert "&lt;script&gt; 1" in verdict(page)
    assert len(verdict(page)) < 3_000


def test_an_error_as_a_value_is_raised_nowhere() -> None:
    with pytest.raises(CodeError):
        written("raise ValueError('<b>')", "textbook")
