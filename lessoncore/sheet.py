"""The quantities that a scenario gives: what the passes, the memory and the prices are computed from."""

from functools import cached_property

from lessoncore.architecture import Parameters, attention_width, kv_bytes_per_token
from lessoncore.assumptions import Assumptions
from lessoncore.formula import Quantity, quantity
from lessoncore.parallel import kv_copies
from lessoncore.passes import new_tokens, weight_bytes, weight_bytes_of_parts
from lessoncore.precision import Precision, precision
from lessoncore.scenario import Scenario

_READER = "the request"
# The parts of a pass, and the fields of architecture.Parameters that each consists of.
_PARTS = {
    "embedding": ("embedding",),
    "projection": ("attention", "norms"),
    "mlp": ("mlp", "experts", "router"),
    "head": ("head",),
}


class Sheet:
    """A scenario and a set of assumptions as quantities, each with its source; the same object for the same thing."""

    def __init__(self, scenario: Scenario, assumptions: Assumptions) -> None:
        self.scenario = scenario
        self.assumptions = assumptions
        self.gpu = scenario.hardware
        self.model = scenario.architecture
        gpu, model = self.gpu, self.model
        self._counted = f"counted from {model.source}"
        self._read: dict[float, Parameters] = {}
        self.gpus = Quantity(scenario.gpus, "gpus", _READER)
        self.batch = Quantity(scenario.batch, "batch", _READER)
        self.prompt = Quantity(scenario.prompt, "prompt", _READER)
        self.output = Quantity(scenario.output, "output", _READER)
        self.layers = Quantity(model.layers, "layers", model.source)
        self.hidden_size = Quantity(model.hidden_size, "hidden_size", model.source)
        self.peak_flops = Quantity(gpu.peak(scenario.maths), "peak_flops", gpu.source)
        self.bandwidth = Quantity(gpu.bandwidth, "bandwidth", gpu.source)
        self.memory_bytes = Quantity(gpu.memory_bytes, "memory_bytes", gpu.source)
        narrow = scenario.maths in assumptions.narrow_efficiency
        self.compute_efficiency = self.assumed(
            "compute_efficiency",
            assumptions.efficiency(scenario.maths),
            "narrow_efficiency" if narrow else "compute_efficiency",
        )
        self.memory_efficiency = self.assumed("memory_efficiency", assumptions.memory_efficiency)

    def assumed(self, symbol: str, value: float, term: str = "") -> Quantity:
        """Take something for granted, and say who does and why; ``term`` is its field where that isn't the symbol."""
        return Quantity(value, symbol, self.assumptions.reason(term or symbol))

    # The request.

    @cached_property
    def cached(self) -> Quantity:
        """Prompt tokens that are in the cache already."""
        return Quantity(self.scenario.cached, "cached", _READER)

    @cached_property
    def new_tokens(self) -> Quantity:
        """Prompt tokens to be worked on."""
        if not self.scenario.cached:
            return self.prompt
        return quantity("new_tokens", new_tokens, prompt=self.prompt, cached=self.cached)

    # The weights.

    @cached_property
    def all_parameters(self) -> dict[str, Quantity]:
        """The parameters of the model by part of a pass."""
        return self._by_part(self.model.parameters, "parameters", self._counted)

    @cached_property
    def active_parameters(self) -> dict[str, Quantity]:
        """The parameters that one token uses, by part of a pass."""
        if not self.model.has_experts:
            return self.all_parameters
        active = self.model.active_parameters
        return self.all_parameters | {
            "mlp": self._part("mlp", active, "parameters", f"{self._counted}: the experts that a token chooses")
        }

    @cached_property
    def parameters(self) -> Quantity:
        """All parameters of the model."""
        return Quantity(self.model.parameters.total, "parameters", self._counted)

    @cached_property
    def parameters_a_token(self) -> Quantity:
        """All parameters that one token uses."""
        return Quantity(self.model.active_parameters.total, "active_parameters", self._counted)

    @cached_property
    def stored_bytes(self) -> dict[str, Quantity]:
        """The bytes of all weights by part of a pass."""
        return {part: self._bytes(part, count, self.model.parameters) for part, count in self.all_parameters.items()}

    @cached_property
    def weight_bytes(self) -> Quantity:
        """The bytes of all weights in memory."""
        if self.scenario.weights != "stored":
            return quantity(
                "weight_bytes", weight_bytes, parameters=self.parameters, bytes_per_weight=self.bytes_per_weight
            )
        return quantity(
            "weight_bytes",
            weight_bytes_of_parts,
            **{f"{part}_bytes": size for part, size in self.stored_bytes.items()},
        )

    @cached_property
    def bytes_per_weight(self) -> Quantity:
        """Bytes of a weight, where all have the same format."""
        form = self._formats["mlp"]
        return Quantity(form.bytes, "bytes_per_weight", form.label)

    @cached_property
    def _formats(self) -> dict[str, Precision]:
        """The number format of each field of architecture.Parameters."""
        return {field: self.scenario.weight_format(field) for fields in _PARTS.values() for field in fields}

    @cached_property
    def _narrow_fields(self) -> list[str]:
        """The fields of architecture.Parameters that are multiplied and stored narrower than the arithmetic works."""
        bits = precision(self.scenario.maths).bits
        return [
            field for field, form in self._formats.items() if form.bits < bits and field not in ("embedding", "norms")
        ]

    def _read_parameters(self, tokens: float) -> Parameters:
        if tokens not in self._read:
            self._read[tokens] = self.model.read_parameters(tokens)
        return self._read[tokens]

    def read_bytes(self, tokens: float) -> dict[str, Quantity]:
        """The bytes of the weights that a pass of ``tokens`` tokens reads, by part: of the experts those touched."""
        if not self.model.has_experts:
            return self.stored_bytes
        read = self._read_parameters(tokens)
        touched = f"{self._counted}: the experts that {tokens:,.0f} tokens touch on average"
        return self.stored_bytes | {"mlp": self._bytes("mlp", self._part("mlp", read, "parameters", touched), read)}

    def narrow_weights(self, tokens: float) -> float:
        """Count the weights that a pass reads and has to widen before it can compute with them."""
        if not self._narrow_fields:
            return 0
        read = self._read_parameters(tokens)
        return float(sum(getattr(read, field) for field in self._narrow_fields))

    def _by_part(self, counts: Parameters, symbol: str, source: str) -> dict[str, Quantity]:
        return {part: self._part(part, counts, symbol, source) for part in _PARTS}

    @staticmethod
    def _part(part: str, counts: Parameters, symbol: str, source: str) -> Quantity:
        return Quantity(sum(getattr(counts, name) for name in _PARTS[part]), f"{part}_{symbol}", source)

    def _bytes(self, part: str, count: Quantity, counts: Parameters) -> Quantity:
        return quantity(
            f"{part}_bytes", weight_bytes, parameters=count, bytes_per_weight=self._mean_bytes(part, count, counts)
        )

    def _mean_bytes(self, part: str, count: Quantity, counts: Parameters) -> Quantity:
        if self.scenario.weights != "stored" or not count.value:
            return self.bytes_per_weight
        size = sum(getattr(counts, name) * self._formats[name].bytes for name in _PARTS[part])
        return Quantity(size / count.value, "bytes_per_weight", f"as its checkpoint stores the {part}, mean")

    # Attention and its cache.

    @cached_property
    def attention_width(self) -> Quantity:
        """Widths of all query heads of all layers; only where all layers attend alike."""
        model = self.model
        return quantity(
            "attention_width",
            attention_width,
            layers=self.layers,
            heads=Quantity(model.heads, "heads", model.source),
            head_dim=Quantity(model.head_dim, "head_dim", model.source),
        )

    @cached_property
    def kv_bytes_per_token(self) -> Quantity:
        """Bytes that a token adds to the cache."""
        model, size = self.model, precision(self.scenario.kv).bytes
        if not model.uniform_attention:
            summed = f"summed over the layers of {model.source}, {self.scenario.kv}"
            return Quantity(model.kv_bytes_per_token(size), "kv_bytes_per_token", summed)
        return quantity(
            "kv_bytes_per_token",
            kv_bytes_per_token,
            layers=self.layers,
            kv_heads=Quantity(model.kv_heads, "kv_heads", model.source),
            head_dim=Quantity(model.head_dim, "head_dim", model.source),
            bytes_per_kv=Quantity(size, "bytes_per_kv", self.scenario.kv),
        )

    @cached_property
    def kv_copies(self) -> Quantity:
        """How often each key and value is kept."""
        shards = self.model.kv_shards(self.scenario.gpus)
        if shards == self.scenario.gpus:
            return Quantity(1, "kv_copies", "no more GPUs than key/value heads")
        return quantity(
            "kv_copies",
            kv_copies,
            gpus=self.gpus,
            kv_shards=Quantity(shards, "kv_shards", f"key/value heads of {self.model.source}"),
        )

    def sequence_bytes(self, context: float) -> Quantity:
        """Bytes in the cache of one sequence of ``context`` tokens, whatever its layers do."""
        model = self.model
        kept = model.kv_bytes(context, precision(self.scenario.kv).bytes) + model.state_bytes()
        return Quantity(kept, "sequence_bytes", f"summed over the layers of {model.source}: {context:,.0f} tokens")
