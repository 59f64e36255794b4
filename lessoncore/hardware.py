"""What a GPU can do: arithmetic, memory and links, as its datasheet and its driver state them."""

from datetime import date

from lessoncore.errors import LessonError
from lessoncore.record import Record
from lessoncore.units import MIB


class Gpu(Record):
    """One accelerator. Rates are dense (never "with sparsity"), per second and in SI units.

    ``driver_mib`` is the memory that the driver reports, which is what software can allocate from; the
    round number of gigabytes in its name isn't. ``vector_flops`` is the fp32 rate of the ordinary arithmetic
    units, beside the matrix units (0: not known). ``link_bandwidth`` counts one direction. ``tdp_w`` is the
    power limit of the board. Prices are US dollars an hour for one GPU, as found in ``price_month``. ``link``
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
    tdp_w: float = 0.0
    price_low: float = 0.0
    price_high: float = 0.0
    price_month: str = ""
    price_source: str = ""
    note: str = ""

    @property
    def memory_bytes(self) -> float:
        """Bytes that the driver reports."""
        return self.driver_mib * MIB

    def peak(self, maths: str) -> float:
        """Peak dense FLOP/s in the number format ``maths``; LessonError where the GPU has none of it."""
        if maths not in self.peak_flops:
            raise LessonError(self.without(maths))
        return self.peak_flops[maths]

    def without(self, maths: str) -> str:
        """Say that the GPU can't compute in the number format ``maths``, and in which it can."""
        return f"{self.label} has no {maths} arithmetic. It can compute in: {', '.join(self.peak_flops)}."
