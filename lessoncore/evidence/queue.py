"""Measured queues: servers that were asked at random, and a closed loop of more and more users.

A simulation takes too long for a page, so what it says is kept in ``simulated.csv``; ``make evidence`` writes that
file, and tests hold it against the simulation.
"""

import csv
import re
from functools import cache, cached_property
from io import StringIO

from lessoncore.assumptions import Assumptions
from lessoncore.errors import LessonError
from lessoncore.evidence.rows import Row
from lessoncore.evidence.subjects import gpu, model, text_of
from lessoncore.scenario import Scenario

# Llama 3.3 70B in fp8 on two H100, 5,000 tokens in, 500 out, by users at a time: mean TTFT (s), mean TPOT (s), answer
# tokens a second. Source: docs.nvidia.com/nim/benchmarking/llm/1.0.0/performance.md (NIM 1.8.0, TensorRT-LLM).
CLIFF: dict[int, tuple[float, float | None, float]] = {
    1: (0.40677, 18.58e-3, 51.67),
    5: (0.5467, 21.83e-3, 218.48),
    25: (0.68869, 38.75e-3, 623.4),
    50: (0.83451, 59.73e-3, 814.37),
    100: (7.99625, 92.91e-3, 917.26),
    250: (88.6, None, 920.0),
}


@cache
def simulated() -> dict[str, dict[str, float]]:
    """What the simulation says, by what was measured and by the set of assumptions."""
    return {
        line["id"]: {key: float(value) for key, value in line.items() if key != "id"}
        for line in csv.DictReader(StringIO(text_of("simulated.csv"), newline=""))
    }


class QueueRow(Row):
    """A measured percentile of a queue."""

    @property
    def rate(self) -> float:
        """Requests a second."""
        match = re.match(r"Poisson ([\d.]+) req/s", self.fields["load"])
        assert match
        return float(match[1])

    @property
    def name(self) -> str:
        """Engine, rate and figure."""
        f = self.fields
        return f"{f['engine']} at {self.rate:g}/s, {f['metric']} {f['stat']}"

    @cached_property
    def scenario(self) -> Scenario:
        """The server and its load, as far as a scenario tells of them."""
        f = self.fields
        return Scenario(
            gpu=gpu(f["gpu"]),
            model=model(f["model"]),
            gpus=int(f["tp"]),
            prompt=int(f["input_len"]),
            output=int(f["output_len"]),
            rate=self.rate,
        )

    def predicted_s(self, assumptions: Assumptions) -> float:
        """What the simulation says to it."""
        kept = simulated()[self.id]
        if assumptions.key not in kept:
            raise LessonError(f"queues were simulated with {' and '.join(kept)} only, not with {assumptions.label}.")
        return kept[assumptions.key]
