"""The question that is asked of the model: which GPU, which model, in which precision, for which request."""

from dataclasses import dataclass, fields, replace
from typing import Any

from lessoncore import parameters
from lessoncore.architecture import Architecture
from lessoncore.errors import LessonError, unknown
from lessoncore.hardware import Gpu
from lessoncore.precision import precision


@dataclass(frozen=True, slots=True)
class Scenario:
    """A request, or a batch of equal ones, served by one copy of a model on ``gpus`` equal GPUs.

    Every field is a key of parameters.PARAMETERS, which holds its range, its label and its default.
    """

    gpu: str = "h100-sxm"
    model: str = "llama-3.1-8b"
    gpus: int = 1
    weights: str = "bf16"
    maths: str = "bf16"
    kv: str = "bf16"
    prompt: int = 2000
    output: int = 500
    batch: int = 1

    def __post_init__(self) -> None:
        """Check every value against its parameter, and what only a combination can get wrong."""
        for field in fields(self):
            parameters.PARAMETERS[field.name].check(getattr(self, field.name))
        precision(self.weights), precision(self.kv)
        self.hardware.peak(self.maths)
        model, hardware = self.architecture, self.hardware
        if model.heads % self.gpus:
            raise LessonError(
                f"{self.gpus} GPUs can't share the {model.heads} query heads of {model.label} evenly. "
                f"Possible: {', '.join(str(n) for n in range(1, 65) if model.heads % n == 0)}."
            )
        if self.gpus > 1 and not hardware.link_bandwidth:
            raise LessonError(f"{hardware.label} has no link between GPUs in the catalogue; use 1 GPU.")

    @property
    def hardware(self) -> Gpu:
        """The GPU of the catalogue."""
        from lessoncore.catalogue import gpu

        return gpu(self.gpu)

    @property
    def architecture(self) -> Architecture:
        """The model of the catalogue."""
        from lessoncore.catalogue import model

        return model(self.model)

    def but(self, **changes: Any) -> "Scenario":
        """Give the same scenario with some values changed.

        >>> Scenario().but(prompt=4000).prompt
        4000
        """
        for name in changes:
            if name not in parameters.PARAMETERS:
                raise unknown("parameter", name, list(parameters.PARAMETERS))
        return replace(self, **changes)
