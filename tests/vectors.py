"""What lessoncore says to a published case (docs/assets/vectors.json). The browser's Python runs this file as well."""

from copy import replace
from functools import reduce
from typing import Any

from lessoncore.assumptions import assumptions
from lessoncore.estimate import estimate
from lessoncore.scenario import Scenario
from lessoncore.serving import Listed, Load, Recorded, Server, Slo, simulate
from lessoncore.serving.search import fewest_gpus
from lessoncore.training import Training, training


def said(vector: dict[str, Any]) -> Any:
    """The figure that a case names: a quantity, or a number of a simulation."""
    return reduce(getattr, vector["figure"].split("."), _SUBJECTS[vector["kind"]](vector))


def number(vector: dict[str, Any]) -> float:
    """Its value."""
    figure = said(vector)
    return float(getattr(figure, "value", figure))


def _taken(vector: dict[str, Any]) -> Any:
    return replace(assumptions(vector["assumptions"]), **vector.get("with", {}))


def _queue(vector: dict[str, Any]) -> tuple[Server, Load, Any]:
    """Equal requests that arrive at the times that the case lists, or evenly from users who each ask so often."""
    scenario = Scenario(**vector["scenario"])
    arrivals = vector.get("arrivals_s") or [n * vector["every_s"] / vector["users"] for n in range(vector["requests"])]
    lengths = Listed(((scenario.prompt, scenario.output),) * len(arrivals))
    load = Load(Recorded(tuple(arrivals)), lengths, len(arrivals), left_out=0)
    return Server(scenario, batch_limit=scenario.batch), load, _taken(vector)


def _fleet(vector: dict[str, Any]) -> Any:
    server, load, taken = _queue(vector)
    *_, last = fewest_gpus(server, load, Slo(**vector["slo"]), taken, sizes=(1,))
    return last


_SUBJECTS: dict[str, Any] = {
    "inference": lambda vector: estimate(Scenario(**vector["scenario"]), _taken(vector)),
    "training": lambda vector: training(Training(**vector["scenario"]), _taken(vector)),
    "queue": lambda vector: simulate(*_queue(vector)),
    "goodput": lambda vector: simulate(*_queue(vector)).goodput(Slo(**vector["slo"])),
    "fleet": _fleet,
}
