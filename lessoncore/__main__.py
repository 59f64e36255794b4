"""The estimate on the command line: ``python -m lessoncore --gpu h100-sxm --model llama-3.1-8b --prompt 2000``."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from lessoncore import __version__
from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate, estimate
from lessoncore.formula import Quantity
from lessoncore.parameters import PARAMETERS
from lessoncore.scenario import Scenario
from lessoncore.units import show

# Headings and the figures below them, by their names in Estimate.
_SHOWN = {
    "Time": ("ttft_s", "tpot_s", "total_s", "decode_share", "loaded_tpot_s"),
    "Limits": ("ridge", "crossover", "crossover_by_datasheet"),
    "Rates": ("user_tokens_per_s", "tokens_per_s", "gpu_tokens_per_s", "requests_per_s", "throughput"),
    "Memory": (
        "weight_bytes",
        "kv_bytes_per_token",
        "memory_used",
        "kv_budget",
        "kv_tokens",
        "largest_batch",
        "longest_context",
    ),
    "Price": ("price", "input_cost", "output_cost", "request_cost", "fleet_price", "input_energy", "output_energy"),
}
# A config.json is given as a file.
_OPTIONS = {key: p for key, p in PARAMETERS.items() if key != "config"}
_BINARY = {"weight_bytes", "memory_used", "kv_budget"}


class _Parser(ArgumentParser):
    """An ArgumentParser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        raise LessonError(message)


def main(arguments: list[str] | None = None) -> int:
    """Print an estimate; return 2 after a line on what is wrong with the input."""
    try:
        given = _parser().parse_args(arguments)
        e = estimate(_scenario(given))
        print(_as_json(e) if given.json else "\n".join(_as_text(e, given.why)))
    except LessonError as error:
        print(f"lessoncore: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read the output, such as head, has seen enough
        sys.stderr.close()
    return 0


def _parser() -> ArgumentParser:
    parser = _Parser(prog="python -m lessoncore", description="What a token costs: an estimate of LLM inference.")
    parser.add_argument("--version", action="version", version=__version__)
    for p in _OPTIONS.values():
        parser.add_argument(f"--{p.key}", metavar="…", help=f"{p.help} Possible: {p.allowed()}.".replace("%", "%%"))
    parser.add_argument("--config", metavar="FILE", help="a Hugging Face config.json instead of --model")
    parser.add_argument("--why", action="store_true", help="show how each figure comes about")
    parser.add_argument("--json", action="store_true", help="print JSON, in SI units")
    return parser


def _scenario(given: Namespace) -> Scenario:
    changes: dict[str, Any] = {
        key: p.parse(text) for key, p in _OPTIONS.items() if (text := getattr(given, key)) is not None
    }
    if given.config:
        if "model" in changes:
            raise LessonError("--model and --config can't both be given.")
        changes["model"] = _model(Path(given.config))
    return Scenario(**changes)


def _model(path: Path) -> Any:
    from lessoncore.huggingface import architecture_from_config

    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise LessonError(f"--config: can't read {path}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise LessonError(f"--config: {path} isn't text.") from None
    return architecture_from_config(text, key="config", label=path.name)


def _figures(e: Estimate) -> Iterator[tuple[str, str, Quantity]]:
    for heading, names in _SHOWN.items():
        for name in names:
            q = getattr(e, name)
            if q is not None:
                yield heading, name, q


def _as_text(e: Estimate, why: bool) -> Iterator[str]:
    s = e.scenario
    yield (
        f"{e.scenario.architecture.label} on {s.gpus} × {s.hardware.label}, {PARAMETERS['weights'].text(s.weights)} "  # type: ignore[arg-type]
        f"weights, {s.maths} maths, {s.kv} KV cache"
    )
    yield (
        f"{s.prompt:,} tokens in ({s.cached:,} cached), {s.output:,} out, {s.batch:,} at once; "
        f"{e.assumptions.label} assumptions"
    )
    last = ""
    for heading, name, q in _figures(e):
        if heading != last:
            yield f"\n{heading}"
            last = heading
        also = f"  = {show(q.value / 2**30, 'GiB')}" if name in _BINARY else ""
        yield f"  {q.meaning.words:60} {q.text()}{also}"
        if why:
            yield from (f"      {line}" for line in _derivation(q))
    yield f"\nPrefill is {e.prefill.bound_words}, decode is {e.decode.bound_words}."
    if e.fits:
        yield "It fits."
    yield from e.advice()


def _derivation(q: Quantity) -> Iterator[str]:
    for step in q.steps():
        assert step.function
        template: str = step.function.template  # type: ignore[attr-defined]
        values = template.format(**{name: i.text() for name, i in step.inputs.items()})
        letters = template.format(**{name: i.meaning.letter for name, i in step.inputs.items()})
        yield f"{step.meaning.letter} = {letters} = {values} = {step.text()}"
    for given in {(i.symbol, i.value): i for i in q.givens()}.values():
        yield f"{given.meaning.letter}: {given.meaning.words}, {given.text()} ({given.source})"


def _as_json(e: Estimate) -> str:
    s = e.scenario
    scenario = {
        key: getattr(s, key) if isinstance(getattr(s, key), (str, int, float)) else s.architecture.label
        for key in _OPTIONS
    }
    figures = {name: q.value for _, name, q in _figures(e)}
    bounds = {"prefill_bound": e.prefill.bound, "decode_bound": e.decode.bound, "fits": e.fits, "advice": e.advice()}
    return json.dumps({"scenario": scenario, "figures": figures} | bounds, indent=2)


if __name__ == "__main__":
    sys.exit(main())
