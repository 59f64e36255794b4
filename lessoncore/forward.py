"""The passes of a request: the work and the time of prefill and decode, from the quantities of a sheet."""

from collections.abc import Callable
from typing import Any

from lessoncore.formula import Counted, Quantity, quantity
from lessoncore.parallel import (
    all_reduce_bytes,
    all_reduce_time,
    all_reduces_of,
    communication_time,
    latency_over_the_link,
    with_copies,
)
from lessoncore.passes import (
    Bytes,
    Flops,
    Work,
    attention_of_sequences,
    bytes_moved,
    decode_attention_flops,
    earlier_tokens,
    kv_bytes_of_sequences,
    kv_read_bytes,
    kv_write_bytes,
    looked_up_bytes,
    matrix_flops,
    packed_tokens,
    pass_flops,
    prefill_attention_flops,
    resumed_attention_flops,
    weight_bytes_of_parts,
)
from lessoncore.roofline import (
    PassTime,
    arithmetic_time,
    compute_time,
    launch_time,
    memory_time,
    own_pass_time,
    pass_time,
    products_flops,
    real_pass_time,
    shared_pass_time,
    unpack_time,
)
from lessoncore.sheet import Sheet


def prefill_pass(sheet: Sheet, prompts: int = 1) -> PassTime:
    """The pass that reads ``prompts`` equal prompts together; one, unless said otherwise."""
    one_prompt = Quantity(prompts, "prompts", "one prompt a pass" if prompts == 1 else "short prompts share a pass")
    tokens = sheet.new_tokens
    if prompts > 1:
        tokens = quantity("tokens", packed_tokens, prompts=one_prompt, new_tokens=tokens)
    work = Work(
        flops=_flops(sheet, tokens, one_prompt, _prefill_attention(sheet, one_prompt)),
        bytes=_bytes(sheet, tokens, _cached_prefix(sheet, one_prompt)),
        all_reduce=_all_reduce(sheet, tokens),
    )
    return _timed(sheet, "ttft_s" if prompts == 1 else "packed_prefill_s", work, tokens, sheet.prompt, decoding=False)


def decode_pass(sheet: Sheet, context: Quantity) -> PassTime:
    """The pass that writes one token for each request of the batch, when each has ``context`` tokens."""
    work = Work(
        flops=_flops(sheet, sheet.batch, sheet.batch, _decode_attention(sheet, context)),
        bytes=_bytes(sheet, sheet.batch, _cache_read(sheet, context)),
        all_reduce=_all_reduce(sheet, sheet.batch),
    )
    return _timed(sheet, "tpot_s", work, sheet.batch, context, decoding=True)


# Arithmetic.


def _prefill_attention(sheet: Sheet, prompts: Quantity) -> Quantity:
    scenario = sheet.scenario
    if not sheet.model.uniform_attention:
        of = sheet.of_model
        work = sheet.model.attention_flops(scenario.prompt - scenario.cached, scenario.cached)
        one: Quantity = Counted(
            work,
            "sequence_flops",
            of.counted,
            lambda: of.derivations.prefill_flops(sheet.new_tokens, sheet.cached),
        )
    elif scenario.cached:
        one = quantity(
            "attention_flops",
            resumed_attention_flops,
            attention_width=sheet.of_model.attention_width,
            prompt=sheet.prompt,
            cached=sheet.cached,
        )
    else:
        one = quantity(
            "attention_flops",
            prefill_attention_flops,
            attention_width=sheet.of_model.attention_width,
            tokens=sheet.prompt,
        )
    if prompts.value == 1 and one.symbol == "attention_flops":
        return one
    return quantity("attention_flops", attention_of_sequences, batch=prompts, sequence_flops=one)


