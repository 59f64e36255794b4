"""Layers that remember the text in a state of fixed size: nothing grows with the context, nothing is looked back on.

They answer the same questions as the kinds of attention.py.
"""

from math import ceil

from lessoncore.record import Record


class GatedDeltaNet(Record):
    """Linear attention with a gated delta rule: a fixed state, no cache (arXiv 2412.06464; Qwen3.5)."""

    key_heads: int
    value_heads: int
    key_dim: int
    value_dim: int
    kernel: int

    @property
    def _channels(self) -> int:
        return 2 * self.key_heads * self.key_dim + self.value_heads * self.value_dim

    def weights(self, hidden_size: int) -> int:
        """Count the projections (q, k, v, gate, two numbers a head, output), the convolution, A and dt."""
        values = self.value_heads * self.value_dim
        projections = hidden_size * (self._channels + values + 2 * self.value_heads + values)
        return projections + self._channels * self.kernel + 2 * self.value_heads

    @property
    def norm_weights(self) -> int:
        """Weights of the gated norm, shared by the heads."""
        return self.value_dim

    def kv_numbers(self, gpus: int = 1) -> int:
        """A token leaves nothing behind."""
        return 0

    def kept(self, context: float) -> float:
        """No token is kept."""
        return 0

    def state_bytes(self, gpus: int = 1) -> float:
        """A key × value matrix in fp32 for each value head, and the convolution's last inputs in bf16."""
        heads = ceil(self.value_heads / gpus)
        recurrent = 4 * heads * self.key_dim * self.value_dim
        return recurrent + 2 * (self.kernel - 1) * self._channels * heads / self.value_heads

    def prefill_flops(self, tokens: float, cached: float) -> float:
        """Work in the recurrent form: decay, read, update and query each head's state; and the convolution.

        7 · heads · key_dim · value_dim a token. The chunked form that kernels use for prompts does more.
        """
        recurrence = 7 * self.value_heads * self.key_dim * self.value_dim
        return tokens * (recurrence + 2 * self.kernel * self._channels)

    def decode_flops(self, context: float) -> float:
        """Work for one token, whatever the context."""
        return self.prefill_flops(1, context)


class Mamba2(Record):
    """A selective state space: a fixed state instead of a cache (arXiv 2405.21060; Nemotron-H)."""

    heads: int
    head_dim: int
    state: int
    groups: int
    kernel: int
    convolution_bias: bool = True

    @property
    def _inner(self) -> int:
        return self.heads * self.head_dim

    @property
    def _channels(self) -> int:
        return self._inner + 2 * self.groups * self.state

    def weights(self, hidden_size: int) -> int:
        """Count the projections in and out, the convolution, and A, D and dt of each head."""
        projections = hidden_size * (2 * self._inner + self._channels + self.heads)
        convolution = self._channels * (self.kernel + (1 if self.convolution_bias else 0))
        return projections + convolution + 3 * self.heads

    @property
    def norm_weights(self) -> int:
        """Weights of the gated norm."""
        return self._inner

    def kv_numbers(self, gpus: int = 1) -> int:
        """A token leaves nothing behind."""
        return 0

    def kept(self, context: float) -> float:
        """No token is kept."""
        return 0

    def state_bytes(self, gpus: int = 1) -> float:
        """A head_dim × state matrix in fp32 for each head, and the convolution's last inputs in bf16."""
        heads = ceil(self.heads / gpus)
        return 4 * heads * self.head_dim * self.state + 2 * (self.kernel - 1) * self._channels * heads / self.heads

    def prefill_flops(self, tokens: float, cached: float) -> float:
        """Work in the recurrent form: decay, update and query each head's state; and the convolution."""
        return tokens * (5 * self._inner * self.state + 2 * self.kernel * self._channels)

    def decode_flops(self, context: float) -> float:
        """Work for one token, whatever the context."""
        return self.prefill_flops(1, context)
