"""The published cases of docs/assets/vectors.json: the arithmetic is right, and lessoncore agrees with it."""

import ast
import json
import operator
from collections.abc import Callable
from copy import replace
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from lessoncore.assumptions import assumptions
from lessoncore.estimate import estimate
from lessoncore.scenario import Scenario
from lessoncore.training import Training, training

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


@pytest.mark.parametrize("vector", VECTORS, ids=[v["id"] for v in VECTORS])
def test_lessoncore_agrees(vector: dict[str, Any]) -> None:
    taken = replace(assumptions(vector["assumptions"]), **vector.get("with", {}))
    subject = (
        training(Training(**vector["scenario"]), taken)
        if vector["kind"] == "training"
        else estimate(Scenario(**vector["scenario"]), taken)
    )
    q: Any = reduce(getattr, vector["figure"].split("."), subject)
    assert q.value == pytest.approx(vector["result"], rel=vector["tolerance"])
    assert q.meaning.unit == vector["unit"]


@pytest.mark.parametrize("vector", VECTORS, ids=[v["id"] for v in VECTORS])
def test_the_arithmetic_gives_the_result(vector: dict[str, Any]) -> None:
    assert arithmetic(vector["arithmetic"]) == pytest.approx(vector["result"], rel=1e-12)


def test_there_are_enough_and_each_known_fault_has_one() -> None:
    assert len(VECTORS) >= 40
    assert len({v["id"] for v in VECTORS}) == len(VECTORS)
    assert {str(v["fault"]) for v in VECTORS if "fault" in v} == set(DOCUMENT["faults"])
