"""What a scenario's model and its number formats give, as quantities: its parameters, their bytes, its cache.

They are the same for every GPU, request and batch, so they are kept: a curve has fifty scenarios of one model.
"""

from functools import cached_property, lru_cache

from lessoncore.architecture import Parameters, attention_width, kv_bytes_per_token
from lessoncore.formula import Quantity, quantity
from lessoncore.passes import weight_bytes, weight_bytes_of_parts
from lessoncore.precision import Precision, precision
from lessoncore.scenario import Scenario

# The parts of a pass, and the fields of architecture.Parameters that each consists of.
PARTS = {
    "embedding": ("embedding",),
    "projection": ("attention", "norms"),
    "mlp": ("mlp", "experts", "router"),
    "head": ("head",),
}


class ModelSheet:
    """The model of a scenario, in its number formats, as quantities; the same object for the same thing."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario  # of which only the model and the formats of weights and cache count
        self.model = scenario.architecture
        self.counted = f"counted from {self.model.source}"
        self.layers = Quantity(self.model.layers, "layers", self.model.source)
        self.hidden_size = Quantity(self.model.hidden_size, "hidden_size", self.model.source)
        self.head_dim = Quantity(self.model.head_dim, "head_dim", self.model.source)

    # The weights.

    @cached_property
    def all_parameters(self) -> dict[str, Quantity]:
        """The parameters of the model by part of a pass."""
        return self._by_part(self.model.parameters, "parameters", self.counted)

    @cached_property
    def active_parameters(self) -> dict[str, Quantity]:
        """The parameters that one token uses, by part of a pass."""
        if not self.model.has_experts:
            return self.all_parameters
        active = self.model.active_parameters
        return self.all_parameters | {
            "mlp": self.part("mlp", active, "parameters", f"{self.counted}: the experts that a token chooses")
        }

    @cached_property
    def parameters(self) -> Quantity:
        """All parameters of the model."""
        return Quantity(self.model.parameters.total, "parameters", self.counted)

    @cached_property
    def parameters_a_token(self) -> Quantity:
        """All parameters that one token uses."""
        return Quantity(self.model.active_parameters.total, "active_parameters", self.counted)

    @cached_property
    def stored_bytes(self) -> dict[str, Quantity]:
        """The bytes of all weights by part of a pass."""
        return {part: self.bytes_of(part, count, self.model.parameters) for part, count in self.all_parameters.items()}

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
        form = self.formats["mlp"]
        return Quantity(form.bytes, "bytes_per_weight", form.label)

    @cached_property
    def formats(self) -> dict[str, Precision]:
        """The number format of each field of architecture.Parameters."""
        return {field: self.scenario.weight_format(field) for fields in PARTS.values() for field in fields}

    def _by_part(self, counts: Parameters, symbol: str, source: str) -> dict[str, Quantity]:
        return {part: self.part(part, counts, symbol, source) for part in PARTS}

    @staticmethod
    def part(part: str, counts: Parameters, symbol: str, source: str) -> Quantity:
        return Quantity(sum(getattr(counts, name) for name in PARTS[part]), f"{part}_{symbol}", source)

    def bytes_of(self, part: str, count: Quantity, counts: Parameters) -> Quantity:
        return quantity(
            f"{part}_bytes", weight_bytes, parameters=count, bytes_per_weight=self._mean_bytes(part, count, counts)
        )

    def _mean_bytes(self, part: str, count: Quantity, counts: Parameters) -> Quantity:
        if self.scenario.weights != "stored" or not count.value:
            return self.bytes_per_weight
        size = sum(getattr(counts, name) * self.formats[name].bytes for name in PARTS[part])
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
            head_dim=self.head_dim,
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
            head_dim=self.head_dim,
            bytes_per_kv=Quantity(size, "bytes_per_kv", self.scenario.kv),
        )


def model_sheet(scenario: Scenario) -> ModelSheet:
    """The sheet of a scenario's model."""
    if isinstance(scenario.model, str):
        return _kept(scenario.model, scenario.config, scenario.weights, scenario.kv)
    return ModelSheet(scenario)


@lru_cache(maxsize=32)
def _kept(model: str, config: str, weights: str | Precision, kv: str) -> ModelSheet:
    return ModelSheet(Scenario(model=model, config=config, weights=weights, kv=kv))
