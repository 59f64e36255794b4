"""Whatever an author, an address or a form holds: a valid view or a clear message, and nothing that breaks out."""

import json
from typing import Any

import pytest
import yaml
from hostile_html import MARKUP, check_safe
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from requests_to_try import SPECS

from lessoncore import respond
from lessoncore.errors import LessonError
from lessoncore.figures import FIGURES
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS
from lessoncore.parts import PARTS
from lessoncore.pictures import NAMES
from lessoncore.widgets.registry import KINDS

TEXTS = st.sampled_from(MARKUP) | st.text(max_size=40)
NUMBERS = st.sampled_from([float("nan"), float("inf"), -1, 0, 1, 1e308, -1e308, 5e-324, 10**400, True]) | st.integers()
VALUES = st.recursive(
    st.none() | TEXTS | NUMBERS | st.sampled_from([*FIGURES, *PARAMETERS, *NAMES]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)
# Inputs as the forms and questions of a page name them.
CHOSEN = st.sampled_from(["textbook", "cross-validated", "AM003", "TT001", "l4", "batching", "queue_ttft"])
_NAMES_OF_INPUTS = [
    *("g", "d.at", "d.do", "d.answer", "d.seed", "d.checked", "m.by", "m.row", "m.gpu", "m.effect"),
    *("d.users", "d.every", "d.rate", "d.arrivals", "d.trace"),
    *("target.do", "target.ttft", "target.tpot", "target.cost", "target.users", "target.bits"),
    *("claim.do", "claim.text", "claim.what", "claim.value", "claim.model", "claim.gpus", "claim.prompt"),
    *("export.do", "export.text", "code.run", "code.stopped", "kept", "curve_of"),
]
INPUTS = st.dictionaries(st.sampled_from(_NAMES_OF_INPUTS), TEXTS | CHOSEN)
# A claim and an export that lack nothing, so that any other value is looked at.
_CLAIM = {"claim.do": "check", "claim.what": "user", "claim.value": "9 tok/s", "claim.model": "llama-3.1-8b"} | {
    "claim.gpu": "h100-sxm",
    "claim.gpus": "1",
    "claim.precision": "bf16",
}
_SOME = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def ask(**request: Any) -> dict[str, Any]:
    text = respond(json.dumps(request))
    text.encode()  # half characters would break the way to the page
    reply: dict[str, Any] = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in a reply"))
    return reply


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: "-".join(str(v) for v in list(spec.values())[:2]))
@_SOME
@given(st.dictionaries(st.sampled_from(list(PARAMETERS)), TEXTS, max_size=3), INPUTS)
def test_any_part_with_any_state_and_inputs(
    spec: dict[str, Any], state: dict[str, str], inputs: dict[str, str]
) -> None:
    reply = ask(state=state, inputs=inputs, parts=[spec])
    if "error" in reply:
        assert len(reply["error"]) < 2_000
    elif reply["parts"]:
        check_safe(reply["parts"][0]["html"], *state.values(), *inputs.values())
    else:
        assert any("error" in control for control in reply["controls"].values())


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: "-".join(str(v) for v in list(spec.values())[:2]))
@_SOME
@given(st.data())
def test_any_part_with_any_specification(spec: dict[str, Any], data: st.DataObject) -> None:
    wrong = {
        **spec,
        data.draw(st.sampled_from([*spec, "with", "digits", "scale", "unit", "questions"])): data.draw(VALUES),
    }
    inputs = data.draw(INPUTS)
    try:
        text = json.dumps(wrong)
    except ValueError:
        return
    reply = ask(inputs=inputs, parts=[json.loads(text)])
    if "error" not in reply:
        check_safe(reply["parts"][0]["html"])


@pytest.mark.parametrize("wrong", [[], {}, None, 7, True])
def test_a_name_that_is_no_text(wrong: Any) -> None:
    for spec in ({"kind": "set", "parameters": [wrong]}, {"kind": "tiles", "figures": [wrong]}):
        assert "unknown" in ask(parts=[spec])["error"]


@_SOME
@given(st.sampled_from([*PARTS, *MARKUP]), st.dictionaries(TEXTS, VALUES, max_size=4))
def test_a_part_that_no_page_has(kind: str, rest: dict[str, Any]) -> None:
    reply = ask(parts=[{**rest, "kind": kind}])
    assert reply.get("error") or len(reply["parts"]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS.values() if kind.fields], ids=lambda kind: kind.name)
