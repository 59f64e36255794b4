"""What measurements show: the effects that the model is held against, one by one."""

from dataclasses import dataclass

from lessoncore.errors import unknown


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect: its name in expressions and addresses, its name for readers, and what it is about."""

    key: str
    label: str
    about: str


ALL = Effect(
    "all",
    "all but queues and memory",
    "all measurements that the calibrated constants are fitted to: not the queues, and not the memory of training",
)
EVERY = Effect("every", "every clean row", "the queues and the memory of training as well, to which nothing is fitted")
EFFECTS: dict[str, Effect] = {
    effect.key: effect
    for effect in (
        Effect("decode_bs1", "decode at batch 1", "the time per token of a single request, weights in 16 bits"),
        Effect("batching", "batching", "many requests decoded together"),
        Effect("tensor_parallel", "tensor parallel", "one model on two to eight GPUs"),
        Effect("quantised", "quantised weights", "weights narrower than the arithmetic: 2.5 to 8 bits"),
        Effect("long_context", "long context", "decode with thousands of tokens in the KV cache"),
        Effect("ttft_short", "TTFT up to 128 tokens", "prompts too short to keep the arithmetic units busy"),
        Effect("ttft_long", "TTFT from 2,000 tokens", "prompts of 2,000 to 28,650 tokens"),
        Effect("throughput", "offline throughput", "as many requests as fit, prefill included"),
        Effect(
            "small_model", "small model", "half a billion parameters: starting kernels takes as long as running them"
        ),
        Effect("training", "training to 8K tokens", "training throughput with sequences up to 8,192 tokens"),
        Effect("training_long", "training beyond 8K tokens", "training throughput with 32,768 and 65,536 tokens"),
    )
}
# Effects that nothing is fitted to: what else was measured.
OTHERS: dict[str, Effect] = {
    effect.key: effect
    for effect in (
        Effect("training_memory", "memory in training", "the peak memory of a GPU that trains"),
        Effect(
            "queue_tpot", "TPOT under load", "median and 99th percentile where requests arrive at random, simulated"
        ),
        Effect("queue_ttft", "TTFT under load", "the same servers: here the wait in the queue counts"),
    )
}
KNOWN = EFFECTS | OTHERS


def effect(key: object) -> Effect:
    """Find an effect by its key, ``"all"`` and ``"every"`` among them; LessonError names the known ones.

    >>> effect("decode_bs1").label
    'decode at batch 1'
    """
    known = KNOWN | {ALL.key: ALL, EVERY.key: EVERY}
    if not isinstance(key, str) or key not in known:
        raise unknown("effect", key, list(known))
    return known[key]
