"""What a model is made of: its layers, and the parameters, cached bytes and work that follow from them."""

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import cached_property

from lessoncore.attention import Attention, GroupedQueryAttention, LatentAttention
from lessoncore.errors import LessonError
from lessoncore.feedforward import Experts, Mlp
from lessoncore.formula import formula
from lessoncore.record import Record
from lessoncore.stored import Stored


@formula("2 · {layers} · {kv_heads} · {head_dim} · {bytes_per_kv}")
def kv_bytes_per_token(layers: float, kv_heads: float, head_dim: float, bytes_per_kv: float) -> float:
    """Bytes of keys and values that one token leaves in the cache, over all layers (B).

    k = 2 · L · h_kv · d · b_kv: a key and a value of width d for each key/value head of each layer. With
    grouped-query attention h_kv is smaller than the number of query heads.

    Source: arXiv 2305.13245.

    >>> kv_bytes_per_token(layers=32, kv_heads=8, head_dim=128, bytes_per_kv=2)  # Llama 3.1 8B
    131072
    """
    return 2 * layers * kv_heads * head_dim * bytes_per_kv


@formula("{layers} · {heads} · {head_dim}")
def attention_width(layers: float, heads: float, head_dim: float) -> float:
    """Sum of the widths of all query heads of all layers: what attention's work grows with.

    Source: by definition; it is n_layer · d_attn of arXiv 2001.08361, table 1.

    >>> attention_width(layers=32, heads=32, head_dim=128)
    131072
    """
    return layers * heads * head_dim


class Parameters(Record):
    """Parameters by part; the total is their sum.

    ``embedding`` is the input table, 0 where it is the same table as the ``head``. ``mlp`` holds dense MLPs
    and shared experts, ``experts`` those that a router chooses from. Counts are whole; what a pass reads on
    average needn't be.
    """

    embedding: float
    attention: float
    mlp: float
    experts: float
    router: float
    norms: float
    head: float

    @property
    def total(self) -> float:
        """All parameters."""
        return self.layers + self.embedding + self.head

    @property
    def layers(self) -> float:
        """All but the input table and the head."""
        return self.attention + self.mlp + self.experts + self.router + self.norms

    @property
    def matrices(self) -> float:
        """All that is multiplied with a token's vector: neither the input table, a look-up, nor norms."""
        return self.attention + self.mlp + self.experts + self.router + self.head

    def items(self) -> Iterator[tuple[str, float]]:
        """The parts and their sizes, in the order in which a token meets them."""
        for part in self.names:
            yield part, getattr(self, part)


class LayerGroup(Record):
    """``count`` equal layers: attention, then an MLP or experts; one of the two may be missing (Nemotron-H).

    ``norms`` are the norms over the hidden state in one layer.
    """

    count: int
    attention: Attention | None
    mlp: Mlp | Experts | None
    norms: int = 2


