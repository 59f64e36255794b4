"""What a layer does with each token by itself: one MLP for all, or experts of which each token uses a few."""

from lessoncore.formula import formula
from lessoncore.record import Record


@formula("{experts} · (1 − (1 − {experts_per_token} / {experts})^{tokens})")
def experts_touched(experts: float, experts_per_token: float, tokens: float) -> float:
    """Experts of a layer that a pass of ``tokens`` tokens reads, on average, if each token picks at random.

    E · (1 − (1 − k/E)^t). Real routers favour some experts, which makes it a few per cent less.

    Source: first principles, as each token leaves an expert out with probability 1 − k/E.

    >>> experts_touched(experts=128, experts_per_token=4, tokens=1)
    4.0
    >>> round(experts_touched(experts=128, experts_per_token=4, tokens=64), 1)
    111.2
    """
    untouched: float = (1 - experts_per_token / experts) ** tokens
    return experts * (1 - untouched)


class Mlp(Record):
    """Two matrices with ``width`` hidden numbers between, or three when ``gated`` (arXiv 2002.05202)."""

    width: int
    gated: bool = True
    bias: bool = False

    def weights(self, hidden_size: int) -> int:
        """Count its matrices and biases.

        >>> Mlp(width=14336).weights(4096)  # Llama 3.1 8B
        176160768
        """
        into = 2 if self.gated else 1
        biases = into * self.width + hidden_size if self.bias else 0
        return (into + 1) * hidden_size * self.width + biases


class Experts(Record):
    """``count`` experts, each an MLP; a router picks ``per_token`` of them for each token (arXiv 1701.06538).

    ``shared`` is an MLP that every token goes through as well; ``shared_gate`` weighs it by a learned number.
    ``router_numbers`` are what the router has beside its matrix: biases or scales. ``norms`` are norms over
    the hidden state that the layer has only because of its experts.
    """

    count: int
    per_token: int
    expert: Mlp
    shared: Mlp | None = None
    shared_gate: bool = False
    router_numbers: int = 0
    norms: int = 0

    def shared_weights(self, hidden_size: int) -> int:
        """Count what every token goes through."""
        if self.shared is None:
            return 0
        return self.shared.weights(hidden_size) + (hidden_size if self.shared_gate else 0)

    def router_weights(self, hidden_size: int) -> int:
        """Count the router: a row for each expert."""
        return self.count * hidden_size + self.router_numbers

    def expert_weights(self, hidden_size: int) -> int:
        """Count one expert.

        >>> Experts(count=8, per_token=2, expert=Mlp(14336)).expert_weights(4096)  # Mixtral 8x7B
        176160768
        """
        return self.expert.weights(hidden_size)

    def touched(self, tokens: float) -> float:
        """Experts that a pass of ``tokens`` tokens reads, on average."""
        return experts_touched(self.count, self.per_token, tokens)
