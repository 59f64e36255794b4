"""The published cases of docs/assets/vectors.json: the arithmetic is right, and lessoncore agrees with it."""

import ast
import json
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from vectors import number, said

from lessoncore.formula import Quantity

DOCUMENT = json.loads((Path(__file__).parents[2] / "docs/assets/vectors.json").read_text())
VECTORS: list[dict[str, Any]] = DOCUMENT["vectors"]
_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}


def arithmetic(text: str) -> float:
    """Work out numbers joined by + − × ÷ and powers."""

    def value(node: ast.expr) -> float:
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        assert isinstance(node, ast.BinOp), ast.dump(node)
        return float(_OPERATORS[type(node.op)](value(node.left), value(node.right)))

    return value(ast.parse(text, mode="eval").body)


# The faults of calculators that have a number: of memory, of speed, of queues and of cost. The others are about pages.
NUMERIC = {str(n) for n in (*range(1, 20), 23)}
# What a simulation gives has no quantity that knows its unit.
_SIMULATED = {"value_s": "s", "waiting_s": "s", "mean_s": "s", "share": "share", "total": ""}


@pytest.mark.parametrize("vector", VECTORS, ids=[v["id"] for v in VECTORS])
def test_lessoncore_agrees(vector: dict[str, Any]) -> None:
    assert number(vector) == pytest.approx(vector["result"], rel=vector["tolerance"])
    figure = said(vector)
    unit = figure.meaning.unit if isinstance(figure, Quantity) else _SIMULATED[vector["figure"].split(".")[-1]]
    assert unit == vector["unit"]


@pytest.mark.parametrize("vector", VECTORS, ids=[v["id"] for v in VECTORS])
def test_the_arithmetic_gives_the_result(vector: dict[str, Any]) -> None:
    assert arithmetic(vector["arithmetic"]) == pytest.approx(vector["result"], rel=1e-12)
    assert isinstance(ast.parse(vector["arithmetic"], mode="eval").body, ast.BinOp)  # a number alone shows nothing


@pytest.mark.parametrize("vector", [v for v in VECTORS if "measured" in v], ids=lambda v: str(v["id"]))
def test_a_measurement_is_as_near_as_the_case_says(vector: dict[str, Any]) -> None:
    assert vector["result"] == pytest.approx(vector["measured"], rel=vector["within"])


def test_there_are_enough_and_each_known_fault_has_one() -> None:
    assert len(VECTORS) >= 40
    assert len({v["id"] for v in VECTORS}) == len(VECTORS)
    assert {str(v["fault"]) for v in VECTORS if "fault" in v} == set(DOCUMENT["faults"]) == NUMERIC
    assert all(v["tolerance"] == 1e-9 for v in VECTORS if not v["id"].startswith("dense-not-sparse"))
