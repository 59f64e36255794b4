"""Where the counts of a model come from: the way from the keys of its config.json, by the formulas of counting.py.

Worked out only when a reader asks.
"""

from collections.abc import Callable, Iterable
from copy import replace
from functools import partial

from lessoncore.architecture import Architecture, kv_bytes_per_token
from lessoncore.attention import (
    Attention,
    GroupedQueryAttention,
    LatentAttention,
    causal_pairs,
    chunked_pairs,
    windowed_pairs,
)
from lessoncore.counting import (
    attention_parameters,
    bytes_of_kinds,
    cached_bytes,
    channels_of_a_gpu,
    context_beside_full_windows,
    delta_net_channels,
    delta_net_flops,
    delta_net_parameters,
    delta_net_state_bytes,
    flops_of_a_latent_pair,
    flops_of_a_pair,
    flops_of_an_absorbed_pair,
    flops_of_kinds,
    flops_of_layers,
    heads_of_a_gpu,
    kept_tokens,
    kv_bytes_of_layers,
    latent_attention_parameters,
    latent_attention_parameters_of_whole_queries,
    latent_kv_bytes,
    mamba_channels,
    mamba_flops,
    mamba_parameters,
    mamba_state_bytes,
    mean_bytes_of_mlps,
    mean_bytes_of_projections,
    mlp_and_expert_parameters,
    mlp_parameters,
    norm_parameters,
    parameters_of_experts,
    parameters_of_kinds,
    parameters_of_layers,
    parameters_of_parts,
    projection_and_norm_parameters,
    router_parameters,
    table_parameters,
    width_of_gated_heads,
    width_of_heads,
    width_of_keys_and_values,
)
from lessoncore.feedforward import Experts, Mlp, experts_touched
from lessoncore.formula import Quantity, quantity
from lessoncore.linear_attention import GatedDeltaNet, Mamba2
from lessoncore.precision import Precision

type Term = tuple[Callable[..., float], dict[str, Quantity]]
# Which experts of a layer are counted: all of them, those that a token chooses, or those that so many tokens touch.
type Which = str | Quantity
ALL, CHOSEN = "all", "chosen"

# The fields of architecture.Parameters, as symbols.
_SYMBOLS = {
    "embedding": "embedding_parameters",
    "attention": "attention_parameters",
    "norms": "norm_parameters",
    "mlp": "dense_parameters",
    "experts": "expert_parameters",
    "router": "router_parameters",
    "head": "head_parameters",
}
_NONE = {
    "embedding": "the same table as the head",
    "mlp": "it has none",
    "experts": "it has none",
    "router": "it has none",
}