def _decode_attention(sheet: Sheet, context: Quantity) -> Quantity:
    if sheet.model.uniform_attention:
        return quantity(
            "attention_flops",
            decode_attention_flops,
            attention_width=sheet.of_model.attention_width,
            context=context,
            batch=sheet.batch,
        )
    of, work = sheet.of_model, sheet.model.decode_attention_flops(context.value)
    one = Counted(work, "sequence_flops", of.counted, lambda: of.derivations.decode_flops(context))
    return quantity("attention_flops", attention_of_sequences, batch=sheet.batch, sequence_flops=one)


def _flops(sheet: Sheet, tokens: Quantity, wanted: Quantity, attention: Quantity) -> Flops:
    """Sum the arithmetic of ``tokens`` tokens, of which ``wanted`` need the head."""
    counts = sheet.of_model.active_parameters
    skips = sheet.assumptions.skips_idle_parameters
    embedding = (
        Quantity(0, "embedding_flops", "looked up, not multiplied")
        if skips
        else quantity("embedding_flops", matrix_flops, parameters=counts["embedding"], tokens=tokens)
    )
    projections = quantity("projection_flops", matrix_flops, parameters=counts["projection"], tokens=tokens)
    mlp = quantity("mlp_flops", matrix_flops, parameters=counts["mlp"], tokens=tokens)
    head = quantity("head_flops", matrix_flops, parameters=counts["head"], tokens=wanted if skips else tokens)
    total = quantity(
        "flops",
        pass_flops,
        embedding_flops=embedding,
        projection_flops=projections,
        attention_flops=attention,
        mlp_flops=mlp,
        head_flops=head,
    )
    return Flops(embedding, projections, attention, mlp, head, total)


# Bytes.


def _cached_prefix(sheet: Sheet, prompts: Quantity) -> Quantity:
    """What a cached prefix costs: reading its keys and values, and the states of layers that have one.

    A state is as large after one token as after a thousand, so a cached prefix of a few tokens can cost more than
    working them out again would.
    """
    if not sheet.scenario.cached:
        return Quantity(0, "kv_read_bytes", "nothing is in the cache yet")
    copies, one = sheet.copies_of(sheet.cached), sheet.sequence_bytes(sheet.cached)
    return _over_all_gpus("kv_read_bytes", copies, kv_bytes_of_sequences, batch=prompts, sequence_bytes=one)


def _cache_read(sheet: Sheet, context: Quantity) -> Quantity:
    if sheet.model.uniform_attention:
        return _over_all_gpus(
            "kv_read_bytes",
            sheet.kv_copies,
            kv_read_bytes,
            batch=sheet.batch,
            context=context,
            kv_bytes_per_token=sheet.of_model.kv_bytes_per_token,
        )
    earlier = quantity("earlier_tokens", earlier_tokens, context=context)
    copies, one = sheet.copies_of(earlier), sheet.sequence_bytes(earlier)
    return _over_all_gpus("kv_read_bytes", copies, kv_bytes_of_sequences, batch=sheet.batch, sequence_bytes=one)


def _over_all_gpus(symbol: str, copies: Quantity, formula: Callable[..., float], **inputs: Quantity) -> Quantity:
    """Bytes of the cache by a formula that counts each once, times the copies that the GPUs keep."""
    if copies.value == 1:
        return quantity(symbol, formula, **inputs)
    once = quantity("kv_once_bytes", formula, **inputs)
    return quantity(symbol, with_copies, kv_once_bytes=once, kv_copies=copies)


def _bytes(sheet: Sheet, tokens: Quantity, kv_read: Quantity) -> Bytes:
    parts = dict(sheet.read_bytes(tokens))
    if sheet.assumptions.skips_idle_parameters:
        parts["embedding"] = quantity(
            "embedding_bytes",
            looked_up_bytes,
            tokens=tokens,
            hidden_size=sheet.of_model.hidden_size,
            bytes_per_weight=parts["embedding"].inputs["bytes_per_weight"],
        )
    weights = quantity(
        "weights_read_bytes", weight_bytes_of_parts, **{f"{part}_bytes": size for part, size in parts.items()}
    )
    kv_write = _over_all_gpus(
        "kv_write_bytes",
        sheet.kv_copies,
        kv_write_bytes,
        tokens=tokens,
        kv_bytes_per_token=sheet.of_model.kv_bytes_per_token,
    )
    total = quantity(
        "bytes_moved",
        bytes_moved,
        weights_read_bytes=weights,
        kv_read_bytes=kv_read,
        kv_write_bytes=kv_write,
    )
    return Bytes(
        parts["embedding"], parts["projection"], parts["mlp"], parts["head"], weights, kv_read, kv_write, total
    )


