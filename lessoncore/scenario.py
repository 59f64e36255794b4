"""The question that is asked of the model: which GPU, which model, in which precision, for which request."""

from collections.abc import Iterable
from typing import Any

from lessoncore import parameters
from lessoncore.architecture import Architecture
from lessoncore.errors import Correctable, unknown
from lessoncore.hardware import Gpu
from lessoncore.precision import Precision, precision
from lessoncore.record import Record


class Scenario(Record):
    """A request, or a batch of equal ones, served by ``replicas`` copies of a model on ``gpus`` equal GPUs each.

    Every field is a key of parameters.PARAMETERS, which holds its range, its label and its default. A GPU, a model
    and the format of the weights are named by their key, or given themselves: a model read from a config.json, a
    GPU that the catalogue doesn't have. ``weights`` "stored" takes the formats of the model's checkpoint.
    ``config`` is the text of a config.json whose model is served in place of ``model``, unless it is empty.
    ``cached`` tokens of the prompt are in the KV cache already. ``batch`` and memory are those of one copy.
    ``rate`` requests a second arrive, for all copies together; only a simulated queue asks for it.
    ``price`` is in US dollars for a GPU and hour; 0 stands for the middle of the catalogue's range. ``assumptions``
    names the set that estimate() uses if it isn't given another.
    """

    gpu: str | Gpu = "h100-sxm"
    model: str | Architecture = "llama-3.1-8b"
    config: str = ""
    gpus: int = 1
    weights: str | Precision = "bf16"
    maths: str = "bf16"
    kv: str = "bf16"
    prompt: int = 2000
    cached: int = 0
    output: int = 500
    batch: int = 1
    replicas: int = 1
    rate: float = 1.0
    price: float = 0.0
    assumptions: str = "textbook"

    def __post_init__(self) -> None:
        """Check every value against its parameter, and what only a combination can get wrong."""
        self._check(self.names)

    def _check(self, names: Iterable[str]) -> None:
        for name in names:
            value = self.__dict__[name]
            if not isinstance(value, (Gpu, Architecture, Precision)):
                parameters.PARAMETERS[name].check(value)
        model, hardware = self.architecture, self.hardware
        hardware.peak(self.maths)
        hardware.check_shared_by(self.gpus, model.heads, model.label)
        if self.cached >= self.prompt:
            raise Correctable(
                f"Cached prefix: at least the last of the {self.prompt:,} prompt tokens has to be worked on, so at "
                f"most {self.prompt - 1:,} can be cached, but {self.cached:,} was given.",
                ("cached", "prompt"),
                {"cached": self.prompt - 1},
            )

    @property
    def hardware(self) -> Gpu:
        """The GPU."""
        if isinstance(self.gpu, Gpu):
            return self.gpu
        from lessoncore.catalogue import gpu

        return gpu(self.gpu)

    @property
    def architecture(self) -> Architecture:
        """The model."""
        if self.config:
            from lessoncore.pasted import architecture

            return architecture(self.config)
        if isinstance(self.model, Architecture):
            return self.model
        from lessoncore.catalogue import model

        return model(self.model)

    def weight_format(self, part: str) -> Precision:
        """The number format of one part of the weights, a field of architecture.Parameters.

        >>> Scenario(weights="fp8").weight_format("head").label
        'fp8'
        >>> Scenario(model="gpt-oss-20b", weights="stored").weight_format("head").label
        'bf16'
        """
        if isinstance(self.weights, Precision):
            return self.weights
        if self.weights != "stored":
            return precision(self.weights)
        stored = self.architecture.stored
        return precision(stored.weights if part in stored.parts else stored.rest)

    def but(self, **changes: Any) -> "Scenario":
        """Give the same scenario with some values changed.

        >>> Scenario().but(prompt=4000).prompt
        4000
        """
        for name in changes:
            if name not in parameters.PARAMETERS:
                raise unknown("parameter", name, list(parameters.PARAMETERS))
        # The other values have been checked: curves ask for some dozens of scenarios at each move of a slider.
        changed = object.__new__(Scenario)
        changed.__dict__.update(self.__dict__, **changes)
        changed._check(changes)
        return changed
