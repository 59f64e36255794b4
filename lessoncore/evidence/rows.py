"""The measurements, and what the model says to each: a row becomes a scenario, a scenario a time.

Everything is compared as a time, so that an error of +10% means that the model is too slow by a tenth, whatever
was published: a time, a rate or a throughput.
"""

import csv
import re
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from io import StringIO
from typing import TYPE_CHECKING

from lessoncore.assumptions import Assumptions
from lessoncore.estimate import Estimate, estimate
from lessoncore.evidence.subjects import gpu, model, text_of
from lessoncore.formula import Quantity
from lessoncore.precision import Precision
from lessoncore.scenario import Scenario
from lessoncore.units import GIB

if TYPE_CHECKING:
    from lessoncore.training import Training

_KV = {"bf16": "bf16", "f16": "bf16", "fp16": "bf16", "fp8": "fp8", "unstated": "bf16"}
# Weights and the arithmetic that goes with them; anything else is 16-bit arithmetic on weights of so many bits.
_FORMATS = {
    "bf16": ("bf16", "bf16"),
    "f16": ("bf16", "bf16"),
    "fp16": ("bf16", "bf16"),
    "fp8": ("fp8", "fp8"),
    "nvfp4": ("nvfp4", "fp4"),
}
# trtllm-bench takes at most so many requests at once unless told otherwise (max_batch_size).
_MOST_AT_ONCE = 2048
# Rows that an estimate of a time can't be held against: a queue, which has to be simulated, and memory.
_ELSEWHERE = ("queue_p99", "training_memory")


