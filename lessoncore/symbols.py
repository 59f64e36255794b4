"""The glossary of symbols: every quantity of the model once, with its letter, its words and its unit.

The keys are the parameter names of the formula functions, so that a formula, its derivation on the page
and the reference all call a thing by the same name.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Symbol:
    """How a quantity is written: ``letter`` in formulas, ``words`` in text, ``unit`` a key of units.SCALES.

    ``concept`` is the colour family it belongs to on every page: compute, weights, kv, communication, free,
    or nothing.
    """

    letter: str
    words: str
    unit: str
    concept: str = ""


SYMBOLS: dict[str, Symbol] = {
    # the model
    "parameters": Symbol("P", "parameters of the model", "parameters", "weights"),
    "layers": Symbol("L", "layers", ""),
    "heads": Symbol("h", "query heads", ""),
    "kv_heads": Symbol("h_kv", "key and value heads", ""),
    "head_dim": Symbol("d", "width of a head", ""),
    "attention_width": Symbol("W", "layers × query heads × width of a head", ""),
    "hidden_size": Symbol("H", "width of the hidden state", ""),
    "bytes_per_weight": Symbol("b_w", "bytes per weight", "B", "weights"),
    "bytes_per_kv": Symbol("b_kv", "bytes per cached number", "B", "kv"),
    "bytes_per_activation": Symbol("b_a", "bytes per activation", "B"),
    "kv_bytes_per_token": Symbol("k", "KV cache per token", "B", "kv"),
    # the request
    "prompt": Symbol("n", "prompt tokens", "tokens"),
    "output": Symbol("m", "answer tokens", "tokens"),
    "batch": Symbol("B", "requests in the batch", ""),
    "context": Symbol("c", "context at mid-answer", "tokens"),
    "context_end": Symbol("c_end", "context at the end of the answer", "tokens"),
    "tokens": Symbol("t", "tokens in the pass", "tokens"),
    # the GPU
    "peak_flops": Symbol("F_peak", "peak arithmetic rate, dense", "FLOP/s", "compute"),
    "bandwidth": Symbol("β", "memory bandwidth", "B/s"),
    "compute_efficiency": Symbol("η_c", "share of the peak rate that is reached", "share", "compute"),
    "memory_efficiency": Symbol("η_m", "share of the bandwidth that is reached", "share"),
    "gpus": Symbol("N", "GPUs that share the model", ""),
    "link_bandwidth": Symbol("β_link", "link bandwidth, one direction", "B/s", "communication"),
    "link_latency_s": Symbol("λ_0", "latency of a small all-reduce, whatever the GPUs", "s", "communication"),
    "link_latency_per_gpu_s": Symbol("λ_1", "what each GPU adds to it", "s", "communication"),
    "all_reduce_latency_s": Symbol("λ", "latency of a small all-reduce", "s", "communication"),
    "memory_bytes": Symbol("M", "memory of a GPU, as the driver reports it", "B"),
    "usable_share": Symbol("u", "share of the memory that a server may use", "share"),
    "runtime_bytes": Symbol("R", "memory of the runtime", "B"),
    # a pass
    "projection_flops": Symbol("F_p", "work of the matrix products", "FLOP", "compute"),
    "attention_flops": Symbol("F_a", "work of the attention", "FLOP", "compute"),
    "flops": Symbol("F", "work of the pass", "FLOP", "compute"),
    "weight_bytes": Symbol("D_w", "bytes of weights read", "B", "weights"),
    "kv_bytes": Symbol("D_kv", "bytes of KV cache moved", "B", "kv"),
    "bytes_moved": Symbol("D", "bytes moved by the pass", "B"),
    "compute_s": Symbol("t_c", "time for the arithmetic", "s", "compute"),
    "memory_s": Symbol("t_m", "time for moving the bytes", "s", "weights"),
    "communication_s": Symbol("t_n", "time for communication", "s", "communication"),
    "all_reduce_bytes": Symbol("D_n", "bytes of one all-reduce", "B", "communication"),
    "all_reduce_s": Symbol("t_ar", "time of one all-reduce", "s", "communication"),
    "pass_s": Symbol("t_pass", "time of the pass", "s"),
    "intensity": Symbol("I", "arithmetic intensity", "FLOP/B"),
    "ridge": Symbol("I_ridge", "ridge point", "FLOP/B"),
    "compute_busy": Symbol("u_c", "arithmetic units in use", "share", "compute"),
    "memory_busy": Symbol("u_m", "memory bandwidth in use", "share", "weights"),
    # the answer
    "ttft_s": Symbol("TTFT", "time to first token", "s", "compute"),
    "tpot_s": Symbol("TPOT", "time per output token", "s", "weights"),
    "decode_s": Symbol("T_decode", "time of all decode passes", "s", "weights"),
    "total_s": Symbol("T", "time of the whole answer", "s"),
    "decode_share": Symbol("T_decode/T", "share of the time that is decode", "share", "weights"),
    "kv_budget": Symbol("M_kv", "memory left for the KV cache", "B", "kv"),
    "memory_used": Symbol("M_used", "weights and KV cache in memory", "B", "kv"),
}