class Architecture(Record):
    """A decoder-only language model. Sizes are counts; ``source`` says where they were read.

    ``longest_context`` is what it was made for (0: not stated), ``stored`` the formats of its checkpoint,
    ``left_out`` what the checkpoint has and the counts haven't, ``defaulted`` the sizes that its config.json doesn't
    give and that are the library's.
    """

    key: str
    label: str
    hidden_size: int
    vocabulary: int
    tied_embeddings: bool
    groups: tuple[LayerGroup, ...]
    source: str
    read_on: date | None = None
    longest_context: int = 0
    stored: Stored = Stored()
    left_out: str = ""
    defaulted: str = ""

    def __post_init__(self) -> None:
        """Refuse a model without a layer that keeps a KV cache."""
        if not self.caching:
            raise LessonError(f"{self.label}: at least one layer with attention is needed, but there is none.")

    @cached_property
    def caching(self) -> list[tuple[int, GroupedQueryAttention | LatentAttention]]:
        """The layers that keep a KV cache: how many of each kind, and their attention."""
        kinds = (GroupedQueryAttention, LatentAttention)
        return [(count, kind) for count, kind in self.mixing if isinstance(kind, kinds)]

    @cached_property
    def mixing(self) -> list[tuple[int, Attention]]:
        """The layers with attention of any kind: how many of each, and their attention."""
        return _merged((group.count, group.attention) for group in self.groups)

    @cached_property
    def mlps(self) -> list[tuple[int, Mlp | Experts]]:
        """The layers with an MLP or experts: how many of each, and which."""
        return _merged((group.count, group.mlp) for group in self.groups)

    # Its shape in a few numbers.

    @property
    def layers(self) -> int:
        """Layers of all groups."""
        return sum(group.count for group in self.groups)

    @cached_property
    def all_reduces(self) -> int:
        """All-reduces of a pass under tensor parallelism: after each attention and each MLP."""
        return sum(g.count * ((g.attention is not None) + (g.mlp is not None)) for g in self.groups)

    @cached_property
    def attention_layers(self) -> int:
        """Layers that keep a KV cache."""
        return sum(count for count, _ in self.caching)

    @cached_property
    def uniform_attention(self) -> GroupedQueryAttention | None:
        """The attention of every layer, if it is the same grouped-query attention without window in all."""
        kinds = {group.attention for group in self.groups}
        first = self.caching[0][1]
        plain = (
            len(kinds) == 1 and isinstance(first, GroupedQueryAttention) and not first.window and not first.value_dim
        )
        return first if plain and isinstance(first, GroupedQueryAttention) else None

    @property
    def heads(self) -> int:
        """Query heads of an attention layer (here and below: of the first, where layers differ)."""
        return self.caching[0][1].heads

    @property
    def kv_heads(self) -> int:
        """Key/value heads of an attention layer; 1 for latent attention, whose heads share one cache."""
        first = self.caching[0][1]
        return first.kv_heads if isinstance(first, GroupedQueryAttention) else 1

    @property
    def head_dim(self) -> int:
        """Width of a query head."""
        first = self.caching[0][1]
        return first.head_dim if isinstance(first, GroupedQueryAttention) else first.key_dim + first.rope_dim

    @property
    def has_experts(self) -> bool:
        """Whether a pass reads only some of the weights."""
        return any(isinstance(group.mlp, Experts) for group in self.groups)

    # Its parameters.

    @cached_property
    def parameters(self) -> Parameters:
        """Count every weight matrix, bias, norm and table.

        >>> from lessoncore.catalogue import model
        >>> model("llama-3.1-8b").parameters.total
        8030261248
        """
        return self._count(lambda experts: experts.count)

    @cached_property
    def active_parameters(self) -> Parameters:
        """Count the parameters that one token uses: of the routed experts only the chosen ones.

        >>> from lessoncore.catalogue import model
        >>> model("gpt-oss-120b").active_parameters.total
        5711982912
        """
        return self._count(lambda experts: experts.per_token)

    def read_parameters(self, tokens: float) -> Parameters:
        """Count the parameters that a pass of ``tokens`` tokens reads, on average.

        Every expert that at least one token picked (feedforward.experts_touched), and everything else once.
        Of the input embedding a pass reads only a row for each token: leave that part out where it matters.
        """
        return self._count(lambda experts: experts.touched(tokens)) if self.has_experts else self.parameters

    def _count(self, experts_of: Callable[[Experts], float]) -> Parameters:
        hidden = self.hidden_size
        table = self.vocabulary * hidden
        attention: float = 0
        mlp: float = 0
        experts: float = 0
        router: float = 0
        norms: float = hidden
        for group in self.groups:
            norms += group.count * group.norms * hidden
        for n, kind in self.mixing:
            attention += n * kind.weights(hidden)
            norms += n * kind.norm_weights
        for n, one in self.mlps:
            if isinstance(one, Experts):
                norms += n * one.norms * hidden
                mlp += n * one.shared_weights(hidden)
                router += n * one.router_weights(hidden)
                experts += n * experts_of(one) * one.expert_weights(hidden)
            else:
                mlp += n * one.weights(hidden)
        return Parameters(
            embedding=0 if self.tied_embeddings else table,
            attention=attention,
            mlp=mlp,
            experts=experts,
            router=router,
            norms=norms,
            head=table,
        )

    # Its cache.

    def kv_numbers(self, context: float, gpus: int = 1) -> float:
        """Numbers in the cache of one sequence of ``context`` tokens, on one of ``gpus`` GPUs.

        Layers with a window keep no more than the window.
        """
        return sum(count * kind.kv_numbers(gpus) * kind.kept(context) for count, kind in self.caching)

    def kv_bytes(self, context: float, bytes_per_kv: float, gpus: int = 1) -> float:
        """Bytes in the cache of one sequence of ``context`` tokens, on one of ``gpus`` GPUs (B).

        >>> from lessoncore.catalogue import model
        >>> model("llama-3.1-8b").kv_bytes(context=131072, bytes_per_kv=2) / 2**30
        16.0
        """
        return self.kv_numbers(context, gpus) * bytes_per_kv

    def kv_bytes_per_token(self, bytes_per_kv: float) -> float:
        """Bytes that a token adds to the cache while no window is full (B).

        >>> from lessoncore.catalogue import model
        >>> model("deepseek-v3").kv_bytes_per_token(bytes_per_kv=2)
        70272
        """
        return self.kv_numbers(1) * bytes_per_kv

    def state_bytes(self, gpus: int = 1) -> float:
        """Bytes that one sequence keeps on one of ``gpus`` GPUs whatever its length (B).

        Only layers with a fixed state have any: linear attention and state spaces.
        """
        return sum(count * kind.state_bytes(gpus) for count, kind in self.mixing)

    def copies_alike(self, gpus: int) -> bool:
        """Whether ``gpus`` GPUs divide the cache of every layer into equally many parts, whatever the context.

        >>> from lessoncore.catalogue import model
        >>> model("llama-3.1-8b").copies_alike(16), model("gemma-4-26b-a4b").copies_alike(8)
        (True, False)
        """
        shares = {kind.kv_numbers(gpus) / kind.kv_numbers() for _, kind in self.caching}
        return len(shares) == 1 and len(self.caching) == len(self.mixing)

    def kv_shards(self, gpus: int) -> float:
        """Parts into which ``gpus`` GPUs divide the cache of a token; fewer than GPUs when heads are copied.

        >>> from lessoncore.catalogue import model
        >>> [model("llama-3.1-8b").kv_shards(gpus) for gpus in (1, 8, 16)]
        [1.0, 8.0, 8.0]
        >>> model("deepseek-v3").kv_shards(8)  # the latent is one for all heads: every GPU keeps it whole
        1.0
        """
        return self.kv_numbers(1) / self.kv_numbers(1, gpus)

    # Its arithmetic beyond the matrix products with weights.

    def attention_flops(self, new_tokens: float, context_before: float = 0) -> float:
        """Work of attention for ``new_tokens`` tokens of a sequence after ``context_before`` others (FLOP).

        >>> from lessoncore.catalogue import model
        >>> model("llama-3.1-8b").attention_flops(2000) == 2 * 32 * 2000**2 * 32 * 128
        True
        """
        return sum(count * kind.prefill_flops(new_tokens, context_before) for count, kind in self.mixing)

    def decode_attention_flops(self, context: float) -> float:
        """Work of attention for one token that looks back on ``context`` tokens (FLOP).

        >>> from lessoncore.catalogue import model
        >>> model("llama-3.1-8b").decode_attention_flops(2250) == 4 * 32 * 32 * 128 * 2250
        True
        """
        return sum(count * kind.decode_flops(context) for count, kind in self.mixing)


def _merged[T](kinds: Iterable[tuple[int, T | None]]) -> list[tuple[int, T]]:
    """How many layers there are of each kind, in the order in which they come."""
    found: dict[T, int] = {}
    for count, kind in kinds:
        if kind is not None:
            found[kind] = found.get(kind, 0) + count
    return [(count, kind) for kind, count in found.items()]