@dataclass(frozen=True, eq=False)
class Row:
    """One published measurement."""

    fields: dict[str, str]

    @property
    def id(self) -> str:
        """Its name in measurements.csv."""
        return self.fields["id"]

    @property
    def source(self) -> str:
        """Who published it: the address without the file, so that one project's results are one source."""
        return re.sub(r"^(https://github.com/[^/]+/[^/ ]+).*", r"\1", self.fields["source"])

    @cached_property
    def effects(self) -> list[str]:
        """What it shows: keys of effects.EFFECTS."""
        shows = self.fields["validates"].split("|")
        tokens = int(self.fields["input_len"] or 0)
        names = {
            "decode_bs1": "decode_bs1",
            "batching": "batching",
            "tp_scaling": "tensor_parallel",
            "quant": "quantised",
            "kv_long_context": "long_context",
            "prefill": "ttft_short" if tokens <= 128 else "ttft_long",
            "throughput": "throughput",
            "launch_floor": "small_model",
            "training_mfu": "training" if tokens <= 8192 else "training_long",
            "training_memory": "training_memory",
            "queue_p99": "queue_ttft" if self.fields["metric"] == "TTFT" else "queue_tpot",
        }
        return [names[show] for show in shows if show in names]

    @property
    def is_predicted(self) -> bool:
        """Whether an estimate alone can be held against it."""
        return self.fields["validates"] not in _ELSEWHERE

    @property
    def is_training(self) -> bool:
        """Whether it is about training; the others are about inference."""
        return self.fields["validates"].startswith("training")

    @property
    def measured_s(self) -> float:
        """What was measured, as seconds: of a pass, or for each token."""
        value = float(self.fields["value"])
        if self.fields["unit"] == "ms":
            return value / 1e3
        return 1 / value / (int(self.fields["tp"]) if self.fields["metric"] == "output_throughput_per_gpu" else 1)

    def prediction(self, assumptions: Assumptions) -> Quantity:
        """What the model says to it: a time, or tokens per second."""
        if self.is_training:
            from lessoncore.training import training

            return training(self.training, assumptions).training_rate
        e = estimate(self.scenario, assumptions)
        return self.compared(self._at_most(e) if self._is_offline else e)

    def compared(self, e: Estimate) -> Quantity:
        """What of an estimate is held against it: a time, or tokens per second."""
        match self.fields["metric"]:
            case "decode_throughput":
                return e.decode_at(float(self.fields["avg_decode_context"])).time_s
            case "TTFT":
                return e.ttft_s
            case "TPOT":
                return e.loaded_tpot_s
        return e.throughput

    def asked(self, assumptions: str) -> Scenario:
        """The conditions as somebody asks for them who has the assumptions' key: the largest batch found out."""
        scenario = self.scenario.but(assumptions=assumptions)
        return self._at_most(estimate(scenario)).scenario if self._is_offline else scenario

    @property
    def _is_offline(self) -> bool:
        return self.fields["batch_or_concurrency"].startswith("max")

    def as_time(self, predicted: float) -> float:
        """A prediction as seconds, as measured_s is."""
        return 1 / predicted if "throughput" in self._kind or "tokens_per_sec" in self._kind else predicted

    @property
    def _kind(self) -> str:
        metric = self.fields["metric"]
        return "time of a pass" if metric == "decode_throughput" else metric

    def predicted_s(self, assumptions: Assumptions) -> float:
        """What the model says to it, as seconds."""
        return self.as_time(self.prediction(assumptions).value)

    @lru_cache(maxsize=2048)  # noqa: B019 — the rows live as long as the program
    def error(self, assumptions: Assumptions) -> float:
        """By what share the predicted time is off; negative when the model is too fast."""
        return self.predicted_s(assumptions) / self.measured_s - 1

    @cached_property
    def scenario(self) -> Scenario:
        """The conditions of a row of inference."""
        f = self.fields
        weights, maths = self._formats
        batch = f["batch_or_concurrency"]
        return Scenario(
            gpu=gpu(f["gpu"]),
            model=model(f["model"]),
            gpus=int(f["tp"]),
            weights=weights,
            maths=maths,
            kv=_KV[f["kv_dtype"]],
            prompt=max(1, int(f["input_len"])),
            output=int(f["output_len"]),
            batch=int(batch) if batch.isdigit() else 1,
        )

    @property
    def _formats(self) -> tuple[str | Precision, str]:
        f = self.fields
        if f["weight_dtype"] in _FORMATS:
            return _FORMATS[f["weight_dtype"]]
        bits = float(f["weight_bits_effective"])
        return Precision(f["weight_dtype"], f["weight_dtype"], bits), "bf16"

    @staticmethod
    def _at_most(e: Estimate) -> Estimate:
        batch = max(1, min(int(e.largest_batch.value), _MOST_AT_ONCE))
        return estimate(e.scenario.but(batch=batch), e.assumptions)

    @cached_property
    def training(self) -> "Training":
        """The conditions of a row of training."""
        from lessoncore.training import Training

        f = self.fields
        micro_batch = re.search(r"(?:microbatch|local batch) (\d+)", f["batch_or_concurrency"])
        assert micro_batch
        load = f["load"]
        everything = "act_ckpt=True" in load or "full AC" in load
        return Training(
            gpu=gpu(f["gpu"]),
            model=model(f["model"]),
            all_gpus=int(f["n_gpus"]),
            gpus=int(f["tp"]),
            sequence=int(f["input_len"]),
            micro_batch=int(micro_batch[1]),
            recompute="everything" if everything else "attention" if "selective" in load else "nothing",
        )


class MemoryRow(Row):
    """The peak memory of a GPU in training. What is said of times holds for its bytes here."""

    @property
    def measured_s(self) -> float:
        """What was measured, in bytes."""
        return float(self.fields["value"]) * GIB

    def prediction(self, assumptions: Assumptions) -> Quantity:
        """What the model says to it, in bytes."""
        from lessoncore.training import training

        return training(self.training, assumptions).gpu_bytes


@cache
def every() -> tuple[dict[str, str], ...]:
    """Every line of measurements.csv."""
    return tuple(csv.DictReader(StringIO(text_of("measurements.csv"), newline="")))


@cache
def rows() -> tuple[Row, ...]:
    """All measurements that an estimate can be held against: those that the calibrated set is fitted to."""
    return tuple(row for row in all_rows() if row.is_predicted)


@cache
def all_rows() -> tuple[Row, ...]:
    """All clean measurements: also the memory of training and the percentiles of queues, which nothing is fitted to."""
    from lessoncore.evidence.queue import QueueRow

    kinds = {"queue_p99": QueueRow, "training_memory": MemoryRow}
    return tuple(kinds.get(fields["validates"], Row)(fields) for fields in every())


def rows_of(effect: str) -> tuple[Row, ...]:
    """The rows that show an effect; all that are fitted to where it is "all", and all there are where "every"."""
    if effect == "every":
        return all_rows()
    return rows() if effect == "all" else tuple(row for row in all_rows() if effect in row.effects)
