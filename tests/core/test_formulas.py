"""Every formula says what it is: in the glossary, with words, a unit and an example that runs."""

import inspect
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pkgutil import walk_packages

import pytest

import lessoncore
from lessoncore.formula import Quantity, quantity
from lessoncore.passes import matrix_flops
from lessoncore.symbols import SYMBOLS
from lessoncore.units import SCALES


def formulas() -> list[Callable[..., float]]:
    for module in walk_packages(lessoncore.__path__, "lessoncore."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    found = {
        function
        for name, module in sys.modules.items()
        if name.startswith("lessoncore")
        for function in vars(module).values()
        if hasattr(function, "template") and inspect.isfunction(function) and function.__module__ == name
    }
    return sorted(found, key=lambda function: f"{function.__module__}.{function.__name__}")


FORMULAS = formulas()
_NAMES = [f"{f.__module__}.{f.__name__}" for f in FORMULAS]


def test_there_are_formulas() -> None:
    assert len(FORMULAS) > 60


@pytest.mark.parametrize("function", FORMULAS, ids=_NAMES)
def test_its_parameters_are_symbols_and_are_in_its_template(function: Callable[..., float]) -> None:
    parameters = set(inspect.signature(function).parameters)
    assert parameters <= set(SYMBOLS)
    assert set(re.findall(r"\{(\w+)\}", function.template)) == parameters  # type: ignore[attr-defined]


# What a formula gives: a unit in brackets, or words for what has none.
_UNIT = re.compile(
    r"\((a number|B|s|J|FLOP|FLOP/s|FLOP/B|USD|USD/h|GPU-h|tokens|tokens/s|requests|requests/s|parameters)\)"
    r"|share|pairs|times|how often|experts|all-reduces|requests of one|width",
    re.IGNORECASE,
)
# A paper, a document, a file, an issue, a datasheet; or that none is needed, and why.
_SOURCE = re.compile(
    r"Source: (arXiv \d{4}\.\d{4,5}|by definition|first principles|transformers, modeling_\w+\.py"
    r"|vLLM documentation, \w+|\S+/\S+ issue \d+|nccl-tests, \w+\.md"
    r"|(the roofline model, )?Williams, Waterman and Patterson|the board's power limit)"
)


@pytest.mark.parametrize("function", FORMULAS, ids=_NAMES)
def test_its_docstring_has_an_example_a_unit_and_a_source(function: Callable[..., float]) -> None:
    text = inspect.getdoc(function) or ""
    assert ">>> " in text
    assert _UNIT.search(text.split("\n\n")[0])
    assert _SOURCE.search(" ".join(text.split()))


def test_every_symbol_has_a_unit_and_its_own_letter() -> None:
    assert all(symbol.unit in SCALES for symbol in SYMBOLS.values())
    letters = [symbol.letter for symbol in SYMBOLS.values()]
    assert sorted(letters) == sorted(set(letters))


def test_a_quantity_keeps_how_it_came_about() -> None:
    q = quantity(
        "mlp_flops", matrix_flops, parameters=Quantity(8e9, "parameters", "a"), tokens=Quantity(10, "tokens", "b")
    )
    assert q.value == q.recomputed() == 1.6e11
    assert [given.source for given in q.givens()] == ["a", "b"]
    assert list(q.steps()) == [q]
