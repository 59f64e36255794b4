"""The quantities that a scenario gives: what the passes, the memory and the prices are computed from."""

from functools import cached_property

from lessoncore.architecture import Parameters
from lessoncore.assumptions import Assumptions
from lessoncore.formula import Counted, Quantity, quantity
from lessoncore.model_sheet import model_sheet
from lessoncore.parallel import kv_copies, mean_kv_copies
from lessoncore.passes import new_tokens
from lessoncore.precision import precision
from lessoncore.scenario import Scenario

_READER = "the request"


class Sheet:
    """A scenario and a set of assumptions as quantities, each with its source; the same object for the same thing."""

    def __init__(self, scenario: Scenario, assumptions: Assumptions) -> None:
        self.scenario = scenario
        self.assumptions = assumptions
        self.gpu = scenario.hardware
        self.model = scenario.architecture
        self.of_model = model_sheet(scenario)
        gpu = self.gpu
        self._read: dict[float, Parameters] = {}
        self.gpus = Quantity(scenario.gpus, "gpus", _READER)
        self.batch = Quantity(scenario.batch, "batch", _READER)
        self.prompt = Quantity(scenario.prompt, "prompt", _READER)
        self.output = Quantity(scenario.output, "output", _READER)
        self.peak_flops = Quantity(gpu.peak(scenario.maths), "peak_flops", gpu.source)
        self.bandwidth = Quantity(gpu.bandwidth, "bandwidth", gpu.source)
        self.memory_bytes = Quantity(gpu.memory_bytes, "memory_bytes", gpu.source)
        self.compute_efficiency = self.assumed("compute_efficiency", *assumptions.efficiency(scenario.maths, gpu))
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
    def _narrow_fields(self) -> list[str]:
        """The fields of architecture.Parameters that are multiplied and stored narrower than the arithmetic works."""
        bits = precision(self.scenario.maths).bits
        return [
            field
            for field, form in self.of_model.formats.items()
            if form.bits < bits and field not in ("embedding", "norms")
        ]

    def _read_parameters(self, tokens: float) -> Parameters:
        if tokens not in self._read:
            self._read[tokens] = self.model.read_parameters(tokens)
        return self._read[tokens]

    def read_bytes(self, tokens: Quantity) -> dict[str, Quantity]:
        """The bytes of the weights that a pass of ``tokens`` tokens reads, by part: of the experts those touched."""
        of = self.of_model
        if not self.model.has_experts:
            return of.stored_bytes
        read = self._read_parameters(tokens.value)
        return of.stored_bytes | {"mlp": of.bytes_of("mlp", of.part("mlp", read, tokens), read, tokens)}

    def narrow_weights(self, tokens: float) -> float:
        """Count the weights that a pass reads and has to widen before it can compute with them."""
        if not self._narrow_fields:
            return 0
        read = self._read_parameters(tokens)
        return float(sum(getattr(read, field) for field in self._narrow_fields))

    def weights_read(self, narrow: float, tokens: Quantity) -> Quantity:
        """The ``narrow`` weights that a pass of ``tokens`` tokens reads, with the way to their number."""
        of = self.of_model
        return Counted(
            narrow,
            "weights_read",
            of.counted,
            lambda: of.derivations.fields_together("weights_read", self._narrow_fields, tokens),
        )

    # The cache.

    @cached_property
    def kv_copies(self) -> Quantity:
        """How often the keys and values of a token are kept, over all GPUs."""
        shards = self.model.kv_shards(self.scenario.gpus)
        if shards == self.scenario.gpus:
            return Quantity(1, "kv_copies", "no more GPUs than key/value heads")
        return quantity(
            "kv_copies",
            kv_copies,
            gpus=self.gpus,
            kv_shards=Quantity(shards, "kv_shards", f"key/value heads of {self.model.source}"),
        )

    def copies_of(self, context: Quantity) -> Quantity:
        """How often each byte in the cache of one sequence of ``context`` tokens is kept, over all GPUs."""
        model, gpus, of = self.model, self.scenario.gpus, self.of_model
        if gpus == 1 or self._copies_alike:
            return self.kv_copies
        once = self.sequence_bytes(context)
        if not once.value:
            return self.kv_copies
        held = model.kv_bytes(context.value, of.bytes_per_kv.value, gpus) + model.state_bytes(gpus)
        on_a_gpu = Counted(
            held,
            "gpu_sequence_bytes",
            of.counted,
            lambda: of.derivations.sequence_bytes(context, of.bytes_per_kv, self.gpus),
        )
        return quantity("kv_copies", mean_kv_copies, gpus=self.gpus, gpu_sequence_bytes=on_a_gpu, sequence_bytes=once)

    @cached_property
    def _copies_alike(self) -> bool:
        return self.model.copies_alike(self.scenario.gpus)

    def sequence_bytes(self, context: Quantity) -> Quantity:
        """Bytes in the cache of one sequence of ``context`` tokens, whatever its layers do."""
        model, of = self.model, self.of_model
        kept = model.kv_bytes(context.value, of.bytes_per_kv.value) + model.state_bytes()
        return Counted(
            kept, "sequence_bytes", of.counted, lambda: of.derivations.sequence_bytes(context, of.bytes_per_kv)
        )
