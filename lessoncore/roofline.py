"""How long a pass takes, and which of the GPU's limits it meets: arithmetic or memory."""

from dataclasses import dataclass

from lessoncore.formula import Quantity, formula


@formula("{peak_flops} / {bandwidth}")
def ridge_point(peak_flops: float, bandwidth: float) -> float:
    """FLOP per byte at which a GPU's arithmetic and its memory take equally long (FLOP/B).

    Above it a pass is compute-bound, below it memory-bound. Source: the roofline model, Williams, Waterman and
    Patterson 2009.

    >>> round(ridge_point(peak_flops=989.4e12, bandwidth=3.35e12))  # H100 SXM, dense bf16
    295
    """
    return peak_flops / bandwidth


@formula("{flops} / {bytes_moved}")
def intensity(flops: float, bytes_moved: float) -> float:
    """Arithmetic intensity of a pass (FLOP/B).

    >>> round(intensity(flops=33.17e12, bytes_moved=16.32e9))
    2032
    """
    return flops / bytes_moved


@formula("{flops} / ({gpus} · {compute_efficiency} · {peak_flops})")
def compute_time(flops: float, gpus: float, compute_efficiency: float, peak_flops: float) -> float:
    """Time for the arithmetic of a pass, shared by ``gpus`` GPUs (s).

    >>> round(compute_time(flops=33.17e12, gpus=1, compute_efficiency=0.60, peak_flops=989.4e12), 5)
    0.05588
    """
    return flops / (gpus * compute_efficiency * peak_flops)


@formula("{bytes_moved} / ({gpus} · {memory_efficiency} · {bandwidth})")
def memory_time(bytes_moved: float, gpus: float, memory_efficiency: float, bandwidth: float) -> float:
    """Time for moving the bytes of a pass, shared by ``gpus`` GPUs (s).

    >>> round(memory_time(bytes_moved=16.355e9, gpus=1, memory_efficiency=0.80, bandwidth=3.35e12), 6)
    0.006103
    """
    return bytes_moved / (gpus * memory_efficiency * bandwidth)


@formula("max({compute_s}, {memory_s})")
def pass_time(compute_s: float, memory_s: float) -> float:
    """Time of a pass on one GPU (s): arithmetic and memory overlap, so the slower of the two decides.

    >>> pass_time(compute_s=0.0559, memory_s=0.0061)
    0.0559
    """
    return max(compute_s, memory_s)


@formula("max({compute_s}, {memory_s}) + {communication_s}")
def shared_pass_time(compute_s: float, memory_s: float, communication_s: float) -> float:
    """Time of a pass that several GPUs share (s): they wait for each other after every layer.

    >>> round(shared_pass_time(compute_s=0.0004, memory_s=0.0132, communication_s=0.0009), 4)
    0.0141
    """
    return max(compute_s, memory_s) + communication_s


@formula("{flops} / ({gpus} · {peak_flops} · {pass_s})")
def compute_busy(flops: float, gpus: float, peak_flops: float, pass_s: float) -> float:
    """Share of the peak arithmetic rate that a pass uses while it runs.

    >>> compute_busy(flops=6e14, gpus=1, peak_flops=1e15, pass_s=1.0)
    0.6
    """
    return flops / (gpus * peak_flops * pass_s)


@formula("{bytes_moved} / ({gpus} · {bandwidth} · {pass_s})")
def memory_busy(bytes_moved: float, gpus: float, bandwidth: float, pass_s: float) -> float:
    """Share of the memory bandwidth that a pass uses while it runs.

    >>> memory_busy(bytes_moved=2.4e12, gpus=1, bandwidth=3e12, pass_s=1.0)
    0.8
    """
    return bytes_moved / (gpus * bandwidth * pass_s)


@dataclass(frozen=True, slots=True)
class PassTime:
    """A pass in time: what bounds it, and how busy it keeps the GPU."""

    flops: Quantity
    bytes_moved: Quantity
    compute_s: Quantity
    memory_s: Quantity
    time_s: Quantity
    intensity: Quantity
    compute_busy: Quantity
    memory_busy: Quantity

    @property
    def bound(self) -> str:
        """``"compute"`` or ``"memory"``: whichever takes longer."""
        return "compute" if self.compute_s.value >= self.memory_s.value else "memory"
