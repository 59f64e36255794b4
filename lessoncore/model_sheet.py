"""What a scenario's model and its number formats give, as quantities: its parameters, their bytes, its cache.

They are the same for every GPU, request and batch, so they are kept: a curve has fifty scenarios of one model.
"""

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from lessoncore.architecture import Parameters, attention_width, kv_bytes_per_token
from lessoncore.formula import Counted, Quantity, quantity
from lessoncore.passes import weight_bytes, weight_bytes_of_parts
from lessoncore.precision import Precision, precision
from lessoncore.scenario import Scenario

if TYPE_CHECKING:
    from lessoncore.derivations import Derivations, Which

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

    @cached_property
    def derivations(self) -> "Derivations":
        """Where the counts come from."""
        from lessoncore.derivations import Derivations  # for whoever asks

        return Derivations(self.model)

    # The weights.

    @cached_property
    def all_parameters(self) -> dict[str, Quantity]:
        """The parameters of the model by part of a pass."""
        return {part: self.part(part, self.model.parameters, "all") for part in PARTS}

    @cached_property
    def active_parameters(self) -> dict[str, Quantity]:
        """The parameters that one token uses, by part of a pass."""
        if not self.model.has_experts:
            return self.all_parameters
        return self.all_parameters | {"mlp": self.part("mlp", self.model.active_parameters, "chosen")}

    @cached_property
    def parameters(self) -> Quantity:
        """All parameters of the model."""
        return self._total("parameters", self.model.parameters, "all")

    @cached_property
    def parameters_a_token(self) -> Quantity:
        """All parameters that one token uses."""
        return self._total("active_parameters", self.model.active_parameters, "chosen")

    def _total(self, symbol: str, counts: Parameters, which: "Which") -> Quantity:
        return Counted(counts.total, symbol, self.counted, lambda: self.derivations.parameters(symbol, which))

    @cached_property
    def stored_bytes(self) -> dict[str, Quantity]:
        """The bytes of all weights by part of a pass."""
        counts = self.model.parameters
        return {part: self.bytes_of(part, count, counts, "all") for part, count in self.all_parameters.items()}

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

    def part(self, part: str, counts: Parameters, which: "Which") -> Quantity:
        """The parameters of a part of a pass; ``which`` experts are those of ``counts``."""
        count = sum(getattr(counts, name) for name in PARTS[part])
        if not count:  # tied embeddings
            return Quantity(0, f"{part}_parameters", "the same table as the head")
        return Counted(count, f"{part}_parameters", self.counted, lambda: self.derivations.part(part, which))

    def bytes_of(self, part: str, count: Quantity, counts: Parameters, which: "Which") -> Quantity:
        """The bytes of a part of a pass, in the formats that its weights are stored in."""
        return quantity(
            f"{part}_bytes",
            weight_bytes,
            parameters=count,
            bytes_per_weight=self._mean_bytes(part, count, counts, which),
        )

    def _mean_bytes(self, part: str, count: Quantity, counts: Parameters, which: "Which") -> Quantity:
        if self.scenario.weights != "stored" or not count.value:
            return self.bytes_per_weight
        formats = [self.formats[name] for name in PARTS[part]]
        if len(formats) == 1:
            return Quantity(formats[0].bytes, "bytes_per_weight", f"{formats[0].label}, as its checkpoint stores it")
        size = sum(getattr(counts, name) * self.formats[name].bytes for name in PARTS[part])
        return Counted(
            size / count.value,
            "bytes_per_weight",
            f"as its checkpoint stores the {part}, mean",
            lambda: self.derivations.mean_bytes(part, which, self.formats),
        )

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
            return Counted(
                model.kv_bytes_per_token(size),
                "kv_bytes_per_token",
                self.counted,
                lambda: self.derivations.kv_bytes_per_token(self.bytes_per_kv),
            )
        return quantity(
            "kv_bytes_per_token",
            kv_bytes_per_token,
            layers=self.layers,
            kv_heads=Quantity(model.kv_heads, "kv_heads", model.source),
            head_dim=self.head_dim,
            bytes_per_kv=self.bytes_per_kv,
        )

    @cached_property
    def bytes_per_kv(self) -> Quantity:
        """Bytes of a number in the cache."""
        return Quantity(precision(self.scenario.kv).bytes, "bytes_per_kv", self.scenario.kv)


def model_sheet(scenario: Scenario) -> ModelSheet:
    """The sheet of a scenario's model."""
    if isinstance(scenario.model, str):
        return _kept(scenario.model, scenario.config, scenario.weights, scenario.kv)
    return ModelSheet(scenario)


@lru_cache(maxsize=32)
def _kept(model: str, config: str, weights: str | Precision, kv: str) -> ModelSheet:
    return ModelSheet(Scenario(model=model, config=config, weights=weights, kv=kv))