class Derivations:
    """The derivations of one model's counts."""

    def __init__(self, model: Architecture) -> None:
        self.model = model
        self._hidden_size = self._given(model.hidden_size, "hidden_size")

    def _given(self, value: float, symbol: str, what: str = "") -> Quantity:
        return Quantity(value, symbol, f"{what}: {self.model.source}" if what else self.model.source)

    def _layers(self, count: int, kind: Attention | Mlp | Experts) -> Quantity:
        return self._given(count, "layers", _words(kind))

    # Parameters.

    def parameters(self, symbol: str, which: Which) -> Quantity:
        """All parameters of the model, or those that a token uses."""
        parts = {f"{part}_parameters": self.part(part, which) for part in ("embedding", "projection", "mlp", "head")}
        return quantity(symbol, parameters_of_parts, **parts)

    def part(self, part: str, which: Which) -> Quantity:
        """The parameters of a part of a pass."""
        if part == "projection":
            return quantity(
                "projection_parameters", projection_and_norm_parameters, **self._fields(which, *_PROJECTION)
            )
        if part == "mlp":
            return quantity("mlp_parameters", mlp_and_expert_parameters, **self._fields(which, *_MLP))
        return self.field(part, which)

    def _fields(self, which: Which, *fields: str) -> dict[str, Quantity]:
        return {_SYMBOLS[field]: self.field(field, which) for field in fields}

    def field(self, field: str, which: Which) -> Quantity:
        """The parameters of a field of architecture.Parameters."""
        symbol = _SYMBOLS[field]
        if not getattr(self.model.parameters, field):
            return self._given(0, symbol, _NONE[field])
        if field in ("embedding", "head"):
            words = self._given(self.model.vocabulary, "vocabulary")
            return quantity(symbol, table_parameters, vocabulary=words, hidden_size=self._hidden_size)
        if field == "norms":
            return self._norms()
        terms = {"attention": self._attention, "mlp": self._dense, "router": self._routers}
        found = list(terms[field]()) if field in terms else list(self._experts(which))
        return _summed(symbol, found, "parameters", parameters_of_kinds)

    def fields_together(self, symbol: str, fields: Iterable[str], which: Which) -> Quantity:
        """The parameters of some fields."""
        counts = [self.field(field, which) for field in fields]
        return _folded(symbol, counts, "parameters", parameters_of_kinds)

    def _norms(self) -> Quantity:
        hidden = 1 + sum(
            g.count * (g.norms + (g.mlp.norms if isinstance(g.mlp, Experts) else 0)) for g in self.model.groups
        )
        inside = sum(g.count * g.attention.norm_weights for g in self.model.groups if g.attention is not None)
        return quantity(
            "norm_parameters",
            norm_parameters,
            norm_vectors=self._given(hidden, "norm_vectors", "those of each layer and one at the end"),
            hidden_size=self._hidden_size,
            head_norm_parameters=self._given(inside, "head_norm_parameters", "norms inside attention"),
        )

    def _attention(self) -> Iterable[Term]:
        for count, kind in self.model.mixing:
            inputs = {"layers": self._layers(count, kind), "layer_parameters": self._weights(kind)}
            yield parameters_of_layers, inputs

    def _dense(self) -> Iterable[Term]:
        for count, one in self.model.mlps:
            if isinstance(one, Experts):
                mlp, extra = one.shared, self.model.hidden_size if one.shared_gate else 0
            else:
                mlp, extra = one, 0
            if mlp is not None:
                layers = {"layers": self._layers(count, mlp)}
                yield parameters_of_layers, layers | {"layer_parameters": self._mlp(mlp, extra)}

    def _experts(self, which: Which) -> Iterable[Term]:
        for count, experts in self._with_experts():
            yield (
                parameters_of_experts,
                {
                    "layers": self._layers(count, experts),
                    "experts_read": self._experts_read(experts, which),
                    "layer_parameters": self._mlp(experts.expert),
                },
            )

    def _with_experts(self) -> list[tuple[int, Experts]]:
        return [(count, one) for count, one in self.model.mlps if isinstance(one, Experts)]

    def _experts_read(self, experts: Experts, which: Which) -> Quantity:
        count = self._given(experts.count, "experts")
        chosen = self._given(experts.per_token, "experts_per_token")
        if isinstance(which, Quantity):
            return quantity("experts_read", experts_touched, experts=count, experts_per_token=chosen, tokens=which)
        return count if which == ALL else chosen

    def _routers(self) -> Iterable[Term]:
        for count, experts in self._with_experts():
            one = quantity(
                "layer_parameters",
                router_parameters,
                experts=self._given(experts.count, "experts"),
                hidden_size=self._hidden_size,
                bias_parameters=self._given(experts.router_numbers, "bias_parameters", "biases or scales of a router"),
            )
            yield parameters_of_layers, {"layers": self._layers(count, experts), "layer_parameters": one}

    def _mlp(self, mlp: Mlp, extra: int = 0) -> Quantity:
        matrices = 3 if mlp.gated else 2
        biases = mlp.weights(self.model.hidden_size) - matrices * self.model.hidden_size * mlp.width + extra
        return quantity(
            "layer_parameters",
            mlp_parameters,
            mlp_matrices=self._given(matrices, "mlp_matrices", "gated" if mlp.gated else "not gated"),
            hidden_size=self._hidden_size,
            mlp_width=self._given(mlp.width, "mlp_width"),
            bias_parameters=self._given(biases, "bias_parameters", "biases, and a gate where it has one"),
        )

    def _weights(self, kind: Attention) -> Quantity:
        """The parameters of a layer's attention."""
        if isinstance(kind, GroupedQueryAttention):
            return self._grouped_query(kind)
        if isinstance(kind, LatentAttention):
            return self._latent(kind)
        names: tuple[str, ...] = ("heads", "head_dim", "channels", "kernel", "bias_parameters")
        function: Callable[..., float] = mamba_parameters
        if isinstance(kind, GatedDeltaNet):
            names, function = ("channels", "value_heads", "value_dim", "kernel"), delta_net_parameters
        sizes = self._sizes(kind)
        return quantity(
            "layer_parameters", function, hidden_size=self._hidden_size, **{name: sizes[name] for name in names}
        )

    def _grouped_query(self, kind: GroupedQueryAttention) -> Quantity:
        heads, kv_heads = self._given(kind.heads, "heads"), self._given(kind.kv_heads, "kv_heads")
        head_dim, value_dim = self._given(kind.head_dim, "head_dim"), self._given(kind.value_width, "value_dim")
        query = quantity(
            "query_width", width_of_gated_heads if kind.gate else width_of_heads, heads=heads, head_dim=head_dim
        )
        if kind.keys_are_values:
            kv = quantity("kv_width", width_of_heads, heads=kv_heads, head_dim=head_dim)
        else:
            kv = quantity(
                "kv_width", width_of_keys_and_values, kv_heads=kv_heads, head_dim=head_dim, value_dim=value_dim
            )
        output = quantity("output_width", width_of_heads, heads=heads, head_dim=value_dim)
        matrices = self.model.hidden_size * (query.value + kv.value + output.value)
        biases = kind.weights(self.model.hidden_size) - matrices
        return quantity(
            "layer_parameters",
            attention_parameters,
            hidden_size=self._hidden_size,
            query_width=query,
            kv_width=kv,
            output_width=output,
            bias_parameters=self._given(biases, "bias_parameters", "one for each number that has a bias, and sinks"),
        )

    def _latent(self, kind: LatentAttention) -> Quantity:
        sizes = self._sizes(kind)
        plain = kind.query_latent == 0
        if plain:
            del sizes["query_latent"]
        function = latent_attention_parameters_of_whole_queries if plain else latent_attention_parameters
        return quantity("layer_parameters", function, hidden_size=self._hidden_size, **sizes)

    def _sizes(self, kind: LatentAttention | GatedDeltaNet | Mamba2) -> dict[str, Quantity]:
        """The sizes of a kind of attention by the names of the formulas."""
        given = self._given
        if isinstance(kind, LatentAttention):
            biases = kind.weights(self.model.hidden_size) - replace(kind, input_bias=False).weights(
                self.model.hidden_size
            )
            return {
                "query_latent": given(kind.query_latent, "query_latent"),
                "heads": given(kind.heads, "heads"),
                "key_dim": given(kind.key_dim, "key_dim"),
                "rope_dim": given(kind.rope_dim, "rope_dim"),
                "kv_latent": given(kind.latent, "kv_latent"),
                "value_dim": given(kind.value_dim, "value_dim"),
                "bias_parameters": given(biases, "bias_parameters", "one for each number that has a bias"),
            }
        if isinstance(kind, GatedDeltaNet):
            key_dim, value_dim = given(kind.key_dim, "key_dim"), given(kind.value_dim, "value_dim")
            value_heads = given(kind.value_heads, "value_heads")
            channels = quantity(
                "channels",
                delta_net_channels,
                key_heads=given(kind.key_heads, "key_heads"),
                key_dim=key_dim,
                value_heads=value_heads,
                value_dim=value_dim,
            )
            return {"channels": channels, "value_heads": value_heads, "key_dim": key_dim, "value_dim": value_dim} | {
                "kernel": given(kind.kernel, "kernel")
            }
        heads, head_dim = given(kind.heads, "heads"), given(kind.head_dim, "head_dim")
        state_size = given(kind.state, "state_size")
        channels = quantity(
            "channels",
            mamba_channels,
            heads=heads,
            head_dim=head_dim,
            state_groups=given(kind.groups, "state_groups"),
            state_size=state_size,
        )
        of_convolution = channels.value if kind.convolution_bias else 0
        return {"heads": heads, "head_dim": head_dim, "state_size": state_size, "channels": channels} | {
            "kernel": given(kind.kernel, "kernel"),
            "bias_parameters": given(of_convolution, "bias_parameters", "a bias for each number of the convolution"),
        }

    def mean_bytes(self, part: str, which: Which, formats: dict[str, Precision]) -> Quantity:
        """Mean bytes of a weight of a part, whose fields are stored in ``formats``."""
        fields, function = (
            (_PROJECTION, mean_bytes_of_projections) if part == "projection" else (_MLP, mean_bytes_of_mlps)
        )
        symbols = {field: _SYMBOLS[field].replace("parameters", "weight_bytes") for field in fields}
        widths = {
            symbol: Quantity(formats[field].bytes, symbol, f"{formats[field].label}, as its checkpoint stores them")
            for field, symbol in symbols.items()
        }
        return quantity("bytes_per_weight", function, **self._fields(which, *fields), **widths)

    # The cache.

    def kv_bytes_per_token(self, bytes_per_kv: Quantity, symbol: str = "kv_bytes_per_token") -> Quantity:
        """Bytes that a token adds to the cache while no window is full."""
        return _summed(symbol, self._kv_terms(self.model.caching, bytes_per_kv), "bytes", bytes_of_kinds)

    def _kv_terms(
        self,
        caching: Iterable[tuple[int, GroupedQueryAttention | LatentAttention]],
        bytes_per_kv: Quantity,
        gpus: Quantity | None = None,
    ) -> list[Term]:
        """The bytes of a token in layers that leave the same of it, whatever they keep; on one of some GPUs."""

        def alike(kind: GroupedQueryAttention | LatentAttention) -> tuple[int, ...]:
            if isinstance(kind, LatentAttention):
                return (kind.latent, kind.rope_dim)
            return (kind.kv_heads, kind.head_dim, kind.value_width)

        given, size = self._given, {"bytes_per_kv": bytes_per_kv}
        terms: list[Term] = []
        counts: dict[tuple[int, ...], int] = {}
        for count, kind in caching:
            counts[alike(kind)] = counts.get(alike(kind), 0) + count
        for sizes, number in counts.items():
            layers = {"layers": given(number, "layers", "those that keep a cache")}
            if len(sizes) == 2:
                latent = {"kv_latent": given(sizes[0], "kv_latent"), "rope_dim": given(sizes[1], "rope_dim")}
                terms.append((latent_kv_bytes, layers | latent | size))
                continue
            heads = {"kv_heads": _on_a_gpu(given(sizes[0], "kv_heads"), gpus), "head_dim": given(sizes[1], "head_dim")}
            if sizes[1] == sizes[2]:
                terms.append((kv_bytes_per_token, layers | heads | size))
            else:
                terms.append((kv_bytes_of_layers, layers | heads | {"value_dim": given(sizes[2], "value_dim")} | size))
        return terms

    def sequence_bytes(self, context: Quantity, bytes_per_kv: Quantity, gpus: Quantity | None = None) -> Quantity:
        """Bytes in the cache of one sequence: what each kind of layer keeps of it; on one of some GPUs."""
        terms: list[Term] = []
        for window, caching in self._by_window():
            one = _summed("kind_kv_bytes", self._kv_terms(caching, bytes_per_kv, gpus), "bytes", bytes_of_kinds)
            terms.append((cached_bytes, {"kind_kv_bytes": one, "kept_tokens": self._kept(context, window)}))
        symbol = "gpu_sequence_bytes" if gpus else "sequence_bytes"
        return _summed(symbol, terms + self._state_terms(gpus), "bytes", bytes_of_kinds)

    def _by_window(self) -> list[tuple[int, list[tuple[int, GroupedQueryAttention | LatentAttention]]]]:
        """The layers that keep a cache, by their window; 0 for none, which comes last."""
        windows = sorted({_window(kind) for _, kind in self.model.caching}, key=lambda w: (not w, w))
        return [(w, [(count, kind) for count, kind in self.model.caching if _window(kind) == w]) for w in windows]

    def _kept(self, context: Quantity, window: int) -> Quantity:
        if not window:
            return context
        return quantity("kept_tokens", kept_tokens, context=context, window=self._given(window, "window"))

    def _state_terms(self, gpus: Quantity | None) -> list[Term]:
        terms: list[Term] = []
        for count, kind in self.model.mixing:
            if isinstance(kind, GatedDeltaNet | Mamba2):
                layers = {"layers": self._layers(count, kind)}
                function = delta_net_state_bytes if isinstance(kind, GatedDeltaNet) else mamba_state_bytes
                terms.append((function, layers | self._state_sizes(kind, gpus)))
        return terms

    def _state_sizes(self, kind: GatedDeltaNet | Mamba2, gpus: Quantity | None = None) -> dict[str, Quantity]:
        sizes = self._sizes(kind)
        own = ("value_heads", "key_dim", "value_dim") if isinstance(kind, GatedDeltaNet) else _STATE
        all_heads = sizes[own[0]]
        heads = _on_a_gpu(all_heads, gpus)
        if heads is not all_heads:
            channels = {"channels": sizes["channels"], "gpu_heads": heads, "heads": all_heads}
            sizes |= {own[0]: heads, "channels": quantity("gpu_channels", channels_of_a_gpu, **channels)}
        return {name: sizes[name] for name in (*own, "kernel", "channels")}

    def longest_context(self, kv_budget: Quantity, batch: Quantity, gpus: Quantity, bytes_per_kv: Quantity) -> Quantity:
        """Tokens that each request may have.

        A cache grows ever more slowly, as one window after the other is full. So the context that fits is the longest
        of those that would if the first windows, however many, were full and the others had no end.
        """
        found: list[Quantity] = []
        windows = self._by_window()
        for full in range(len(windows)):
            filled: list[Term] = []
            for window, caching in windows[:full]:
                one = _summed("kind_kv_bytes", self._kv_terms(caching, bytes_per_kv, gpus), "bytes", bytes_of_kinds)
                filled.append((cached_bytes, {"kind_kv_bytes": one, "kept_tokens": self._given(window, "window")}))
            filled += self._state_terms(gpus)
            growing = [layers for _, caching in windows[full:] for layers in caching]
            found.append(
                quantity(
                    "longest_context",
                    context_beside_full_windows,
                    kv_budget=kv_budget,
                    batch=batch,
                    gpus=gpus,
                    filled_bytes=_summed("filled_bytes", filled, "bytes", bytes_of_kinds)
                    if filled
                    else Quantity(0, "filled_bytes", "no window is full, and no layer has a fixed state"),
                    growing_bytes=_summed(
                        "growing_bytes", self._kv_terms(growing, bytes_per_kv, gpus), "bytes", bytes_of_kinds
                    ),
                )
            )
        return max(found, key=lambda q: q.value)

    # Attention's arithmetic.

    def prefill_flops(self, tokens: Quantity, cached: Quantity) -> Quantity:
        """Work of attention for new tokens of one sequence."""
        return self._flops(partial(self._pairs, tokens, cached), self._pair, tokens)

    def decode_flops(self, context: Quantity) -> Quantity:
        """Work of attention for one token that looks back on ``context`` tokens."""
        one = Quantity(1, "tokens", "a pass writes one token of a sequence")
        return self._flops(lambda kind: self._kept(context, _window(kind)), self._pair_in_decode, one)

    def _flops(
        self,
        pairs: Callable[[GroupedQueryAttention | LatentAttention], Quantity],
        of_a_pair: Callable[[GroupedQueryAttention | LatentAttention], Quantity],
        tokens: Quantity,
    ) -> Quantity:
        terms: list[Term] = []
        for count, kind in self.model.mixing:
            layers = {"layers": self._layers(count, kind)}
            if isinstance(kind, GroupedQueryAttention | LatentAttention):
                terms.append((flops_of_layers, layers | {"flops_per_pair": of_a_pair(kind), "pairs": pairs(kind)}))
                continue
            function = delta_net_flops if isinstance(kind, GatedDeltaNet) else mamba_flops
            terms.append((function, layers | {"tokens": tokens} | self._state_sizes(kind)))
        return _summed("sequence_flops", terms, "flops", flops_of_kinds)

    def _pairs(self, tokens: Quantity, cached: Quantity, kind: GroupedQueryAttention | LatentAttention) -> Quantity:
        window = _window(kind)
        if not window:
            return quantity("pairs", causal_pairs, tokens=tokens, cached=cached)
        chunked = isinstance(kind, GroupedQueryAttention) and kind.chunked
        function = chunked_pairs if chunked else windowed_pairs
        return quantity("pairs", function, tokens=tokens, cached=cached, window=self._given(window, "window"))

    def _pair(self, kind: GroupedQueryAttention | LatentAttention) -> Quantity:
        if isinstance(kind, LatentAttention):
            names = ("heads", "key_dim", "rope_dim", "value_dim")
            sizes = self._sizes(kind)
            return quantity("flops_per_pair", flops_of_a_latent_pair, **{name: sizes[name] for name in names})
        return quantity(
            "flops_per_pair",
            flops_of_a_pair,
            heads=self._given(kind.heads, "heads"),
            head_dim=self._given(kind.head_dim, "head_dim"),
            value_dim=self._given(kind.value_width, "value_dim"),
        )

    def _pair_in_decode(self, kind: GroupedQueryAttention | LatentAttention) -> Quantity:
        if isinstance(kind, GroupedQueryAttention):
            return self._pair(kind)
        sizes = self._sizes(kind)
        names = ("heads", "kv_latent", "rope_dim")
        return quantity("flops_per_pair", flops_of_an_absorbed_pair, **{name: sizes[name] for name in names})