@_SOME
@given(st.data())
def test_any_widget_with_any_parameters(kind: Any, data: st.DataObject) -> None:
    given_ = yaml.safe_load(data.draw(st.sampled_from((kind.example, *kind.more))))
    given_.pop("kind")
    for key in data.draw(st.lists(st.sampled_from([f.key for f in kind.fields]), min_size=1, max_size=2)):
        given_[key] = data.draw(VALUES | TEXTS)
    values, problems = kind.check(given_)
    if not problems:
        try:
            page = Page(values.get("scenario"))
        except LessonError:
            return
        problems = kind.verify(values, page)
        if not problems:
            check_safe(kind.build(values, page), *map(str, given_.values()))
    assert all(problem.message and len(problem.message) < 4_000 for problem in problems)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_markup_in_an_authors_text_is_text(kind: Any) -> None:
    def poisoned(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: poisoned(v) if k != "when" else v for k, v in value.items()}
        if isinstance(value, list):
            return [poisoned(v) for v in value]
        return f"{MARKUP[1]} {MARKUP[0]}" if isinstance(value, str) and " " in value else value

    for example in (kind.example, *kind.more):
        given_ = poisoned(yaml.safe_load(example))
        given_.pop("kind")
        values, problems = kind.check(given_)
        assert problems == []
        check_safe(kind.build(values, Page(values.get("scenario"))), *MARKUP[:2])


@_SOME
@given(st.dictionaries(st.sampled_from([*_CLAIM, "claim.batch", "claim.prompt", "claim.kv", "claim.output"]), TEXTS))
def test_any_correction_of_a_claim(wrong: dict[str, str]) -> None:
    specs = [{"kind": "claim", "own": "", "show": show} for show in ("verdict", "fields")]
    reply = ask(inputs={**_CLAIM, **wrong}, parts=specs)
    for part in reply["parts"]:
        check_safe(part["html"], *wrong.values())


@_SOME
@given(st.data())
def test_any_export_that_is_read_in(data: st.DataObject) -> None:
    content = {"format": "lessoncore-scenario", "version": 1, "scenario": {"prompt": 100, "gpu": "l4"}, "figures": {}}
    key = data.draw(st.sampled_from([*content, "code", "lessoncore"]))
    content[key] = data.draw(VALUES)
    if data.draw(st.booleans()):
        content["scenario"] = {data.draw(st.sampled_from([*PARAMETERS, "promt"])): data.draw(VALUES)}
    try:
        text = json.dumps(content)
    except ValueError:
        return
    reply = ask(inputs={"export.do": "read", "export.text": text}, parts=[{"kind": "export", "format": "read"}])
    check_safe(reply["parts"][0]["html"])


_LINES = [
    "memory_efficiency = {}",
    "own_term_s = {}",
    "def own_term_s(p): return {}",
    "print({})",
    "{}",
    "_x = {}; compute_efficiency = _x",
    "narrow_efficiency = {}",
    "raise ValueError({})",
    "tokens_per_pass = {}",
]
_WORTH = [
    *("0.5", "float('nan')", "float('inf')", "-1", "1e308", "10**400", "True", "None", "'<script>alert(1)</script>'"),
    *("p", "p.phase", "p.nothing", "p.__class__", "math.pi / 10", "[].append", "{'fp8': 0.5}", "{'fp8': '<b>'}"),
    *("lambda p: 1", "'\\0'", "()", "__builtins__", "open('x')", "1/0", "'\\ud800'", "'{0.__class__}'.format(0)"),
]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(_LINES), st.sampled_from(_WORTH)), min_size=1, max_size=3))
def test_any_code_gives_figures_or_a_sentence(lines: list[tuple[str, str]]) -> None:
    code = "\n".join(line.format(worth) if "{}" in line else line for line, worth in lines)
    parts = [{"kind": "code"}, {"kind": "tiles", "figures": ["ttft", "tpot"]}, {"kind": "why", "figure": "total"}]
    reply = ask(inputs={"code.run": code}, parts=parts)
    assert "error" not in reply
    for part in reply["parts"]:
        check_safe(part["html"], code, "<script>alert(1)</script>")
