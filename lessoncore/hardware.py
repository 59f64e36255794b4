"""What a GPU can do: arithmetic, memory and links, as its datasheet and its driver state them."""

from datetime import date

from lessoncore.errors import LessonError
from lessoncore.record import Record
from lessoncore.units import MIB


class Gpu(Record):
    """One accelerator. Rates are dense (never "with sparsity"), per second and in SI units.

    ``driver_mib`` is the memory that the driver reports, which is what software can allocate from; the
    round number of gigabytes in its name isn't. ``vector_flops`` is the fp32 rate of the ordinary arithmetic
    units, beside the matrix units (0: not known). ``link_bandwidth`` counts one direction. ``link_gpus`` is how
    many the link joins at that bandwidth, by ``link_source``; no more can share a model. ``tdp_w`` is the power limit
    of the board. Prices are US dollars an hour for one GPU, as found in ``price_month``. ``link``
    names what the GPUs of one machine talk over; "PCIe …" where they have no link of their own.
    """

    key: str
    label: str
    driver_mib: float
    bandwidth: float
    peak_flops: dict[str, float]
    source: str
    read_on: date
    vector_flops: float = 0.0
    link_bandwidth: float = 0.0
    link: str = ""
    link_gpus: int = 0
    link_source: str = ""
    tdp_w: float = 0.0
    price_low: float = 0.0
    price_high: float = 0.0
    price_month: str = ""
    price_source: str = ""
    note: str = ""

    @property
    def over_pcie(self) -> bool:
        """Whether its GPUs have no link of their own."""
        return self.link.startswith("PCIe")

    def check_shared_by(self, gpus: int, heads: int, model: str) -> None:
        """Raise LessonError unless so many of it can share ``model``, which has so many query heads."""
        if gpus == 1:
            return
        if heads % gpus == 0 and not self.link_bandwidth:
            raise LessonError(f"{self.label} has no link between GPUs in the catalogue; use 1 GPU.")
        if heads % gpus == 0 and gpus <= self.link_gpus:
            return
        why = (
            f"{gpus} GPUs can't share the {heads} query heads of {model} evenly."
            if heads % gpus
            else f"{gpus} GPUs can't share {model}: {self.link or 'the link'} joins at most {max(1, self.link_gpus)} "
            f"{self.label}, and what slower links between machines cost isn't modelled."
        )
        possible = [str(n) for n in range(1, min(heads, max(1, self.link_gpus)) + 1) if heads % n == 0]
        raise LessonError(f"{why} Possible: {', '.join(possible)}.")

    @property
    def memory_bytes(self) -> float:
        """Bytes that the driver reports."""
        return self.driver_mib * MIB

    def peak(self, maths: str) -> float:
        """Peak dense FLOP/s in the number format ``maths``; LessonError where the GPU has none of it."""
        if maths not in self.peak_flops:
            raise LessonError(
                f"{self.label} has no {maths} arithmetic. It can compute in: {', '.join(self.peak_flops)}."
            )
        return self.peak_flops[maths]