_PROJECTION = ("attention", "norms")
_MLP = ("mlp", "experts", "router")
_STATE = ("heads", "head_dim", "state_size")


def _words(kind: Attention | Mlp | Experts) -> str:
    """What layers of a kind are, in words."""
    if isinstance(kind, GroupedQueryAttention):
        if kind.window:
            return f"those with {'chunks' if kind.chunked else 'a window'} of {kind.window:,} tokens"
        return "those with attention to all tokens"
    if isinstance(kind, LatentAttention):
        return "those with latent attention"
    if isinstance(kind, GatedDeltaNet):
        return "those with linear attention"
    if isinstance(kind, Mamba2):
        return "those with a state space"
    return "those with experts" if isinstance(kind, Experts) else "those with such an MLP"


def _on_a_gpu(heads: Quantity, gpus: Quantity | None) -> Quantity:
    if gpus is None or gpus.value == 1:
        return heads
    return quantity("gpu_heads", heads_of_a_gpu, heads=heads, gpus=gpus)


def _window(kind: GroupedQueryAttention | LatentAttention) -> int:
    return kind.window if isinstance(kind, GroupedQueryAttention) else 0


def _summed(symbol: str, terms: list[Term], unit: str, adder: Callable[..., float]) -> Quantity:
    """Add up terms, one for each kind; a single one is the sum itself."""
    if len(terms) == 1:
        function, inputs = terms[0]
        return quantity(symbol, function, **inputs)
    return _folded(symbol, [quantity(f"kind_{unit}", function, **inputs) for function, inputs in terms], unit, adder)


def _folded(symbol: str, parts: list[Quantity], unit: str, adder: Callable[..., float]) -> Quantity:
    total, *others = parts
    for n, part in enumerate(others, start=2):
        name = symbol if n == len(parts) else f"earlier_kinds_{unit}"
        total = quantity(name, adder, **{f"earlier_kinds_{unit}": total, f"kind_{unit}": part})
    return total
