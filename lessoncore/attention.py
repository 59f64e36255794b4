"""How the tokens of a layer look at each other: its weights, the cache it leaves, the work it takes.

Four kinds cover the models of today: two with a cache here, two without in linear_attention.py. Each answers
the same questions: ``weights`` and ``norm_weights`` count parameters, ``kv_numbers`` is what one token leaves in
the cache of one GPU, ``kept`` how many tokens stay there, ``state_bytes`` what the layer keeps whatever the
context, and the two ``…_flops`` its arithmetic beyond the matrix products with weights. Sizes are counts;
``hidden_size`` is the width of the hidden state.
"""

from math import ceil
from typing import TYPE_CHECKING

from lessoncore.errors import LessonError
from lessoncore.formula import formula
from lessoncore.record import Record

if TYPE_CHECKING:  # few models have them: model_types.py imports them where it needs them
    from lessoncore.linear_attention import GatedDeltaNet, Mamba2


@formula("{tokens} · {cached} + {tokens}² / 2")
def causal_pairs(tokens: float, cached: float) -> float:
    """Pairs of a new token and one that it looks back on, when ``tokens`` new ones follow ``cached`` ones.

    n · c + n² / 2: every new token sees all old ones and, on average, half of the new ones (the causal half).

    Source: first principles, the sum of c + 1 to c + n without its half a pair a token.

    >>> causal_pairs(tokens=2000, cached=0)
    2000000.0
    >>> causal_pairs(tokens=2000, cached=6000) + causal_pairs(tokens=6000, cached=0) == causal_pairs(8000, 0)
    True
    """
    return tokens * cached + tokens**2 / 2


@formula(
    "min({cached} + {tokens}, {window})² / 2 + {window} · max(0, {cached} + {tokens} − {window})"
    " − min({cached}, {window})² / 2 − {window} · max(0, {cached} − {window})"
)
def windowed_pairs(tokens: float, cached: float, window: float) -> float:
    """Pairs as in causal_pairs, when a token sees the last ``window`` tokens only.

    From the start, x tokens make x² / 2 pairs up to the window and w for each further token; this is the
    difference between x = c + n and x = c.

    Source: arXiv 2310.06825, section 2, counted as above.

    >>> windowed_pairs(tokens=4000, cached=0, window=4096) == causal_pairs(4000, 0)
    True
    >>> windowed_pairs(tokens=1000, cached=8000, window=4096)
    4096000.0
    """
    end = cached + tokens
    upto_end = min(end, window) ** 2 / 2 + window * max(0, end - window)
    return upto_end - (min(cached, window) ** 2 / 2 + window * max(0, cached - window))


