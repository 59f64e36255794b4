"""How long a pass takes, and what bounds it: arithmetic, memory, communication or the launching of kernels."""

from functools import cached_property
from math import floor

from lessoncore.formula import Quantity, formula, quantity
from lessoncore.passes import Work
from lessoncore.record import Record


@formula("{peak_flops} / {bandwidth}")
def ridge_point(peak_flops: float, bandwidth: float) -> float:
    """FLOP per byte at which a GPU's arithmetic and its memory take equally long (FLOP/B).

    Above it a pass is compute-bound, below it memory-bound. Source: the roofline model, Williams, Waterman and
    Patterson 2009.

    >>> round(ridge_point(peak_flops=989.4e12, bandwidth=3.35e12))  # H100 SXM, dense bf16
    295
    """
    return peak_flops / bandwidth


@formula("({compute_efficiency} · {peak_flops}) / ({memory_efficiency} · {bandwidth})")
def reached_ridge(compute_efficiency: float, peak_flops: float, memory_efficiency: float, bandwidth: float) -> float:
    """FLOP per byte at which arithmetic and memory take equally long at the rates that are reached (FLOP/B).

    Source: Williams, Waterman and Patterson 2009 (the roofline model).

    >>> round(reached_ridge(compute_efficiency=0.60, peak_flops=989.4e12, memory_efficiency=0.80, bandwidth=3.35e12))
    222
    """
    return compute_efficiency * peak_flops / (memory_efficiency * bandwidth)


@formula("min({peak_flops}, {intensity} · {bandwidth})")
def attainable_flops(peak_flops: float, intensity: float, bandwidth: float) -> float:
    """Rate of arithmetic that a GPU allows at an arithmetic intensity (FLOP/s): the roof of the roofline model.

    Source: Williams, Waterman and Patterson 2009.

    >>> attainable_flops(peak_flops=989.4e12, intensity=100, bandwidth=3.35e12)
    335000000000000.0
    """
    return min(peak_flops, intensity * bandwidth)


@formula("{flops} / ({gpus} · {pass_s})")
def flop_rate(flops: float, gpus: float, pass_s: float) -> float:
    """Rate of arithmetic that a pass reaches on each GPU (FLOP/s).

    Source: by definition.

    >>> round(flop_rate(flops=33.17e12, gpus=1, pass_s=0.05588) / 1e12)
    594
    """
    return flops / (gpus * pass_s)


@formula("⌊{weight_bytes} · {peak_flops} / (2 · {active_parameters} · {bandwidth})⌋")
def crossover_by_datasheet(weight_bytes: float, peak_flops: float, active_parameters: float, bandwidth: float) -> float:
    """Tokens up to which a pass would be memory-bound if both limits of the datasheet were reached (tokens).

    For 16-bit weights that is the ridge point. Attention and the KV cache are left out, so it holds for short
    contexts; for a mixture of experts it takes all of them to be read.

    Source: Williams, Waterman and Patterson 2009 (the roofline model).

    >>> crossover_by_datasheet(16.06e9, 989.4e12, active_parameters=8.03e9, bandwidth=3.35e12)
    295
    """
    return floor(weight_bytes * peak_flops / (2 * active_parameters * bandwidth))


@formula(
    "⌊{weight_bytes} · {compute_efficiency} · {peak_flops}"
    " / (2 · {active_parameters} · {memory_efficiency} · {bandwidth})⌋"
)
def crossover(
    weight_bytes: float,
    compute_efficiency: float,
    peak_flops: float,
    active_parameters: float,
    memory_efficiency: float,
    bandwidth: float,
) -> float:
    """Tokens up to which a pass is memory-bound, with the rates that are reached (tokens).

    It differs from the datasheet's as arithmetic and memory don't fall short of it by the same share.

    Source: Williams, Waterman and Patterson 2009 (the roofline model).

    >>> crossover(16.06e9, 0.60, 989.4e12, active_parameters=8.03e9, memory_efficiency=0.80, bandwidth=3.35e12)
    221
    """
    reached = compute_efficiency * peak_flops / (memory_efficiency * bandwidth)
    return floor(weight_bytes / (2 * active_parameters) * reached)


@formula("⌊{weight_bytes} / ((2 · {active_parameters} + {sequence_flops}) / {reached_ridge} − {sequence_bytes})⌋")
def batch_crossover(
    weight_bytes: float, active_parameters: float, sequence_flops: float, reached_ridge: float, sequence_bytes: float
) -> float:
    """Largest batch whose decode pass is memory-bound, with the rates that are reached (requests).

    Each brings arithmetic, but also its own cache to be read: what is left of the one in bytes, after the other, has to
    catch up with the weights. It never does where the cache of a request takes longer than its arithmetic.

    Source: first principles.

    >>> batch_crossover(16.06e9, 8.03e9, sequence_flops=131e6, reached_ridge=221.5, sequence_bytes=32.8e6)
    398
    """
    return floor(weight_bytes / ((2 * active_parameters + sequence_flops) / reached_ridge - sequence_bytes))


