"""The page's scenario and its figures as files: JSON, CSV, Markdown, and Python that gives the same numbers.

Numbers are written in SI units with all their digits, so that each file read again has the same values.
"""

import csv
import io
import json
from functools import lru_cache
from typing import Any, NamedTuple

from lessoncore import __version__
from lessoncore.errors import LessonError, closest
from lessoncore.estimate import Estimate
from lessoncore.figures import FIGURES
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS, Pasted
from lessoncore.pasted import name

FORMAT = "lessoncore-scenario"
VERSION = 1
LONGEST = 200_000
# The figures that are exported: all but those of the simulated queue and of training, which have pages of their own.
KEYS = (
    *("ttft", "tpot", "total", "decode_share", "prefill_flops", "prefill_bytes", "prefill_intensity"),
    *("decode_flops", "decode_bytes", "decode_intensity", "ridge", "crossover", "weight_bytes", "weights_per_gpu"),
    *("kv_per_token", "kv_bytes", "memory_used", "memory", "kv_budget", "kv_tokens", "largest_batch"),
    *("longest_context", "user_tokens_per_s", "tokens_per_s", "gpu_tokens_per_s", "throughput", "price"),
    *("input_cost", "output_cost", "request_cost"),
)


class Row(NamedTuple):
    """A figure: its value in ``unit``, None where no source gives it, and as a reader sees it."""

    key: str
    label: str
    value: float | None
    unit: str
    shown: str


def rows(page: Page) -> list[Row]:
    """The figures of the page's present scenario."""
    return _rows(page.estimate())


@lru_cache(maxsize=1)  # each way of writing them asks for the same
def _rows(e: Estimate) -> list[Row]:
    out = []
    for key in KEYS:
        figure = FIGURES[key]
        quantity = figure.of(e)
        value, unit = (None, "") if quantity is None else (quantity.value, quantity.meaning.unit)
        out.append(Row(key, figure.label, value, unit, str(figure.shown(e))))
    return out


def scenario(page: Page) -> dict[str, Any]:
    """The present scenario by parameter; without the model that a pasted one is served instead of."""
    pasted = [p.instead for p in PARAMETERS.values() if isinstance(p, Pasted) and getattr(page.scenario, p.key)]
    return {key: getattr(page.scenario, key) for key in PARAMETERS if key not in pasted}


def _scenario_rows(page: Page) -> list[tuple[str, str, Any]]:
    return [(key, _label(key, value), value) for key, value in scenario(page).items()]


def _label(key: str, value: Any) -> str:
    label = PARAMETERS[key].label
    return f"{label} ({name(value)})" if key == "config" and value else label


# Writing.


def as_json(page: Page) -> str:
    """The scenario and its figures, to be read in again."""
    figures = {row.key: {"label": row.label, "value": row.value, "unit": row.unit} for row in rows(page)}
    content: dict[str, Any] = {"format": FORMAT, "version": VERSION, "lessoncore": __version__}
    content |= {"scenario": scenario(page), "figures": figures}
    if page.code_in_force:
        content["code"] = page.code
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def as_csv(page: Page) -> str:
    """A row for each parameter and each figure: kind, key, label, value, unit."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(("kind", "key", "label", "value", "unit"))
    for key, label, value in _scenario_rows(page):
        table.writerow(("parameter", key, label, _plain(value), _unit(key)))
    for row in rows(page):
        table.writerow(("figure", row.key, row.label, _plain(row.value), row.unit))
    return out.getvalue()


def as_markdown(page: Page) -> str:
    """Two tables: the scenario, and the figures as they are shown and in SI units."""
    lines = ["| Parameter | Key | Value |", "|---|---|---|"]
    lines += [f"| {_cell(label)} | {key} | {_cell(_plain(value))} |" for key, label, value in _scenario_rows(page)]
    lines += ["", "| Figure | Key | Shown | Value | Unit |", "|---|---|---:|---:|---|"]
    lines += [
        f"| {_cell(row.label)} | {row.key} | {_cell(row.shown)} | {_plain(row.value)} | {row.unit} |"
        for row in rows(page)
    ]
    return "\n".join(lines) + "\n"


def as_python(page: Page) -> str:
    """Python that prints the same figures, with nothing but the wheel of lessoncore."""
    given = "".join(f"    {key}={value!r},\n" for key, value in scenario(page).items())
    assumed, imports = "", ""
    if page.code_in_force:
        imports = "from lessoncore.reader_code import written\n"
        assumed = f", written({page.code!r}, scenario.assumptions).assumptions"
    keys = "".join(f'    "{key}",\n' for key in KEYS)
    return (
        f"# Python 3.13, with the wheel: pip install ./{wheel_name()}\n"
        "from lessoncore.estimate import estimate\n"
        "from lessoncore.figures import FIGURES\n"
        f"{imports}"
        "from lessoncore.scenario import Scenario\n\n"
        f"scenario = Scenario(\n{given})\n"
        f"e = estimate(scenario{assumed})\n"
        f"keys = [\n{keys}]\n"
        "for key in keys:\n"
        "    quantity = FIGURES[key].of(e)\n"
        "    print(key, quantity and quantity.value, quantity and quantity.meaning.unit)\n"
    )


def wheel_name() -> str:
    """The file that the site offers for download.

    >>> wheel_name().startswith("lessoncore-")
    True
    """
    return f"lessoncore-{__version__}-py3-none-any.whl"


def _plain(value: Any) -> str:
    """A value as text from which the same value can be read."""
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)


def _unit(key: str) -> str:
    return str(getattr(PARAMETERS[key], "unit", ""))


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")


WRITERS = {"json": as_json, "csv": as_csv, "markdown": as_markdown, "python": as_python}


# Reading.


class Read(NamedTuple):
    """A file that was read: the parameters that it sets, its figures, and code that isn't run by itself."""

    changes: dict[str, Any]
    figures: dict[str, float | None]
    code: str
    version: str


