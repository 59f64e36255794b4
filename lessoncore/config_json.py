"""Reading a config.json that anyone may have pasted: typed values, or an error that says what is wrong.

Nothing here knows a model. A value that isn't of its type or range never gets through, and no input may take
long or raise anything but LessonError.
"""

import re
from typing import Any

from lessoncore.errors import LessonError
from lessoncore.units import whole

_MOST_CHARACTERS = 500_000
_MOST_BRACKETS = 10_000
_DEEPEST = 40
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)  # one that isn't closed goes on to the end
_BRACKETS = re.compile(r"[\[{]+|[\]}]+")


def shown(value: object) -> str:
    """A given value in a message, cut short.

    >>> shown(True), shown(None), shown("x" * 99)
    ('true', 'null', '"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…')
    """
    import json

    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        value = value.encode(errors="replace").decode()  # half a surrogate pair can't be shown
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool | None) else repr(value)
    return text if len(text) <= 40 else f"{text[:38]}…"


def parse(text: object) -> dict[str, Any]:
    """Parse the text of a config.json; LessonError for anything but a JSON object of reasonable size.

    >>> parse('{"model_type": "llama"}')
    {'model_type': 'llama'}
    """
    import json

    if not isinstance(text, str):
        raise LessonError(f"config.json: text is needed, but {type(text).__name__} was given.")
    if not text.strip():
        raise LessonError("config.json: a JSON object is needed, but nothing was given.")
    if len(text) > _MOST_CHARACTERS:
        raise LessonError(
            f"config.json: up to {whole(_MOST_CHARACTERS)} characters are read, but {whole(len(text))} were given."
        )
    _refuse_deep(text)
    try:
        value = json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise LessonError(f"config.json: not valid JSON in line {error.lineno}: {error.msg}.") from None
    except (ValueError, RecursionError) as error:
        raise LessonError(f"config.json: not valid JSON: {str(error)[:90]}") from None
    if not isinstance(value, dict):
        raise LessonError(f"config.json: a JSON object is needed, but {shown(value)} was given.")
    _refuse_formats_alone(value)
    return value


# What NVIDIA's ModelOpt calls a format, by how its name begins -> what to choose.
_MODELOPT = {"FP8": "fp8", "NVFP4": "nvfp4", "W4A8": "int4, group 128", "W4A16": "int4, group 128", "INT8": "int8"}


def _refuse_formats_alone(values: dict[str, Any]) -> None:
    """Say what an hf_quant_config.json is: the number formats of a checkpoint, which stands beside its config.json."""
    quantization = values.get("quantization")
    if "model_type" in values or not isinstance(quantization, dict) or "quant_algo" not in quantization:
        return
    algorithm = quantization["quant_algo"]
    named = [ours for name, ours in _MODELOPT.items() if str(algorithm).upper().startswith(name)]
    choose = f", and choose {named[0]} as the format of the weights" if named else ", and choose their format"
    raise LessonError(
        f"this is an hf_quant_config.json: it says how weights are stored ({shown(algorithm)}), but not of which "
        f"model. Paste the config.json that lies beside it{choose}."
    )


def _refuse_deep(text: str) -> None:
    # Counted before the parser sees it: a deep text would use up the stack, in a browser without a way back.
    if text.count("[") + text.count("{") > _MOST_BRACKETS:
        raise LessonError(f"config.json: up to {whole(_MOST_BRACKETS)} lists and objects are read; this has more.")
    depth = 0
    for run in _BRACKETS.findall(_STRING.sub("", text)):
        depth += len(run) if run[0] in "[{" else -len(run)
        if depth > _DEEPEST:
            raise LessonError(f"config.json: up to {_DEEPEST} levels of nesting are read; this has more.")


def _refuse_constant(name: str) -> None:
    raise LessonError(f"config.json: {name} isn't a number that JSON allows.")


class Config:
    """The keys of one config.json, read with their types. ``null`` counts as missing, as in the library.

    ``defaulted`` are the sizes that were missing and taken from the library instead.
    """

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values
        self.model_type = self.text("model_type", "")
        self.defaulted: dict[str, int] = {}

    def has(self, key: str) -> bool:
        """Whether ``key`` is there with a value."""
        return self.values.get(key) is not None

    def get(self, key: str) -> Any:
        """The value of ``key`` as it is, or None."""
        return self.values.get(key)

    def whole(self, key: str, default: int | None = None, low: int = 1, high: int = 10_000_000) -> int:
        """A whole number within a range; where it is missing ``default``, or what the library takes."""
        value = self.get(key)
        if value is None:
            value = self.of_library(key) if default is None else default
        if value is None:
            raise self.missing(key)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise LessonError(
                f"config.json: {key} must be a whole number from {whole(low)} to {whole(high)}, but is {shown(value)}."
            )
        return value

    def of_library(self, key: str) -> int | None:
        """The size that the library takes where ``key`` is missing, if it takes one."""
        from lessoncore.library_defaults import LIBRARY_DEFAULTS  # seldom is a size missing

        size = LIBRARY_DEFAULTS.get(self.model_type, {}).get(key)
        if size is not None:
            self.defaulted[key] = size
        return size

    def whole_of(self, *keys: str) -> int:
        """A whole number that has several names; LessonError when two of them disagree."""
        given = {key: self.whole(key) for key in keys if self.has(key)}
        if len(set(given.values())) > 1:
            raise LessonError(f"config.json: {' and '.join(given)} must be equal, but are {given}.")
        return next(iter(given.values())) if given else self.whole(keys[0])

    def optional(self, key: str, default: int = 0) -> int:
        """A whole number that may be missing, null or 0, which all mean that the model has none of it."""
        return self.whole(key, default, low=0)

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false."""
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise LessonError(f"config.json: {key} must be true or false, but is {shown(value)}.")
        return value

    def text(self, key: str, default: str) -> str:
        """A text."""
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, str):
            raise LessonError(f"config.json: {key} must be a text, but is {shown(value)}.")
        return value

    def each_layer[T: (int, str)](self, key: str, layers: int, allowed: tuple[T, ...]) -> list[T] | None:
        """A list with one of the ``allowed`` values for each layer, or None where it is missing."""
        value = self.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != layers:
            raise LessonError(
                f"config.json: {key} must be a list of {layers}, one for each layer, but is {shown(value)}."
            )
        for entry in value:
            if type(entry) is not type(allowed[0]) or entry not in allowed:
                raise LessonError(
                    f"config.json: {key} may hold {', '.join(map(shown, allowed))}, but holds {shown(entry)}."
                )
        return value

    def indices(self, key: str, layers: int) -> list[int] | None:
        """A list of numbers of layers, or None where it is missing."""
        value = self.get(key)
        if value is None:
            return None
        known = isinstance(value, list) and all(
            isinstance(i, int) and not isinstance(i, bool) and 0 <= i < layers for i in value
        )
        if not known:
            raise LessonError(
                f"config.json: {key} must be a list of layers from 0 to {layers - 1}, but is {shown(value)}."
            )
        return list(value)

    def stated(self, key: str) -> None:
        """Insist that ``key`` is there, if only with null: versions of the library differ in its default."""
        if key not in self.values:
            raise self.missing(key)

    def missing(self, key: str) -> LessonError:
        """The error for a key that is needed."""
        return LessonError(f'config.json: {key} is missing; a model of type "{self.model_type}" needs it.')


def unsupported(why: str) -> LessonError:
    """The error for a model that the formulas don't cover."""
    return LessonError(f"not supported, because {why}.")