@formula(
    "⌊({cached} + {tokens}) / {window}⌋ · {window}² / 2 + (({cached} + {tokens}) mod {window})² / 2"
    " − ⌊{cached} / {window}⌋ · {window}² / 2 − ({cached} mod {window})² / 2"
)
def chunked_pairs(tokens: float, cached: float, window: float) -> float:
    """Pairs as in causal_pairs, when the text is cut into chunks of ``window`` tokens, blind to each other.

    Source: transformers, modeling_llama4.py (attention_chunk_size), counted as above.

    >>> chunked_pairs(tokens=16384, cached=0, window=8192) == 2 * causal_pairs(8192, 0)
    True
    """
    end = cached + tokens
    upto_end = end // window * window**2 / 2 + (end % window) ** 2 / 2
    return upto_end - (cached // window * window**2 / 2 + (cached % window) ** 2 / 2)


class GroupedQueryAttention(Record):
    """Query heads that share key/value heads: h of the first, h_kv of the second (arXiv 2305.13245).

    ``value_dim`` is the width of a value where it differs from ``head_dim``. ``window`` > 0 limits how far
    back a token sees; with ``chunked`` it sees its own chunk of that length only (Llama 4). ``norms`` says
    whether queries and keys are normalised ("head": weights shared by the heads, "layer": weights for all of
    them). ``gate`` doubles the query projection for a gate on the output, ``sinks`` adds a learned number for
    each head, ``keys_are_values`` leaves out the value projection (Gemma 4; both are still cached).
    """

    heads: int
    kv_heads: int
    head_dim: int
    value_dim: int = 0
    window: int = 0
    chunked: bool = False
    input_bias: bool = False
    output_bias: bool = False
    norms: str = ""
    gate: bool = False
    sinks: bool = False
    keys_are_values: bool = False

    def __post_init__(self) -> None:
        """Refuse heads that can't share."""
        if self.heads % self.kv_heads:
            raise LessonError(f"{self.heads} query heads can't share {self.kv_heads} key/value heads evenly.")

    @property
    def value_width(self) -> int:
        """Width of a value of one head."""
        return self.value_dim or self.head_dim

    def weights(self, hidden_size: int) -> int:
        """Count the projections of queries, keys, values and output, with biases and sinks.

        >>> GroupedQueryAttention(heads=32, kv_heads=8, head_dim=128).weights(4096)  # Llama 3.1 8B
        41943040
        """
        queries = self.heads * self.head_dim * (2 if self.gate else 1)
        keys_values = self.kv_heads * (self.head_dim + (0 if self.keys_are_values else self.value_width))
        output = self.heads * self.value_width
        return (
            hidden_size * (queries + keys_values + output)
            + (queries + keys_values if self.input_bias else 0)
            + (hidden_size if self.output_bias else 0)
            + (self.heads if self.sinks else 0)
        )

    @property
    def norm_weights(self) -> int:
        """Weights that normalise queries and keys."""
        if not self.norms:
            return 0
        return self.head_dim * (2 if self.norms == "head" else self.heads + self.kv_heads)

    def kv_numbers(self, gpus: int = 1) -> int:
        """Numbers that one token leaves on one of ``gpus`` GPUs: a head is copied rather than cut.

        >>> eight = GroupedQueryAttention(heads=32, kv_heads=8, head_dim=128)
        >>> [eight.kv_numbers(gpus) for gpus in (1, 4, 8, 16)]
        [2048, 512, 256, 256]
        """
        return ceil(self.kv_heads / gpus) * (self.head_dim + self.value_width)

    def kept(self, context: float) -> float:
        """Tokens in the cache after ``context`` tokens, and how many of them the next one may look at."""
        return min(context, self.window) if self.window else context

    def state_bytes(self, gpus: int = 1) -> float:
        """Nothing is kept beside keys and values."""
        return 0

    def pairs(self, tokens: float, cached: float) -> float:
        """Pairs of a new token and one that it looks back on."""
        if not self.window:
            return causal_pairs(tokens, cached)
        return (chunked_pairs if self.chunked else windowed_pairs)(tokens, cached, self.window)

    @property
    def flops_per_pair(self) -> int:
        """Scores and weighted sum, a multiplication and an addition each."""
        return 2 * self.heads * (self.head_dim + self.value_width)

    def prefill_flops(self, tokens: float, cached: float) -> float:
        """Work for ``tokens`` new tokens after ``cached`` old ones. Softmax is left out (below 1%)."""
        return self.flops_per_pair * self.pairs(tokens, cached)

    def decode_flops(self, context: float) -> float:
        """Work for one token that looks back on ``context`` tokens.

        With chunks this is the most it can be, just before a chunk is full; the mean is half of it.
        """
        return self.flops_per_pair * self.kept(context)


class LatentAttention(Record):
    """Multi-head latent attention: one compressed vector is cached for all heads (arXiv 2405.04434, 2.1).

    ``latent`` is kv_lora_rank, ``query_latent`` is q_lora_rank (0: queries aren't compressed), ``key_dim``
    the part of a key that comes out of the latent (qk_nope_head_dim), ``rope_dim`` the part with the position,
    which all heads share.
    """

    heads: int
    latent: int
    query_latent: int
    key_dim: int
    rope_dim: int
    value_dim: int
    input_bias: bool = False

    def weights(self, hidden_size: int) -> int:
        """Count the projections down to the latents, up to the heads and out.

        >>> v3 = LatentAttention(128, latent=512, query_latent=1536, key_dim=128, rope_dim=64, value_dim=128)
        >>> v3.weights(7168)
        187105280
        """
        query_width = self.heads * (self.key_dim + self.rope_dim)
        down = self.latent + self.rope_dim
        up = self.latent * self.heads * (self.key_dim + self.value_dim)
        output = self.heads * self.value_dim * hidden_size
        bias = 0
        if self.query_latent:
            queries = self.query_latent * (hidden_size + query_width)
            bias += self.query_latent
        else:
            queries = hidden_size * query_width
        bias += down + hidden_size
        return queries + hidden_size * down + up + output + (bias if self.input_bias else 0)

    @property
    def norm_weights(self) -> int:
        """Weights that normalise the latents."""
        return self.latent + self.query_latent

    def kv_numbers(self, gpus: int = 1) -> int:
        """Numbers that one token leaves, once for all heads; every GPU keeps all of it.

        >>> v3 = LatentAttention(128, latent=512, query_latent=1536, key_dim=128, rope_dim=64, value_dim=128)
        >>> v3.kv_numbers() * 61 * 2, v3.kv_numbers(gpus=8) * 61 * 2  # DeepSeek-V3: 61 layers, bf16
        (70272, 70272)
        """
        return self.latent + self.rope_dim

    def kept(self, context: float) -> float:
        """Tokens in the cache: all."""
        return context

    def state_bytes(self, gpus: int = 1) -> float:
        """Nothing is kept beside the latents."""
        return 0

    def prefill_flops(self, tokens: float, cached: float) -> float:
        """Work for new tokens, keys and values written out for each head.

        Writing out those of new tokens is part of the weights' matrix products; doing it again for ``cached``
        ones is left out.
        """
        return 2 * self.heads * (self.key_dim + self.rope_dim + self.value_dim) * causal_pairs(tokens, cached)

    def decode_flops(self, context: float) -> float:
        """Work for one token in the absorbed form: every head works on the latents themselves.

        Scores take latent + rope_dim, the sum latent numbers a head: more arithmetic, far fewer bytes.
        """
        return 2 * self.heads * (2 * self.latent + self.rope_dim) * context


type Attention = GroupedQueryAttention | LatentAttention | GatedDeltaNet | Mamba2
