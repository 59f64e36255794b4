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
    "active_parameters": Symbol("P_a", "parameters that one token uses", "parameters", "weights"),
    "embedding_parameters": Symbol("P_e", "parameters of the input table", "parameters", "weights"),
    "projection_parameters": Symbol("P_p", "parameters of attention's projections", "parameters", "weights"),
    "mlp_parameters": Symbol("P_m", "parameters of the MLPs or experts", "parameters", "weights"),
    "head_parameters": Symbol("P_h", "parameters of the output head", "parameters", "weights"),
    "layers": Symbol("L", "layers", ""),
    "heads": Symbol("h", "query heads", ""),
    "kv_heads": Symbol("h_kv", "key and value heads", ""),
    "head_dim": Symbol("d", "width of a head", ""),
    "attention_width": Symbol("W", "layers × query heads × width of a head", ""),
    "hidden_size": Symbol("H", "width of the hidden state", ""),
    "mlp_width": Symbol("H_m", "width inside the MLP", ""),
    "experts": Symbol("E", "experts of a layer", ""),
    "experts_per_token": Symbol("k_e", "experts that a token chooses", ""),
    "window": Symbol("w", "tokens that a window looks back on", "tokens"),
    "bytes_per_weight": Symbol("b_w", "bytes per weight", "B", "weights"),
    "bytes_per_kv": Symbol("b_kv", "bytes per cached number", "B", "kv"),
    "bytes_per_activation": Symbol("b_a", "bytes per activation", "B"),
    "kv_bytes_per_token": Symbol("k", "KV cache per token", "B", "kv"),
    # the request
    "prompt": Symbol("n", "prompt tokens", "tokens"),
    "cached": Symbol("n_c", "prompt tokens that are cached already", "tokens"),
    "new_tokens": Symbol("n_new", "prompt tokens to be worked on", "tokens"),
    "output": Symbol("m", "answer tokens", "tokens"),
    "batch": Symbol("B", "requests in the batch", ""),
    "prompts": Symbol("p", "prompts in the pass", ""),
    "context": Symbol("c", "context at mid-answer", "tokens"),
    "context_end": Symbol("c_end", "context at the end of the answer", "tokens"),
    "tokens": Symbol("t", "tokens in the pass", "tokens"),
    "replicas": Symbol("R", "copies of the model", ""),
    # the GPU
    "peak_flops": Symbol("F_peak", "peak arithmetic rate, dense", "FLOP/s", "compute"),
    "attention_peak_flops": Symbol("F_16", "peak arithmetic rate in 16 bits", "FLOP/s", "compute"),
    "vector_flops": Symbol("F_vec", "peak rate of the ordinary arithmetic units", "FLOP/s", "compute"),
    "bandwidth": Symbol("β", "memory bandwidth", "B/s"),
    "compute_efficiency": Symbol("η_c", "share of the peak rate that is reached", "share", "compute"),
    "attention_efficiency": Symbol("η_a", "share of the peak rate that attention reaches", "share", "compute"),
    "memory_efficiency": Symbol("η_m", "share of the bandwidth that is reached", "share"),
    "overlap": Symbol("o", "share of the shorter time that hides behind the longer", "share"),
    "layer_latency_s": Symbol("λ_L", "what starting a layer takes", "s"),
    "unpack_operations": Symbol("ω", "operations to widen a narrow weight", ""),
    "gpus": Symbol("N", "GPUs that share the model", ""),
    "kv_shards": Symbol("N_kv", "GPUs among which the cache of a token is divided", ""),
    "kv_copies": Symbol("r_kv", "times that each key and value is kept", "", "kv"),
    "link_bandwidth": Symbol("β_link", "link bandwidth, one direction", "B/s", "communication"),
    "link_efficiency": Symbol("η_l", "share of the link's rate that is reached", "share", "communication"),
    "link_latency_s": Symbol("λ_0", "latency of a small all-reduce, whatever the GPUs", "s", "communication"),
    "link_latency_per_gpu_s": Symbol("λ_1", "what each GPU adds to it", "s", "communication"),
    "all_reduce_latency_s": Symbol("λ", "latency of a small all-reduce", "s", "communication"),
    "memory_bytes": Symbol("M", "memory of a GPU, as the driver reports it", "B"),
    "usable_share": Symbol("u", "share of the memory that a server may use", "share"),
    "runtime_bytes": Symbol("M_run", "memory of the runtime", "B"),
    "board_power": Symbol("W_max", "power limit of a GPU", "W"),
    # a pass
    "embedding_flops": Symbol("F_e", "work of the input table", "FLOP", "compute"),
    "projection_flops": Symbol("F_p", "work of attention's projections", "FLOP", "compute"),
    "attention_flops": Symbol("F_a", "work of the attention", "FLOP", "compute"),
    "sequence_flops": Symbol("f_a", "work of the attention of one sequence", "FLOP", "compute"),
    "mlp_flops": Symbol("F_m", "work of the MLPs or experts", "FLOP", "compute"),
    "head_flops": Symbol("F_h", "work of the output head", "FLOP", "compute"),
    "products_flops": Symbol("F_w", "work of the matrix products with weights", "FLOP", "compute"),
    "flops": Symbol("F", "work of the pass", "FLOP", "compute"),
    "weight_bytes": Symbol("D_w", "bytes of the weights", "B", "weights"),
    "embedding_bytes": Symbol("D_e", "bytes of the input table", "B", "weights"),
    "projection_bytes": Symbol("D_p", "bytes of attention's projections", "B", "weights"),
    "mlp_bytes": Symbol("D_m", "bytes of the MLPs or experts", "B", "weights"),
    "head_bytes": Symbol("D_h", "bytes of the output head", "B", "weights"),
    "weights_read_bytes": Symbol("D_r", "bytes of weights read", "B", "weights"),
    "weights_read": Symbol("P_r", "narrow weights read", "parameters", "weights"),
    "kv_bytes": Symbol("D_kv", "bytes of KV cache", "B", "kv"),
    "kv_read_bytes": Symbol("D_kr", "bytes of KV cache read", "B", "kv"),
    "kv_write_bytes": Symbol("D_kw", "bytes of KV cache written", "B", "kv"),
    "sequence_bytes": Symbol("d_kv", "bytes of KV cache of one sequence", "B", "kv"),
    "request_kv_bytes": Symbol("D_1", "bytes of KV cache of one request", "B", "kv"),
    "bytes_moved": Symbol("D", "bytes moved by the pass", "B"),
    "products_s": Symbol("t_w", "time for the matrix products", "s", "compute"),
    "attention_s": Symbol("t_a", "time for the attention", "s", "compute"),
    "unpack_s": Symbol("t_u", "time for widening narrow weights", "s", "compute"),
    "compute_s": Symbol("t_c", "time for the arithmetic", "s", "compute"),
    "memory_s": Symbol("t_m", "time for moving the bytes", "s", "weights"),
    "launch_s": Symbol("t_l", "time for starting the layers", "s"),
    "communication_s": Symbol("t_n", "time for communication", "s", "communication"),
    "all_reduce_bytes": Symbol("D_n", "bytes of one all-reduce", "B", "communication"),
    "all_reduces": Symbol("a", "all-reduces of a pass", "", "communication"),
    "all_reduce_s": Symbol("t_ar", "time of one all-reduce", "s", "communication"),
    "pass_s": Symbol("t_pass", "time of the pass", "s"),
    "intensity": Symbol("I", "arithmetic intensity", "FLOP/B"),
    "ridge": Symbol("I_ridge", "ridge point", "FLOP/B"),
    "datasheet_crossover": Symbol("t_×0", "tokens up to which a pass is memory-bound, by the datasheet", "tokens"),
    "crossover": Symbol("t_×", "tokens up to which a pass is memory-bound", "tokens"),
    "compute_busy": Symbol("u_c", "arithmetic units in use", "share", "compute"),
    "memory_busy": Symbol("u_m", "memory bandwidth in use", "share", "weights"),
    # the answer
    "ttft_s": Symbol("TTFT", "time to first token", "s", "compute"),
    "tpot_s": Symbol("TPOT", "time per output token", "s", "weights"),
    "decode_s": Symbol("T_decode", "time of all decode passes", "s", "weights"),
    "total_s": Symbol("T", "time of the whole answer", "s"),
    "decode_share": Symbol("T_decode/T", "share of the time that is decode", "share", "weights"),
    "attention_share": Symbol("F_a/F", "share of the work that is attention", "share", "compute"),
    # a busy server
    "tokens_per_s": Symbol("X", "tokens a second of the batch, decoding", "tokens/s"),
    "user_tokens_per_s": Symbol("X_user", "tokens a second of one user, decoding", "tokens/s"),
    "gpu_tokens_per_s": Symbol("X_GPU", "tokens a second of a GPU, decoding", "tokens/s"),
    "packed_prefill_s": Symbol("t_p", "time of a prefill pass of several prompts", "s", "compute"),
    "prefill_share_s": Symbol("t_in", "time of the GPUs for one prompt", "s", "compute"),
    "request_s": Symbol("t_req", "time of the GPUs for one request", "s"),
    "requests_per_s": Symbol("Q", "requests a second, always busy", "requests/s"),
    "throughput": Symbol("X_all", "answer tokens a second, always busy", "tokens/s"),
    "loaded_tpot_s": Symbol("TPOT_B", "time between tokens among other requests", "s", "weights"),
    # memory
    "kv_budget": Symbol("M_kv", "memory left for the KV cache", "B", "kv"),
    "memory_used": Symbol("M_used", "weights and KV cache in memory", "B", "kv"),
    "usable_bytes": Symbol("M_use", "memory of a GPU that a server may use", "B"),
    "whole_bytes": Symbol("D_all", "bytes over all GPUs", "B"),
    "gpu_weight_bytes": Symbol("M_w", "weights on each GPU", "B", "weights"),
    "gpu_kv_bytes": Symbol("M_c", "KV cache on each GPU", "B", "kv"),
    "pass_tokens": Symbol("t_max", "tokens of the largest pass", "tokens"),
    "activation_bytes": Symbol("M_a", "activations on each GPU", "B"),
    "room_bytes": Symbol("M_free", "room left on each GPU", "B", "free"),
    "kv_tokens": Symbol("c_all", "tokens whose cache fits", "tokens", "kv"),
    "largest_batch": Symbol("B_max", "requests of this length that fit", "", "kv"),
    "longest_context": Symbol("c_max", "longest context that fits", "tokens", "kv"),
    # money and energy
    "price": Symbol("π", "price of a GPU hour", "USD/h"),
    "price_low": Symbol("π_low", "lowest price of a GPU hour", "USD/h"),
    "price_high": Symbol("π_high", "highest price of a GPU hour", "USD/h"),
    "fleet_price": Symbol("π_all", "price of an hour of all GPUs", "USD/h"),
    "input_cost": Symbol("C_in", "price of a million prompt tokens", "USD", "compute"),
    "output_cost": Symbol("C_out", "price of a million answer tokens", "USD", "weights"),
    "request_cost": Symbol("C", "price of a request", "USD"),
    "input_energy": Symbol("E_in", "energy of a prompt token, at most", "J", "compute"),
    "output_energy": Symbol("E_out", "energy of an answer token, at most", "J", "weights"),
}
