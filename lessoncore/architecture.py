"""What a model is made of: its layers, and the parameters and cached bytes that follow from them."""

from dataclasses import dataclass
from datetime import date
from functools import cached_property

from lessoncore.errors import LessonError
from lessoncore.formula import formula


@formula("2 · {layers} · {kv_heads} · {head_dim} · {bytes_per_kv}")
def kv_bytes_per_token(layers: float, kv_heads: float, head_dim: float, bytes_per_kv: float) -> float:
    """Bytes of keys and values that one token leaves in the cache, over all layers (B).

    k = 2 · L · h_kv · d · b_kv: a key and a value of width d for each key/value head of each layer. With
    grouped-query attention h_kv is smaller than the number of query heads (arXiv 2305.13245).

    >>> kv_bytes_per_token(layers=32, kv_heads=8, head_dim=128, bytes_per_kv=2)  # Llama 3.1 8B
    131072
    """
    return 2 * layers * kv_heads * head_dim * bytes_per_kv


@formula("{layers} · {heads} · {head_dim}")
def attention_width(layers: float, heads: float, head_dim: float) -> float:
    """Sum of the widths of all query heads of all layers: what attention's work grows with.

    >>> attention_width(layers=32, heads=32, head_dim=128)
    131072
    """
    return layers * heads * head_dim


@dataclass(frozen=True, slots=True)
class Parameters:
    """Exact parameter counts by part; the total is their sum."""

    embedding: int
    attention: int
    mlp: int
    norms: int
    head: int

    @property
    def total(self) -> int:
        """All parameters of the model."""
        return self.embedding + self.attention + self.mlp + self.norms + self.head


@dataclass(frozen=True)
class Architecture:
    """A decoder-only transformer with grouped-query attention and a gated MLP in each layer.

    The shape of Llama, Mistral and Qwen 2.5. Sizes are counts; ``source`` says where they were read.
    """

    key: str
    label: str
    layers: int
    hidden_size: int
    heads: int
    kv_heads: int
    head_dim: int
    mlp_width: int
    vocabulary: int
    tied_embeddings: bool
    source: str
    read_on: date

    def __post_init__(self) -> None:
        """Refuse sizes that no model can have."""
        for name in ("layers", "hidden_size", "heads", "kv_heads", "head_dim", "mlp_width", "vocabulary"):
            size = getattr(self, name)
            if not isinstance(size, int) or size < 1:
                raise LessonError(f"{self.label}: {name} must be a whole number of at least 1, but is {size!r}.")
        if self.heads % self.kv_heads:
            raise LessonError(
                f"{self.label}: {self.heads} query heads can't share {self.kv_heads} key/value heads evenly."
            )

    @cached_property
    def parameters(self) -> Parameters:
        """Count every weight matrix, norm and embedding table.

        >>> from lessoncore.catalogue import model
        >>> model("llama-3.1-8b").parameters.total
        8030261248
        """
        query_width = self.heads * self.head_dim
        kv_width = self.kv_heads * self.head_dim
        table = self.vocabulary * self.hidden_size
        return Parameters(
            embedding=table,
            attention=self.layers * self.hidden_size * 2 * (query_width + kv_width),
            mlp=self.layers * 3 * self.hidden_size * self.mlp_width,
            norms=(2 * self.layers + 1) * self.hidden_size,
            head=0 if self.tied_embeddings else table,
        )
