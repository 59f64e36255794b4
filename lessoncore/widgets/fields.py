"""What an author may write in a widget: the types of its fields, each with its check and its words.

A check returns the value as the widget uses it or raises LessonError. ``allowed`` and ``example`` go into the
message, so that a mistake is answered with what would have been right.
"""

import re
from collections.abc import Callable
from typing import Any

from lessoncore import conditions
from lessoncore.declaration import FieldType, check_fields
from lessoncore.drills import NAMES as DRILL_NAMES
from lessoncore.drills import drill
from lessoncore.errors import LessonError
from lessoncore.figures import FIGURES, figure
from lessoncore.parameters import PARAMETERS, Count, parameter
from lessoncore.pictures import NAMES, picture
from lessoncore.plain import PLAIN
from lessoncore.precision import PRECISIONS
from lessoncore.scenario import Scenario
from lessoncore.units import SCALES
from lessoncore.views.markup import is_page_address

# A figure in a caption: its name between two braces.
LIVE_NUMBER = r"\{\{ *(\w+) *\}\}"


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise LessonError(f"text is needed, but {_shown(value)} was given.")
    if len(value) > 600:
        raise LessonError(f"at most 600 characters are possible, but there are {len(value)}.")
    return value.strip()


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e15:
        raise LessonError(f"a number is needed, but {_shown(value)} was given.")
    return value


def _shown(value: Any) -> str:
    return repr(value)[:60]


def _list_of(one: Callable[[Any], Any], most: int, least: int = 1) -> Callable[[Any], list[Any]]:
    def check(value: Any) -> list[Any]:
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise LessonError(f"a list of {least} to {most} is needed, but {_shown(value)} was given.")
        if len({str(v) for v in value}) < len(value):
            raise LessonError(f"each may stand in the list once, but {_shown(value)} was given.")
        return [one(v) for v in value]

    return check


def _parameter_name(value: Any) -> str:
    return parameter(value if isinstance(value, str) else str(value)).key


