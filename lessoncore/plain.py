"""The lesson's formulas in one line each, for a plain transformer: all layers alike, every weight used for every token.

The estimate sums the same by parts (passes, training); tests hold the two together.
"""

from collections.abc import Callable

from lessoncore.errors import LessonError, unknown
from lessoncore.estimate import Estimate
from lessoncore.formula import Quantity, formula, quantity


@formula("2 · {parameters} · {prompt} + 2 · {layers} · {prompt}² · {heads} · {head_dim}")
def plain_prefill_flops(parameters: float, prompt: float, layers: float, heads: float, head_dim: float) -> float:
    """Work of the pass that reads a prompt (FLOP): the matrix products, and attention's causal half.

    Source: arXiv 2001.08361, section 2.1.

    >>> f"{plain_prefill_flops(8_030_261_248, prompt=2000, layers=32, heads=32, head_dim=128):.4g}"
    '3.317e+13'
    """
    return 2 * parameters * prompt + 2 * layers * prompt**2 * heads * head_dim


@formula("{batch} · (2 · {parameters} + 4 · {layers} · {heads} · {head_dim} · {context})")
def plain_decode_flops(
    batch: float, parameters: float, layers: float, heads: float, head_dim: float, context: float
) -> float:
    """Work of a pass that writes a token for each request of a batch (FLOP).

    Source: arXiv 2001.08361, section 2.1.

    >>> f"{plain_decode_flops(1, 8_030_261_248, layers=32, heads=32, head_dim=128, context=2250):.4g}"
    '1.724e+10'
    """
    return batch * (2 * parameters + 4 * layers * heads * head_dim * context)


@formula("{parameters} · {bytes_per_weight} + {batch} · {context} · {kv_bytes_per_token}")
def plain_decode_bytes(
    parameters: float, bytes_per_weight: float, batch: float, context: float, kv_bytes_per_token: float
) -> float:
    """Bytes that such a pass moves (B): all weights once, and every request's cache.

    Source: arXiv 2211.05102, section 2.

    >>> f"{plain_decode_bytes(8_030_261_248, 2, batch=1, context=2250, kv_bytes_per_token=131072):.4g}"
    '1.636e+10'
    """
    return parameters * bytes_per_weight + batch * context * kv_bytes_per_token


@formula("16 · {parameters}")
def plain_training_bytes(parameters: float) -> float:
    """Bytes of weights, gradients and optimiser in training (B): 2 + 2 + 4 + 4 + 4 for each parameter.

    Source: arXiv 1910.02054, section 3.1.

    >>> plain_training_bytes(8e9)
    128000000000.0
    """
    return 16 * parameters


@formula("6 · {parameters} · {training_tokens}")
def plain_training_flops(parameters: float, training_tokens: float) -> float:
    """Work of a training run (FLOP): two operations forwards and four backwards for each parameter and token.

    Source: arXiv 2001.08361, section 2.1.

    >>> plain_training_flops(8e9, training_tokens=15e12)
    7.2e+23
    """
    return 6 * parameters * training_tokens


def _prefill(e: Estimate) -> Quantity:
    given = e.model_givens
    names = ("parameters", "layers", "heads", "head_dim")
    return quantity("flops", plain_prefill_flops, prompt=given["prompt"], **{name: given[name] for name in names})


def _decode(e: Estimate) -> Quantity:
    given = e.model_givens
    names = ("batch", "parameters", "layers", "heads", "head_dim")
    return quantity("flops", plain_decode_flops, context=e.context, **{name: given[name] for name in names})


def _decode_bytes(e: Estimate) -> Quantity:
    given = e.model_givens
    names = ("parameters", "bytes_per_weight", "batch")
    return quantity(
        "bytes_moved",
        plain_decode_bytes,
        context=e.context,
        kv_bytes_per_token=e.kv_bytes_per_token,
        **{name: given[name] for name in names},
    )


def _training_bytes(e: Estimate) -> Quantity:
    return quantity("training_state_bytes", plain_training_bytes, parameters=e.model_givens["parameters"])


def _training_flops(e: Estimate) -> Quantity:
    tokens = e.training.flops.inputs["tokens"]
    return quantity("run_flops", plain_training_flops, parameters=e.model_givens["parameters"], training_tokens=tokens)


def _all_reduce(e: Estimate) -> Quantity:
    if e.decode.communication_s is None:
        raise LessonError("one GPU has no all-reduce: name a scenario with several, such as gpus=4.")
    return e.decode.communication_s.inputs["all_reduce_s"]


PLAIN: dict[str, Callable[[Estimate], Quantity]] = {
    "prefill_flops": _prefill,
    "decode_flops": _decode,
    "decode_bytes": _decode_bytes,
    "training_memory": _training_bytes,
    "training_flops": _training_flops,
    "all_reduce": _all_reduce,
}


def plain(key: object, e: Estimate) -> Quantity:
    """Give the quantity with its formula in one line; LessonError where the model isn't that plain.

    >>> from lessoncore.estimate import estimate
    >>> from lessoncore.scenario import Scenario
    >>> plain("training_memory", estimate(Scenario()))
    Quantity(training_state_bytes=128.5\\xa0GB)
    """
    if not isinstance(key, str) or key not in PLAIN:
        raise unknown("plain formula", key, list(PLAIN))
    model = e.scenario.architecture
    if not model.uniform_attention or model.has_experts or e.scenario.weights == "stored":
        raise LessonError(f"{model.label} isn't a plain transformer in one format: its formulas have more terms.")
    return PLAIN[key](e)
