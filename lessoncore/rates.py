"""Tokens per second, and how the GPUs' time is shared out among the requests of a server that is always busy."""

from lessoncore.formula import formula


@formula("{batch} / {tpot_s}")
def tokens_per_second(batch: float, tpot_s: float) -> float:
    """Tokens that a batch writes in a second while it decodes (tokens/s).

    Source: by definition.

    >>> round(tokens_per_second(batch=8, tpot_s=6.871e-3))
    1164
    """
    return batch / tpot_s


@formula("1 / {tpot_s}")
def tokens_per_second_of_a_user(tpot_s: float) -> float:
    """Tokens that one user gets in a second while the answer is written (tokens/s).

    Source: by definition.

    >>> round(tokens_per_second_of_a_user(tpot_s=6.103e-3))
    164
    """
    return 1 / tpot_s


@formula("{tokens_per_s} / {gpus}")
def tokens_per_second_of_a_gpu(tokens_per_s: float, gpus: float) -> float:
    """Tokens that each GPU contributes in a second (tokens/s).

    Source: by definition.

    >>> tokens_per_second_of_a_gpu(tokens_per_s=568.0, gpus=8)
    71.0
    """
    return tokens_per_s / gpus


@formula("{packed_prefill_s} / {prompts}")
def prefill_share(packed_prefill_s: float, prompts: float) -> float:
    """Time of the GPUs that one prompt takes when several short ones share a pass (s).

    Source: by definition.

    >>> prefill_share(packed_prefill_s=0.2, prompts=4)
    0.05
    """
    return packed_prefill_s / prompts


@formula("{prefill_share_s} + {output} · {tpot_s} / {batch}")
def request_time(prefill_share_s: float, output: float, tpot_s: float, batch: float) -> float:
    """Time of the GPUs that a request takes all told (s): its prefill, and one B-th of each decode pass it is in.

    This is how this model shares the GPUs' time out: nothing else uses them, and they are never idle.

    Source: first principles.

    >>> round(request_time(prefill_share_s=0.056, output=500, tpot_s=0.00687, batch=8), 3)
    0.485
    """
    return prefill_share_s + output * tpot_s / batch


@formula("{replicas} / {request_s}")
def requests_per_second(replicas: float, request_s: float) -> float:
    """Requests that all copies of the model finish in a second when always busy (requests/s).

    Source: by definition.

    >>> requests_per_second(replicas=2, request_s=0.5)
    4.0
    """
    return replicas / request_s


@formula("{output} · {requests_per_s}")
def throughput(output: float, requests_per_s: float) -> float:
    """Answer tokens that all copies of the model write in a second when always busy (tokens/s), prefill included.

    Source: by definition.

    >>> throughput(output=500, requests_per_s=2.0)
    1000.0
    """
    return output * requests_per_s


@formula("{tpot_s} + ({batch} − 1) / {output} · {prefill_share_s}")
def loaded_tpot(tpot_s: float, batch: float, output: float, prefill_share_s: float) -> float:
    """Time between two tokens of one user when each of the others is replaced as it finishes (s).

    While one answer of m tokens is written, the B − 1 other requests are each replaced once, and the answer
    waits while their prompts are read. Nobody waits in a queue here.

    Source: first principles.

    >>> round(loaded_tpot(tpot_s=0.00687, batch=8, output=500, prefill_share_s=0.056), 5)
    0.00765
    """
    return tpot_s + (batch - 1) / output * prefill_share_s