def _scenario(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise LessonError(f"a mapping of parameters is needed, but {_shown(value)} was given.")
    for key, one in value.items():
        parameter(str(key)).check(one)
    Scenario().but(**value)  # what only the combination can get wrong
    return value


def _conditions(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not value:
        raise LessonError(f"a mapping of figures to conditions is needed, but {_shown(value)} was given.")
    conditions.check(value)
    return {str(key): str(one) for key, one in value.items()}


def _offered(value: Any) -> dict[str, list[str]]:
    if not isinstance(value, dict):
        raise LessonError(f"a mapping of parameters to options is needed, but {_shown(value)} was given.")
    return {_parameter_name(key): _list_of(parameter(key).check, 12)(options) for key, options in value.items()}


def mapping(may: dict[str, FieldType] | None = None, **types: FieldType) -> Callable[[Any], dict[str, Any]]:
    """A check for a mapping with all of these keys; those in ``may`` can be left out."""
    known = types | (may or {})

    def check(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise LessonError(f"a mapping with {', '.join(types)} is needed, but {_shown(value)} was given.")
        for key in value:
            if key not in known:
                raise LessonError(f"unknown key '{str(key)[:40]}'. Known: {', '.join(known)}.")
        for key in types:
            if key not in value:
                raise LessonError(f"the key '{key}' is missing. Needed: {', '.join(types)}.")
        return {key: _named(key, one, value[key]) for key, one in known.items() if key in value}

    return check


def _named(key: str, one: FieldType, value: Any) -> Any:
    try:
        return one.check(value)
    except LessonError as error:
        raise LessonError(f"{key}: {error}") from None


def _one_of(*options: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if value not in options:
            raise LessonError(f"one of {', '.join(options)} is needed, but {_shown(value)} was given.")
        return str(value)

    return check


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 100:
        raise LessonError(f"a whole number from 1 to 100 is needed, but {_shown(value)} was given.")
    return value


def _only_yes(value: Any) -> bool:
    if value is not True:
        raise LessonError(f"only 'true' is possible, but {_shown(value)} was given.")
    return True


def _picture(value: Any) -> dict[str, Any]:
    """A picture by its name, or as a mapping with its kind and its parameters; gives the live part's specification."""
    given = dict(value) if isinstance(value, dict) else {"kind": value}
    kind = picture(given.pop("kind", None))
    values, problems = check_fields(kind.fields, given)
    if problems:
        raise LessonError(" ".join(problem.message for problem in problems))
    return {"picture": kind.name, **values}


def _caption(value: Any) -> str:
    text = _text(value)
    for name in re.findall(LIVE_NUMBER, text):
        figure(name)
    if "{{" in re.sub(LIVE_NUMBER, "", text):
        raise LessonError("a figure in a caption is written {{ name }}, without options.")
    return text


def _list_or_one(one: Callable[[Any], Any], most: int) -> Callable[[Any], list[Any]]:
    """A list, or one alone without brackets."""
    several = _list_of(one, most)
    return lambda value: several(value if isinstance(value, list) else [value])


def _count_name(value: Any) -> str:
    p = parameter(value if isinstance(value, str) else str(value))
    if not isinstance(p, Count):
        raise LessonError(f"{p.label} isn't a number.")
    return p.key


def _range(value: Any) -> list[float]:
    if not isinstance(value, list) or len(value) != 2:
        raise LessonError(f"a list of two numbers is needed, but {_shown(value)} was given.")
    low, high = _number(value[0]), _number(value[1])
    if not 0 <= low < high:
        raise LessonError(f"the first must be below the second and not negative, but {_shown(value)} was given.")
    return [low, high]


def _page_address(value: Any) -> str:
    if not isinstance(value, str) or not is_page_address(value):
        raise LessonError(f"the address of a page of the site is needed, but {_shown(value)} was given.")
    return value


def _yes(value: Any) -> bool:
    if not isinstance(value, bool):
        raise LessonError(f"true or false is needed, but {_shown(value)} was given.")
    return value


def some_of(*options: str) -> FieldType:
    """A list of some of a few words, or one of them."""
    one = _one_of(*options)
    return FieldType(
        _list_or_one(one, len(options)), f"a list of some of {', '.join(options)}", f"[{', '.join(options[:2])}]"
    )


def pick(*options: str) -> FieldType:
    """One of a few words."""
    return FieldType(_one_of(*options), f"one of {', '.join(options)}", options[0])


TEXT = FieldType(_text, "text of up to 600 characters", "Double the prompt.")
NUMBER = FieldType(_number, "a number", "40")
UNIT = FieldType(lambda value: "" if value == "" else _text(value), 'a unit, or "" for a count', "ms")
FIGURE = FieldType(lambda v: figure(v).key, f"one of {', '.join(FIGURES)}", "decode_share")
FIGURES_UP_TO_4 = FieldType(
    _list_of(FIGURE.check, 4), f"a list of up to four of {', '.join(FIGURES)}", "[ttft, tpot, total]"
)
PAGE_ADDRESS = FieldType(_page_address, "a page's address as the built page links to it", "../steps/18-playground.html")
YES_OR_NO = FieldType(_yes, "true or false", "true")
COUNTS = [key for key, p in PARAMETERS.items() if isinstance(p, Count)]
COUNT = FieldType(_count_name, f"one of {', '.join(COUNTS)}", "prompt")
RANGE = FieldType(_range, "a list of the lowest and the highest value", "[1, 32000]")
MATHS = some_of(*(key for key in PRECISIONS if key in ("bf16", "fp8", "int8", "fp4")))
_UNITS = [name for scales in SCALES.values() for _, name in scales if name]
UNIT_SCALE = pick(*dict.fromkeys(_UNITS))
CONTROLS = FieldType(
    _list_of(_parameter_name, 3), f"a list of up to three of {', '.join(PARAMETERS)}", "[prompt, output]"
)
CONTROLS_UP_TO_6 = FieldType(
    _list_of(_parameter_name, 6), f"a list of up to six of {', '.join(PARAMETERS)}", "[gpu, model, prompt]"
)
OFFERED = FieldType(_offered, "a mapping of parameters to a list of their options", "{weights: [bf16, fp8, int4]}")
PLAIN_FORMULAS = FieldType(
    _list_of(_one_of(*PLAIN), len(PLAIN)), f"a list of some of {', '.join(PLAIN)}", "[prefill_flops, training_memory]"
)
PARAMETER = FieldType(_parameter_name, f"one of {', '.join(PARAMETERS)}", "batch")
SCENARIO = FieldType(
    _scenario,
    f"a mapping of some of {', '.join(PARAMETERS)} to a value",
    "{gpu: h100-sxm, model: llama-3.1-8b, prompt: 2000, output: 500}",
)
CONDITIONS = FieldType(
    _conditions, "a mapping of figures to conditions with <, <=, =, >= or >", '{total: "< 1 s", prompt: "= 2000"}'
)
SLIDER = FieldType(
    mapping(min=NUMBER, max=NUMBER, start=NUMBER, unit=UNIT),
    "a mapping with min, max, start and unit",
    '{min: 0, max: 100, start: 40, unit: "%"}',
)
GAPS = FieldType(
    _list_of(mapping(when=pick("less", "more"), say=TEXT), 2),
    "a list of up to two mappings with when (less or more) and say",
    "[{when: less, say: You counted the answer as free.}]",
)
CHOICES = FieldType(
    _list_of(
        mapping(text=TEXT, may={"right": FieldType(_only_yes, "true", "true"), "say": TEXT, "when": CONDITIONS}),
        most=4,
        least=2,
    ),
    "a list of 2 to 4 mappings with text, one of them with right: true and each of the others with say; when holds "
    "the condition that makes it right",
    '[{text: Writing., right: true, when: {decode_share: "> 50 %"}}, {text: Reading., say: It takes a single pass.}]',
)
WHOLE = FieldType(_whole, "a whole number from 1 to 100", "5")
DRILLS = FieldType(
    _list_of(lambda value: drill(value).name, len(DRILL_NAMES)),
    f"a list of some of {', '.join(DRILL_NAMES)}",
    "[decode-limit]",
)
TASKS = FieldType(
    _list_of(mapping(text=TEXT, when=CONDITIONS, done=TEXT), 3),
    "a list of up to three mappings with text, when and done",
    '[{text: Double the prompt., when: {prompt: ">= 4000"}, done: The total hardly moves.}]',
)
FIGURES_UP_TO_8 = FieldType(
    _list_of(FIGURE.check, 8), f"a list of up to eight of {', '.join(FIGURES)}", "[tpot, tokens_per_s]"
)
SOME_FIGURES = FieldType(
    _list_of(FIGURE.check, len(FIGURES)), f"a list of some of {', '.join(FIGURES)}", "[ttft, ridge]"
)
FIGURES_UP_TO_12 = FieldType(
    _list_of(FIGURE.check, 12), f"a list of up to twelve of {', '.join(FIGURES)}", "[ttft, tpot, output_cost]"
)
FIGURES_UP_TO_40 = FieldType(
    _list_of(FIGURE.check, 40), f"a list of up to forty of {', '.join(FIGURES)}", "[decode_share, largest_batch]"
)
GROUPS = FieldType(
    _list_of(mapping(label=TEXT, controls=CONTROLS_UP_TO_6), 8),
    "a list of up to eight mappings with label and controls",
    "[{label: GPUs, controls: [gpus, replicas]}]",
)
_variant = mapping(None, **{"label": TEXT, "with": SCENARIO})
VARIANT = FieldType(
    _variant,
    "a mapping with label and with: what is changed in the page's scenario ({} for nothing)",
    "{label: fp8 weights, with: {weights: fp8}}",
)
VARIANTS = FieldType(
    _list_of(_variant, 5),
    "a list of up to five mappings with label and with",
    "[{label: bf16, with: {weights: bf16}}, {label: fp8, with: {weights: fp8}}]",
)
CAPTION = FieldType(
    _caption,
    "text of up to 600 characters, with figures as {{ name }}",
    "Reading {{ weight_bytes }} takes all the time.",
)


def up_to_two_of(*options: str) -> FieldType:
    """One of a few words, or a list of two."""
    words = _list_of(_one_of(*options), 2)
    return FieldType(
        lambda value: words(value if isinstance(value, list) else [value]),
        f"one of {', '.join(options)}, or a list of two of them",
        options[0],
    )


LIMIT = FieldType(mapping(at=TEXT, label=TEXT), "a mapping with at and label", "{at: 500 ms, label: SLO}")
PICTURE = FieldType(
    _picture,
    f"one of {', '.join(NAMES)}, or a mapping with kind and that picture's parameters",
    "timeline",
)
TITLED = FieldType(
    _list_of(mapping(title=TEXT, picture=PICTURE), 6),
    "a list of up to six mappings with title and picture",
    "[{title: Memory, picture: tank}]",
)