@formula("{flops} / {bytes_moved}")
def intensity(flops: float, bytes_moved: float) -> float:
    """Arithmetic intensity of a pass (FLOP/B).

    Source: Williams, Waterman and Patterson 2009 (the roofline model).

    >>> round(intensity(flops=33.17e12, bytes_moved=16.32e9))
    2032
    """
    return flops / bytes_moved


@formula("{flops} / ({gpus} · {compute_efficiency} · {peak_flops})")
def compute_time(flops: float, gpus: float, compute_efficiency: float, peak_flops: float) -> float:
    """Time for arithmetic that ``gpus`` GPUs share (s).

    Source: Williams, Waterman and Patterson 2009 (the roofline model).

    >>> round(compute_time(flops=33.17e12, gpus=1, compute_efficiency=0.60, peak_flops=989.4e12), 5)
    0.05588
    """
    return flops / (gpus * compute_efficiency * peak_flops)


@formula("{flops} − {attention_flops}")
def products_flops(flops: float, attention_flops: float) -> float:
    """Work of the matrix products with weights (FLOP): all but attention.

    Source: by definition.

    >>> products_flops(flops=33.17e12, attention_flops=1.05e12)
    32120000000000.0
    """
    return flops - attention_flops


@formula("{unpack_operations} · {weights_read} / ({gpus} · {vector_flops})")
def unpack_time(unpack_operations: float, weights_read: float, gpus: float, vector_flops: float) -> float:
    """Time for widening weights that are stored narrower than the arithmetic works (s).

    Each weight that a pass reads takes a few operations of the ordinary arithmetic units, which are far slower
    than the matrix units: on an A100 a sixteenth. So narrower weights can slow down a pass that memory doesn't bound:
    they cost this, and save little.

    Source: first principles; the operations are fitted (tests/validation).

    >>> round(unpack_time(unpack_operations=3, weights_read=6.6e9, gpus=1, vector_flops=19.5e12) * 1e3, 2)
    1.02
    """
    return unpack_operations * weights_read / (gpus * vector_flops)


@formula("{products_s} + {attention_s} + {unpack_s}")
def arithmetic_time(products_s: float, attention_s: float, unpack_s: float) -> float:
    """Time for the arithmetic of a pass (s): matrix products, attention and the unpacking of narrow weights.

    Source: first principles: the three come one after the other.

    >>> round(arithmetic_time(products_s=0.0442, attention_s=0.0017, unpack_s=0), 4)
    0.0459
    """
    return products_s + attention_s + unpack_s


@formula("{bytes_moved} / ({gpus} · {memory_efficiency} · {bandwidth})")
def memory_time(bytes_moved: float, gpus: float, memory_efficiency: float, bandwidth: float) -> float:
    """Time for moving the bytes of a pass, shared by ``gpus`` GPUs (s).

    Source: Williams, Waterman and Patterson 2009 (the roofline model).

    >>> round(memory_time(bytes_moved=16.355e9, gpus=1, memory_efficiency=0.80, bandwidth=3.35e12), 6)
    0.006103
    """
    return bytes_moved / (gpus * memory_efficiency * bandwidth)


@formula("{weight_bytes} / {bandwidth}")
def decode_limit(weight_bytes: float, bandwidth: float) -> float:
    """Shortest possible time per output token of a single request (s): every weight has to be read once.

    What the KV cache adds is left out: for 2,250 tokens of Llama 3.1 8B 1.8%.

    Source: arXiv 2211.05102, section 2.

    >>> round(decode_limit(weight_bytes=16_060_522_496, bandwidth=3.35e12) * 1e3, 2)
    4.79
    """
    return weight_bytes / bandwidth


@formula("{weight_bytes} / ({memory_efficiency} · {bandwidth})")
def reached_decode_limit(weight_bytes: float, memory_efficiency: float, bandwidth: float) -> float:
    """Shortest time per output token of a single request at the bandwidth that is reached (s).

    Source: arXiv 2211.05102, section 2.

    >>> round(reached_decode_limit(weight_bytes=16_060_522_496, memory_efficiency=0.80, bandwidth=3.35e12) * 1e3, 2)
    5.99
    """
    return weight_bytes / (memory_efficiency * bandwidth)


@formula("{layers} · {layer_latency_s}")
def launch_time(layers: float, layer_latency_s: float) -> float:
    """Time in which a pass neither computes nor moves (s): starting and draining the kernels of each layer.

    Source: first principles; the time of a layer is fitted (tests/validation).

    >>> round(launch_time(layers=32, layer_latency_s=60e-6) * 1e3, 2)
    1.92
    """
    return layers * layer_latency_s


@formula("max({compute_s}, {memory_s})")
def pass_time(compute_s: float, memory_s: float) -> float:
    """Time of a pass on one GPU (s): arithmetic and memory overlap, so the slower of the two decides.

    Source: Williams, Waterman and Patterson 2009 (the roofline model).

    >>> pass_time(compute_s=0.0559, memory_s=0.0061)
    0.0559
    """
    return max(compute_s, memory_s)


