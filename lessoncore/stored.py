"""How a checkpoint stores its weights: the number format, and which parts of the model have it."""

from lessoncore.precision import precision
from lessoncore.record import Record

# Fields of architecture.Parameters that can be quantised; norms and routers never are.
MATRICES = ("embedding", "attention", "mlp", "experts", "head")


class Stored(Record):
    """The formats of a checkpoint, as keys of precision.PRECISIONS.

    The parts of ``parts`` are in ``weights``, the others in ``rest``. ``maths`` is the format of the matrix
    products that the checkpoint is made for: "fp8" where the activations are quantised as well. ``kv`` is the
    format that it asks for in the KV cache.
    """

    weights: str = "bf16"
    parts: tuple[str, ...] = MATRICES
    rest: str = "bf16"
    maths: str = "bf16"
    kv: str = "bf16"

    def bytes_per_weight(self, part: str) -> float:
        """Bytes of a weight of one part.

        >>> gpt_oss = Stored(weights="mxfp4", parts=("experts",))
        >>> gpt_oss.bytes_per_weight("experts"), gpt_oss.bytes_per_weight("attention")
        (0.53125, 2.0)
        """
        return precision(self.weights if part in self.parts else self.rest).bytes
