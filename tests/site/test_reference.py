"""The reference page: every formula of the package is on it."""

import importlib
import re
from pathlib import Path

import lessoncore
from site_hooks.reference import fenced

ROOT = Path(lessoncore.__file__).parent.parent


def test_every_module_with_formulas_is_on_the_reference_page() -> None:
    named = set(re.findall(r"^::: (\S+)$", (ROOT / "docs" / "reference" / "index.md").read_text(), re.MULTILINE))
    with_formulas = {
        f"lessoncore.{path.relative_to(ROOT / 'lessoncore').with_suffix('').as_posix().replace('/', '.')}"
        for path in (ROOT / "lessoncore").rglob("*.py")
        if re.search(r"^@formula\(", path.read_text(), re.MULTILINE)
    }
    assert with_formulas <= named


def test_every_formula_has_an_example() -> None:
    for path in (ROOT / "lessoncore").rglob("*.py"):
        for name in re.findall(r"^@formula\((?:.|\n)*?\)\ndef (\w+)", path.read_text(), re.MULTILINE):
            dotted = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
            docstring = getattr(importlib.import_module(dotted), name).__doc__ or ""
            assert ">>>" in docstring, f"{dotted}.{name} has no example"


def test_doctests_become_code_and_prose_stays() -> None:
    assert fenced("Adds.\n\n>>> 1 + 1\n2\n\nNo more.") == "Adds.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nNo more."
