"""Set-ups that a reader kept to compare them: how an address and a button carry them.

A set-up is what is different from the page's own scenario, as text by parameter. Several are written with letters
and signs that stay as they are in an address: ``s*gpu.b200-sxm*weights.fp8*s*batch.8`` are two.
"""

from lessoncore.parameters import PARAMETERS, Count, Pasted
from lessoncore.pasted import packed
from lessoncore.scenario import Scenario

MOST = 3  # beside the present one
_BEGIN = "s"
State = dict[str, str]


def state_of(scenario: Scenario, own: Scenario) -> State:
    """What a scenario changes in the page's own, as a control or an address has it.

    >>> state_of(Scenario(gpu="b200-sxm", price=2.5), Scenario())
    {'gpu': 'b200-sxm', 'price': '2.5'}
    """
    changed = {key: p for key, p in PARAMETERS.items() if getattr(scenario, key) != getattr(own, key)}
    return {key: _text(p, getattr(scenario, key)) for key, p in changed.items()}


def _text(p: object, value: object) -> str:
    if isinstance(p, Pasted):
        return packed(str(value)) if value else ""
    return f"{value:.10g}" if isinstance(p, Count) else str(value)


def write(kept: list[State]) -> str:
    """Write set-ups into one line.

    >>> write([{"gpu": "b200-sxm", "weights": "fp8"}, {}])
    's*gpu.b200-sxm*weights.fp8*s'
    """
    return "*".join(word for state in kept for word in (_BEGIN, *(f"{key}.{text}" for key, text in state.items())))


def read(line: str) -> list[State]:
    """Read them back; what no page of ours wrote is left out.

    >>> read("s*gpu.b200-sxm*weights.fp8*s")
    [{'gpu': 'b200-sxm', 'weights': 'fp8'}, {}]
    """
    kept: list[State] = []
    for word in line.split("*"):
        key, dot, text = word.partition(".")
        if word == _BEGIN:
            kept.append({})
        elif kept and dot and key in PARAMETERS:
            kept[-1][key] = text
    return kept[:MOST]