@formula("max({compute_s}, {memory_s}) + {communication_s}")
def shared_pass_time(compute_s: float, memory_s: float, communication_s: float) -> float:
    """Time of a pass that several GPUs share (s): they wait for each other after every layer.

    Source: arXiv 1909.08053, section 3.

    >>> round(shared_pass_time(compute_s=0.0004, memory_s=0.0132, communication_s=0.0009), 4)
    0.0141
    """
    return max(compute_s, memory_s) + communication_s


@formula(
    "max({compute_s}, {memory_s}) + (1 − {overlap}) · min({compute_s}, {memory_s}) + {launch_s} + {communication_s}"
)
def real_pass_time(compute_s: float, memory_s: float, overlap: float, launch_s: float, communication_s: float) -> float:
    """Time of a pass in which arithmetic and memory overlap only in part (s).

    With ``overlap`` 1 and nothing else it is pass_time, with 0 the plain sum.

    Source: first principles; the overlap is fitted (tests/validation).

    >>> real_pass_time(compute_s=3.0, memory_s=5.0, overlap=1, launch_s=0, communication_s=0)
    5.0
    >>> real_pass_time(compute_s=3.0, memory_s=5.0, overlap=0, launch_s=0.5, communication_s=0.5)
    9.0
    """
    longer, shorter = max(compute_s, memory_s), min(compute_s, memory_s)
    return longer + (1 - overlap) * shorter + launch_s + communication_s


@formula("{pass_s} + {own_term_s}")
def own_pass_time(pass_s: float, own_term_s: float) -> float:
    """Time of a pass to which a reader's own code adds a term (s).

    Source: by definition.

    >>> own_pass_time(pass_s=0.0061, own_term_s=0.0009)
    0.007
    """
    return pass_s + own_term_s


@formula("{flops} / ({gpus} · {peak_flops} · {pass_s})")
def compute_busy(flops: float, gpus: float, peak_flops: float, pass_s: float) -> float:
    """Share of the peak arithmetic rate that a pass uses while it runs.

    Source: by definition.

    >>> compute_busy(flops=6e14, gpus=1, peak_flops=1e15, pass_s=1.0)
    0.6
    """
    return flops / (gpus * peak_flops * pass_s)


@formula("{bytes_moved} / ({gpus} · {bandwidth} · {pass_s})")
def memory_busy(bytes_moved: float, gpus: float, bandwidth: float, pass_s: float) -> float:
    """Share of the memory bandwidth that a pass uses while it runs.

    Source: by definition.

    >>> memory_busy(bytes_moved=2.4e12, gpus=1, bandwidth=3e12, pass_s=1.0)
    0.8
    """
    return bytes_moved / (gpus * bandwidth * pass_s)


# What can take longest in a pass, and what the pass is called then.
BOUNDS = {
    "compute": "compute-bound",
    "memory": "memory-bound",
    "communication": "communication-bound",
    "launch": "launch-bound",
    "own": "bound by your own code",
}


class PassTime(Record):
    """A pass in work and time: what bounds it, and how busy it keeps the GPU.

    ``communication_s``, ``launch_s`` and ``own_term_s`` are nothing where such a term isn't assumed.
    """

    work: Work
    compute_s: Quantity
    memory_s: Quantity
    communication_s: Quantity | None
    launch_s: Quantity | None
    own_term_s: Quantity | None
    time_s: Quantity
    gpus: Quantity
    peak_flops: Quantity
    bandwidth: Quantity

    # A curve needs the times of a hundred passes, and none of the rest.

    @cached_property
    def intensity(self) -> Quantity:
        """Arithmetic for each byte that is moved (FLOP/B)."""
        return quantity("intensity", intensity, flops=self.flops, bytes_moved=self.bytes_moved)

    @cached_property
    def compute_busy(self) -> Quantity:
        """Share of the peak arithmetic rate in use."""
        return quantity(
            "compute_busy",
            compute_busy,
            flops=self.flops,
            gpus=self.gpus,
            peak_flops=self.peak_flops,
            pass_s=self.time_s,
        )

    @cached_property
    def memory_busy(self) -> Quantity:
        """Share of the memory bandwidth in use."""
        return quantity(
            "memory_busy",
            memory_busy,
            bytes_moved=self.bytes_moved,
            gpus=self.gpus,
            bandwidth=self.bandwidth,
            pass_s=self.time_s,
        )

    @property
    def flops(self) -> Quantity:
        """All arithmetic of the pass."""
        return self.work.flops.total

    @property
    def bytes_moved(self) -> Quantity:
        """All bytes that the pass moves."""
        return self.work.bytes.total

    @property
    def roof(self) -> str:
        """``"compute"`` or ``"memory"``: which of the roofline's two roofs it meets first, all other terms apart."""
        return "compute" if self.compute_s.value >= self.memory_s.value else "memory"

    @property
    def bound(self) -> str:
        """What takes longest, a key of BOUNDS: to make anything else faster gains less."""
        terms = (self.compute_s, self.memory_s, self.communication_s, self.launch_s, self.own_term_s)
        times = {name: term.value for name, term in zip(BOUNDS, terms, strict=True) if term}
        return max(times, key=times.__getitem__)

    @property
    def bound_words(self) -> str:
        """What it is called for what bounds it: "memory-bound"."""
        return BOUNDS[self.bound]