def read_json(text: str) -> Read:
    """Read what as_json wrote; LessonError says what is wrong with it.

    >>> read_json('{"format": "lessoncore-scenario", "version": 1, "scenario": {"gpus": 2}}').changes
    {'gpus': 2}
    """
    if len(text) > LONGEST:
        raise LessonError(f"at most {LONGEST:,} characters are possible, but there are {len(text):,}.")
    try:
        content = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise LessonError(f"that isn’t JSON: {str(error)[:120]}.") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise LessonError(f'an export of this page is needed: an object with "format": "{FORMAT}".')
    if type(content.get("version")) is not int or content["version"] != VERSION:
        raise LessonError(
            f"version {VERSION} of the format is read here, but the file has {_shown(content.get('version'))}."
        )
    _known(content, ["format", "version", "lessoncore", "scenario", "figures", "code"], "key")
    code = content.get("code", "")
    if not isinstance(code, str):
        raise LessonError("'code' must be text.")
    figures = _figures(content.get("figures", {}))
    return Read(_changes(content.get("scenario")), figures, code, str(content.get("lessoncore", ""))[:20])


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _shown(value: Any) -> str:
    return "none" if value is None else repr(value)[:40]


def _known(given: dict[str, Any], known: list[str], what: str) -> None:
    for key in given:
        if key not in known:
            raise LessonError(f"unknown {what} '{key[:40]}'.{closest(key[:40], known)} Known: {', '.join(known)}.")


def _changes(given: Any) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise LessonError("'scenario' must be an object with the parameters.")
    _known(given, list(PARAMETERS), "parameter")
    if not given:
        raise LessonError("'scenario' has no parameter.")
    return {key: PARAMETERS[key].check(value) for key, value in given.items()}


def _figures(given: Any) -> dict[str, float | None]:
    if not isinstance(given, dict):
        raise LessonError("'figures' must be an object.")
    found: dict[str, float | None] = {}
    for key, figure in given.items():
        value = figure.get("value") if isinstance(figure, dict) else ""
        if key not in FIGURES or isinstance(value, bool) or not (value is None or isinstance(value, int | float)):
            raise LessonError(f"'figures' has '{key[:40]}', which is no figure with a value.")
        found[key] = value
    return found


def different(read: Read, page: Page) -> list[str]:
    """The figures of a file that aren't what this page computes for its scenario, by their labels."""
    e = page.estimate(read.changes, own=True)
    labels = []
    for key, value in read.figures.items():
        quantity = FIGURES[key].of(e) if key in KEYS else None
        if key in KEYS and not _same(value, quantity.value if quantity else None):
            labels.append(FIGURES[key].label)
    return labels


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other))
