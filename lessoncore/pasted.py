"""A config.json that a reader pasted: cut down to the keys that matter, and packed so that a link can carry it.

What was read is kept by its text, for a page asks with the same text again and again.
"""

from functools import lru_cache
from typing import Any

from lessoncore.architecture import Architecture
from lessoncore.errors import LessonError
from lessoncore.units import show, whole

MOST_CHARACTERS = 500_000
# A link of GitHub Pages may have about 8,000 characters, and may carry other set-ups too.
MOST_PACKED = 2_000
_CUT = "config.json: a JSON object is needed, or what a link of this page carries; the link may have been cut."
_MARK = "z"  # a packed text begins so, JSON never does
TOO_LONG = "It is too long for a link, so the address leaves it out."
LABEL = "your config.json"


class _Read(dict[str, Any]):
    """A JSON object that remembers which of its keys were asked for."""

    def __init__(self, values: dict[str, Any], seen: set[str] | None = None) -> None:
        super().__init__({key: _watched(value) for key, value in values.items()})
        self.seen: set[str] = set() if seen is None else seen

    def __getitem__(self, key: str) -> Any:
        self.seen.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.seen.add(str(key))
        return super().__contains__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key, which from now on matters."""
        self.seen.add(key)
        return super().get(key, default)

    def values(self) -> Any:
        """All values: all keys matter."""
        self.seen.update(self)
        return super().values()

    def items(self) -> Any:
        """All entries: all keys matter."""
        self.seen.update(self)
        return super().items()

    def copy(self) -> "_Read":
        """The same entries, with one memory of what was asked for."""
        copy = _Read({}, self.seen)
        dict.update(copy, dict.items(self))
        return copy

    def kept(self) -> dict[str, Any]:
        """What was asked for."""
        return {key: _kept(value) for key, value in dict.items(self) if key in self.seen}


def _watched(value: Any) -> Any:
    if isinstance(value, dict):
        return _Read(value)
    return [_watched(one) for one in value] if isinstance(value, list) else value


def _kept(value: Any) -> Any:
    if isinstance(value, _Read):
        return value.kept()
    return [_kept(one) for one in value] if isinstance(value, list) else value


@lru_cache(maxsize=8)
def shortened(text: str) -> str:
    """The keys of a config.json that its model is computed from, as JSON in one line; LessonError says what is wrong.

    A packed one, from an address, is unpacked first.

    >>> shortened('''{"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "bos_token_id": 1,
    ...     "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 32000}''')  # doctest: +ELLIPSIS
    '{"hidden_size":4096,"intermediate_size":11008,...,"vocab_size":32000}'
    """
    import json

    from lessoncore.config_json import parse

    if text.startswith(_MARK):
        text = _unpacked(text)
    if len(text) > MOST_CHARACTERS:
        raise LessonError(f"config.json: up to {whole(MOST_CHARACTERS)} characters are read; this has more.")
    values = _Read(parse(text))
    model = _architecture(values)
    short = _line(values.kept())
    # What is kept gives the same model, or all is kept.
    return short if _architecture(json.loads(short)) == model else _line(values)


def _line(values: dict[str, Any]) -> str:
    import json

    try:
        return json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise LessonError("config.json: a number in it is too large.") from None


@lru_cache(maxsize=8)
def architecture(short: str) -> Architecture:
    """The model of a config.json."""
    from lessoncore.config_json import parse

    return _architecture(parse(short))


def _architecture(values: dict[str, Any]) -> Architecture:
    from lessoncore.huggingface import architecture_from_keys

    return architecture_from_keys(values, key="pasted", label=LABEL, source="the pasted config.json")


@lru_cache(maxsize=8)
def packed(short: str) -> str:
    """A config.json as letters, digits, - and _, for an address; nothing where it gets too long.

    >>> packed("{}"), _unpacked(packed("{}"))
    ('zq64FAA', '{}')
    """
    import zlib
    from base64 import urlsafe_b64encode

    squeezer = zlib.compressobj(9, wbits=-15)
    text = urlsafe_b64encode(squeezer.compress(short.encode()) + squeezer.flush()).decode().rstrip("=")
    return _MARK + text if len(text) < MOST_PACKED else ""


def _unpacked(text: str) -> str:
    import zlib
    from base64 import urlsafe_b64decode

    try:
        squeezed = urlsafe_b64decode(text[1:] + "=" * (-len(text[1:]) % 4))
        # Not a byte more than is read, whatever the address claims to hold.
        text = (unpacker := zlib.decompressobj(wbits=-15)).decompress(squeezed, MOST_CHARACTERS + 1).decode()
    except (ValueError, zlib.error):
        raise LessonError(_CUT) from None
    if not unpacker.eof and len(text) <= MOST_CHARACTERS:
        raise LessonError(_CUT)
    return text


def written(short: str) -> str:
    """A shortened config.json, a key in each line, for reading and changing."""
    import json

    values = json.loads(short)
    lines = (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in values.items())
    return "{\n" + ",\n".join(lines) + "\n}"


_UNSAID = (
    "it says of no other format; if a file hf_quant_config.json lies beside it, as with NVIDIA’s FP8 and NVFP4 "
    "checkpoints, choose the format of the weights that is named there"
)


def name(short: str) -> str:
    """What to call the model of a config.json, which has no name of its own: its type and its size."""
    import json

    kind = json.loads(short)
    named = (kind.get("text_config") or kind).get("model_type") or kind.get("model_type") or "llama"
    return f"{named}, {show(architecture(short).parameters.total, 'parameters')}"


def about(short: str) -> str:
    """What was read, in a line."""
    import json

    model, kind = architecture(short), json.loads(short)
    total, active = model.parameters.total, model.active_parameters.total
    words = [f"Read: {name(short)} parameters"]
    if active != total:
        words.append(f"{show(active, 'parameters')} active")
    words.append(f"{model.layers} layers")
    named = any("quantization_config" in of for of in (kind, kind.get("text_config") or {}))
    words.append(f"checkpoint in {model.stored.weights}" + ("" if named else f" ({_UNSAID})"))
    if model.left_out:
        words.append(f"not counted: {model.left_out}")
    said = ", ".join(words) + "."
    return f"{said} Not in it, so the library's default: {model.defaulted}." if model.defaulted else said