# Communication.


def _all_reduce(sheet: Sheet, tokens: Quantity) -> Quantity | None:
    if sheet.scenario.gpus == 1:
        return None
    return quantity(
        "all_reduce_bytes",
        all_reduce_bytes,
        tokens=tokens,
        hidden_size=sheet.of_model.hidden_size,
        bytes_per_activation=Quantity(2, "bytes_per_activation", "bf16 activations"),
    )


def _communication(sheet: Sheet, reduced: Quantity) -> Quantity:
    taken = sheet.assumptions
    one = quantity(
        "all_reduce_s",
        all_reduce_time,
        all_reduce_latency_s=latency_over_the_link(taken, sheet.gpu, sheet.gpus),
        gpus=sheet.gpus,
        all_reduce_bytes=reduced,
        link_efficiency=sheet.assumed("link_efficiency", taken.link_efficiency),
        link_bandwidth=Quantity(sheet.gpu.link_bandwidth, "link_bandwidth", sheet.gpu.source),
    )
    number = sheet.model.all_reduces
    times = (
        quantity("all_reduces", all_reduces_of, layers=sheet.of_model.layers)
        if number == 2 * sheet.model.layers
        else Quantity(number, "all_reduces", f"one after each attention and each MLP of {sheet.model.source}")
    )
    return quantity("communication_s", communication_time, all_reduces=times, all_reduce_s=one)


# Time.


def _timed(sheet: Sheet, symbol: str, work: Work, tokens: Quantity, context: Quantity, decoding: bool) -> PassTime:
    flops, moved = work.flops.total, work.bytes.total
    compute_s = _compute_time(sheet, work, tokens)
    memory_s = quantity(
        "memory_s",
        memory_time,
        bytes_moved=moved,
        gpus=sheet.gpus,
        memory_efficiency=sheet.memory_efficiency,
        bandwidth=sheet.bandwidth,
    )
    communication_s = _communication(sheet, work.all_reduce) if work.all_reduce else None
    launch_s = None if sheet.assumptions.is_plain else _launch_time(sheet, decoding)
    own = None
    if sheet.assumptions.own_term_s:
        plain = _pass_time(sheet, "pass_s", compute_s, memory_s, communication_s, launch_s)
        own = own_term(
            sheet,
            {
                "phase": "decode" if decoding else "prefill",
                "tokens": tokens.value,
                "context": context.value,
                "flops": flops.value,
                "bytes_moved": moved.value,
                "compute_s": compute_s.value,
                "memory_s": memory_s.value,
                "communication_s": communication_s.value if communication_s else 0.0,
            },
        )
        time_s = quantity(symbol, own_pass_time, pass_s=plain, own_term_s=own)
    else:
        time_s = _pass_time(sheet, symbol, compute_s, memory_s, communication_s, launch_s)
    return PassTime(
        work=work,
        compute_s=compute_s,
        memory_s=memory_s,
        communication_s=communication_s,
        launch_s=launch_s,
        own_term_s=own,
        time_s=time_s,
        gpus=sheet.gpus,
        peak_flops=sheet.peak_flops,
        bandwidth=sheet.bandwidth,
    )


def own_term(sheet: Sheet, one_pass: dict[str, Any]) -> Quantity:
    """What a reader's own code adds to a pass."""
    scenario = sheet.scenario
    known = {
        "batch": scenario.batch,
        "gpus": scenario.gpus,
        "layers": sheet.model.layers,
        "hidden_size": sheet.model.hidden_size,
        "weights": scenario.weights if isinstance(scenario.weights, str) else scenario.weights.label,
        "maths": scenario.maths,
    }
    assert sheet.assumptions.own_term_s
    return Quantity(sheet.assumptions.own_term_s({**known, **one_pass}), "own_term_s", "your own code")


