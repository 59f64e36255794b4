"""What a GPU can do: arithmetic, memory and links, as its datasheet and its driver state them."""

from datetime import date

from lessoncore.errors import Correctable
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
        """Raise Correctable unless so many of it can share ``model``, which has so many query heads."""
        if gpus == 1 or (heads % gpus == 0 and gpus <= self.link_gpus and self.link_bandwidth):
            return
        most = max(1, self.link_gpus) if self.link_bandwidth else 1
        possible = [n for n in range(1, min(heads, most) + 1) if heads % n == 0]
        if not self.link_bandwidth:
            keys: tuple[str, ...] = ("gpus", "gpu")
            words = (
                f"{self.label} has no link between GPUs in the catalogue, so one copy of {model} can't be shared by "
                f"{gpus}; use 1 GPU."
            )
        elif heads % gpus:
            keys = ("gpus", "model", "config")
            words = f"{gpus} GPUs can't share the {heads} query heads of {model} evenly."
        else:
            keys = ("gpus", "gpu")
            words = (
                f"{gpus} GPUs can't share {model}: {self.link or 'the link'} joins at most {most} {self.label}, and "
                "what slower links between machines cost isn't modelled."
            )
        if self.link_bandwidth:
            words += f" Possible: {', '.join(map(str, possible))}."
        raise Correctable(words, keys, {"gpus": max(n for n in possible if n <= gpus)})

    @property
    def memory_bytes(self) -> float:
        """Bytes that the driver reports."""
        return self.driver_mib * MIB

    def peak(self, maths: str) -> float:
        """Peak dense FLOP/s in the number format ``maths``; LessonError where the GPU has none of it."""
        if maths not in self.peak_flops:
            raise Correctable(self.without(maths), ("gpu", "maths"), {"maths": next(iter(self.peak_flops))})
        return self.peak_flops[maths]

    def without(self, maths: str) -> str:
        """Say that the GPU can't compute in the number format ``maths``, and in which it can."""
        return f"{self.label} has no {maths} arithmetic. It can compute in: {', '.join(self.peak_flops)}."
