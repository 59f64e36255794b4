"""Number formats: how many bytes a number takes, and in which format the arithmetic runs."""

from lessoncore.errors import unknown
from lessoncore.record import Record


class Precision(Record):
    """A number format. ``bits`` are the bits of one number; ``group_scale_bits`` what its scale adds to each."""

    key: str
    label: str
    bits: float
    group_scale_bits: float = 0.0

    @property
    def bytes(self) -> float:
        """Bytes of one number, its share of a group's scale included.

        >>> PRECISIONS["bf16"].bytes, PRECISIONS["int4-g32"].bytes
        (2.0, 0.5625)
        """
        return (self.bits + self.group_scale_bits) / 8


# Group scales: one fp16 scale for each group of weights, as GPTQ and AWQ store them
# (group 128: arXiv 2306.00978, section 4; group 32: llama.cpp's Q4_0 block). mxfp4 has an 8-bit scale for each 32
# weights (OCP Microscaling Formats 1.0, section 5), nvfp4 one for each 16 (NVIDIA, "Introducing NVFP4").
PRECISIONS: dict[str, Precision] = {
    p.key: p
    for p in (
        Precision("fp32", "fp32", 32),
        Precision("bf16", "bf16", 16),
        Precision("fp8", "fp8", 8),
        Precision("int8", "int8", 8),
        Precision("fp4", "fp4", 4),
        Precision("int4", "int4", 4),
        Precision("int4-g128", "int4, group 128", 4, 16 / 128),
        Precision("int4-g64", "int4, group 64", 4, 16 / 64),
        Precision("int4-g32", "int4, group 32", 4, 16 / 32),
        Precision("mxfp4", "mxfp4", 4, 8 / 32),
        Precision("nvfp4", "nvfp4", 4, 8 / 16),
    )
}


def precision(key: str) -> Precision:
    """Find a number format by its key.

    >>> precision("fp8").bytes
    1.0
    """
    if key not in PRECISIONS:
        raise unknown("precision", key, list(PRECISIONS))
    return PRECISIONS[key]