def _compute_time(sheet: Sheet, work: Work, tokens: Quantity) -> Quantity:
    if not sheet.assumptions.attention_efficiency:
        return quantity(
            "compute_s",
            compute_time,
            flops=work.flops.total,
            gpus=sheet.gpus,
            compute_efficiency=sheet.compute_efficiency,
            peak_flops=sheet.peak_flops,
        )
    return quantity(
        "compute_s",
        arithmetic_time,
        products_s=products_time(sheet, work),
        attention_s=attention_time(sheet, work),
        unpack_s=_unpack_time(sheet, tokens),
    )


def products_time(sheet: Sheet, work: Work) -> Quantity:
    """Time for the matrix products with weights in a pass."""
    return quantity(
        "products_s",
        compute_time,
        flops=quantity("products_flops", products_flops, flops=work.flops.total, attention_flops=work.flops.attention),
        gpus=sheet.gpus,
        compute_efficiency=sheet.compute_efficiency,
        peak_flops=sheet.peak_flops,
    )


def attention_time(sheet: Sheet, work: Work) -> Quantity:
    """Time for the attention of a pass: as for any other product, unless the assumptions hold it for slower."""
    efficiency, peak = sheet.compute_efficiency, sheet.peak_flops
    if sheet.assumptions.attention_efficiency:
        efficiency = sheet.assumed("attention_efficiency", sheet.assumptions.attention_efficiency)
        peak = Quantity(sheet.gpu.peak("bf16"), "attention_peak_flops", sheet.gpu.source)
    return quantity(
        "attention_s",
        compute_time,
        flops=work.flops.attention,
        gpus=sheet.gpus,
        compute_efficiency=efficiency,
        peak_flops=peak,
    )


def _unpack_time(sheet: Sheet, tokens: Quantity) -> Quantity:
    narrow = sheet.narrow_weights(tokens.value)
    if not narrow:
        return Quantity(0, "unpack_s", "the weights are as wide as the arithmetic")
    if not sheet.gpu.vector_flops:
        return Quantity(0, "unpack_s", f"left out: no rate of the ordinary arithmetic of {sheet.gpu.label} is known")
    return quantity(
        "unpack_s",
        unpack_time,
        unpack_operations=sheet.assumed("unpack_operations", sheet.assumptions.unpack_operations),
        weights_read=sheet.weights_read(narrow, tokens),
        gpus=sheet.gpus,
        vector_flops=Quantity(sheet.gpu.vector_flops, "vector_flops", sheet.gpu.source),
    )


def _launch_time(sheet: Sheet, decoding: bool) -> Quantity:
    term = "decode_layer_s" if decoding else "prefill_layer_s"
    return quantity(
        "launch_s",
        launch_time,
        layers=sheet.of_model.layers,
        layer_latency_s=sheet.assumed("layer_latency_s", getattr(sheet.assumptions, term), term),
    )


def _pass_time(
    sheet: Sheet,
    symbol: str,
    compute_s: Quantity,
    memory_s: Quantity,
    communication_s: Quantity | None,
    launch_s: Quantity | None,
) -> Quantity:
    if launch_s:
        return quantity(
            symbol,
            real_pass_time,
            compute_s=compute_s,
            memory_s=memory_s,
            overlap=sheet.assumed("overlap", sheet.assumptions.overlap),
            launch_s=launch_s,
            communication_s=communication_s or Quantity(0, "communication_s", "one GPU"),
        )
    if communication_s is None:
        return quantity(symbol, pass_time, compute_s=compute_s, memory_s=memory_s)
    return quantity(symbol, shared_pass_time, compute_s=compute_s, memory_s=memory_s, communication_s=communication_s)
