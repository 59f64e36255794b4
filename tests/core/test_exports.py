"""Exports: every file read again gives the same values, and what is no export is told."""

import csv
import io
import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from any_scenario import scenarios
from collected_configs import CONFIGS
from hypothesis import given, settings

from lessoncore.errors import LessonError
from lessoncore.exports import KEYS, WRITERS, different, read_json, rows, scenario
from lessoncore.figures import FIGURES
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS
from lessoncore.scenario import Scenario
from lessoncore.views.code import highlighted

CODE = "memory_efficiency = 0.5\ndef own_term_s(p):\n    return 2e-3\n"


def _page(s: Scenario, **inputs: str) -> Page:
    return Page({key: getattr(s, key) for key in PARAMETERS}, inputs=inputs)


def _values(page: Page) -> dict[str, float | None]:
    return {row.key: row.value for row in rows(page)}


@settings(max_examples=25, deadline=None)
@given(scenarios())
def test_json_read_again_is_the_same_scenario_with_the_same_figures(s: Scenario) -> None:
    page = _page(s)
    read = read_json(WRITERS["json"](page))
    assert Scenario(**read.changes) == page.scenario
    assert read.figures == _values(page)
    assert different(read, Page()) == []


@settings(max_examples=25, deadline=None)
@given(scenarios())
def test_csv_read_again_has_the_same_values(s: Scenario) -> None:
    page = _page(s)
    table = list(csv.DictReader(io.StringIO(WRITERS["csv"](page))))
    figures = {r["key"]: float(r["value"]) if r["value"] else None for r in table if r["kind"] == "figure"}
    assert figures == _values(page)
    given_ = {r["key"]: r["value"] for r in table if r["kind"] == "parameter"}
    assert {key: PARAMETERS[key].parse(text) for key, text in given_.items()} == scenario(page)


@settings(max_examples=25, deadline=None)
@given(scenarios())
def test_markdown_read_again_has_the_same_values(s: Scenario) -> None:
    page = _page(s)
    cells = [
        [c.strip() for c in re.split(r"(?<!\\\\)\|", line)[1:-1]] for line in WRITERS["markdown"](page).splitlines()
    ]
    given_ = {row[1]: row[2] for row in cells if len(row) == 3 and row[1] in PARAMETERS}
    figures = {row[1]: row for row in cells if len(row) == 5 and row[1] in KEYS}
    assert {k: float(row[3]) if row[3] else None for k, row in figures.items()} == _values(page)
    assert {key: PARAMETERS[key].parse(text) for key, text in given_.items()} == scenario(page)
    assert [row[2] for row in figures.values()] == [row.shown for row in rows(page)]


def test_no_file_names_a_model_that_is_not_served() -> None:
    config = (CONFIGS / "Qwen--Qwen3-32B.config.json").read_text()
    page = Page(state={"model": "llama-3.1-70b", "config": config})
    for form, write in WRITERS.items():
        assert "llama-3.1" not in write(page), form
    assert "| config.json (qwen3, 32.8\xa0billion) | config |" in WRITERS["markdown"](page)
    read = read_json(WRITERS["json"](page))
    assert different(read, Page()) == []


@pytest.mark.slow
@pytest.mark.parametrize("code", ["", CODE], ids=["plain", "own code"])
def test_the_python_alone_prints_the_same_numbers(code: str, tmp_path: Path) -> None:
    inputs = {"code.run": code} if code else {}
    page = Page({"model": "deepseek-v3", "gpu": "h200-sxm", "gpus": 8, "assumptions": "calibrated"}, inputs=inputs)
    snippet = tmp_path / "token_cost.py"
    snippet.write_text(WRITERS["python"](page), encoding="utf-8")
    import lessoncore

    root = str(Path(lessoncore.__file__).parent.parent)
    run = f"import sys; sys.path.insert(0, {root!r}); exec(open({str(snippet)!r}, encoding='utf-8').read())"
    out = subprocess.run([sys.executable, "-I", "-c", run], capture_output=True, text=True, check=True, cwd=tmp_path)
    printed = [line.split(" ")[:2] for line in out.stdout.splitlines()]
    assert dict(printed) == {key: str(value) for key, value in _values(page).items()}


def test_code_travels_with_the_file_but_is_not_run() -> None:
    text = WRITERS["json"](Page(inputs={"code.run": CODE}))
    read = read_json(text)
    assert read.code == CODE
    assert "Time per token" in different(read, Page())


def _export(**changes: Any) -> str:
    content = json.loads(WRITERS["json"](Page()))
    return json.dumps({**content, **changes})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rubbish", "that isn’t JSON"),
        ("[1, 2]", "an export of this page is needed"),
        ("{}", "an export of this page is needed"),
        ("[" * 100_000, "that isn’t JSON"),
        ('{"format": NaN}', "NaN is no number"),
        ("x" * 200_001, "at most 200,000 characters"),
        (_export(version=2), "version 1 of the format is read here, but the file has 2"),
        (_export(version=None), "but the file has none"),
        (_export(version=True), "but the file has True"),
        (_export(extra=1), "unknown key 'extra'"),
        (_export(scenario={"promt": 5}), "Did you mean 'prompt'?"),
        (_export(scenario={"prompt": 0}), "Prompt tokens: 1 to 10,485,760 is possible, but 0 was given"),
        (_export(scenario={"prompt": "5"}), "a whole number is needed"),
        (_export(scenario={"gpu": ["h100-sxm"]}), "unknown GPU"),
        (_export(scenario=[]), "must be an object"),
        (_export(scenario={}), "has no parameter"),
        (_export(figures={"ttft": {"value": "fast"}}), "'ttft', which is no figure with a value"),
        (_export(code=5), "'code' must be text"),
    ],
)
def test_what_is_no_export_is_told(text: str, says: str) -> None:
    with pytest.raises(LessonError, match=re.escape(says)):
        read_json(text)


def test_parameters_that_do_not_go_together_are_told() -> None:
    page = Page(inputs={"export.do": "read", "export.text": _export(scenario={"gpus": 5})})
    from lessoncore.views.export import taken_in

    assert "5 GPUs can&#x27;t share the 32 query heads" in taken_in(page)
    assert "data-set" not in taken_in(page)


def test_every_exported_figure_exists() -> None:
    assert set(KEYS) <= set(FIGURES)


@pytest.mark.parametrize(
    "text", ["x = 1\n\n\ny = 2", 'x = """one\n\ntwo"""', "f(\n\n    1)", "x = (", "if x:\n\n    y\n"]
)
def test_highlighted_code_has_every_character_and_its_texts_whole(text: str) -> None:
    html = highlighted(text).partition("<code>")[2].removesuffix("</code></pre></div>")
    assert unescape(re.sub("<[^>]*>", "", html)) == text
    assert html.count('class="s"') == text.count('"""') // 2
