"""Assumptions in Python, as a reader writes them in the page's editor: other efficiencies, and a term of their own.

The code runs only in the browser of whoever typed it, after they pressed Run. It sees ``math`` and the harmless
builtins; names with two underscores are refused, so that it reaches nothing of the page by accident. What it gives
is checked here, and every error names its line.
"""

import ast
import math
from collections.abc import Callable
from copy import replace
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from lessoncore.assumptions import ASSUMPTIONS, Assumptions
from lessoncore.errors import CodeError, closest

LONGEST = 20_000
MOST_PRINTED = 2_000
TERM = "own_term_s"
FILE = "<your code>"
# A pass takes longest with the largest model on the smallest GPU: hours. Beyond is a slip of units.
LONGEST_TERM_S = 3600.0

# What may be assumed: for each term its least and its greatest value.
RANGES: dict[str, tuple[float, float]] = {
    "compute_efficiency": (0.01, 1),
    "attention_efficiency": (0, 1),
    "memory_efficiency": (0.01, 1),
    "overlap": (0, 1),
    "prefill_layer_s": (0, 1),
    "decode_layer_s": (0, 1),
    "unpack_operations": (0, 1000),
    "skips_idle_parameters": (0, 1),
    "tokens_per_pass": (0, 1_000_000),
    "link_efficiency": (0.01, 1),
    "link_latency_s": (0, 1),
    "link_latency_per_gpu_s": (0, 1),
    "pcie_latency_s": (0, 1),
    "pcie_latency_per_gpu_s": (0, 1),
    "usable_share": (0.01, 1),
    "runtime_bytes": (0, 1e12),
    "training_efficiency": (0, 1),
    "training_traffic": (0, 1_000_000),
    "sharding_efficiency": (0, 1),
}
_NARROW = ("fp8", "int8", "fp4")
# What the term of a pass can use.
PASS = (
    *("phase", "tokens", "context", "batch", "gpus", "layers", "hidden_size", "weights", "maths"),
    *("flops", "bytes_moved", "compute_s", "memory_s", "communication_s"),
)
_BUILTINS = (
    *("abs", "all", "any", "bool", "dict", "divmod", "enumerate", "filter", "float", "int", "isinstance", "len"),
    *("list", "map", "max", "min", "pow", "range", "repr", "reversed", "round", "set", "sorted", "str", "sum"),
    *("tuple", "zip", "True", "False", "None", "Exception", "ValueError", "ZeroDivisionError"),
)


class Written:
    """What a reader's code gave: its assumptions, what it printed, and the terms that it changed."""

    def __init__(self, assumptions: Assumptions, printed: list[str], changed: dict[str, tuple[Any, Any]]) -> None:
        self.assumptions = assumptions
        self.printed = printed
        self.changed = changed


def template(base: Assumptions) -> str:
    """The code that the editor begins with: the present values, and a term that adds nothing.

    >>> print(template(ASSUMPTIONS["textbook"]).splitlines()[2])
    compute_efficiency = 0.6
    """
    shown = ("compute_efficiency", "memory_efficiency", "link_latency_s", "usable_share", "runtime_bytes")
    values = "\n".join(f"{name} = {in_code(getattr(base, name))}" for name in shown)
    return (
        "# Shares of the datasheet's rates, seconds and bytes. Change something and press Run.\n"
        "# What isn't named here stays as the page has it.\n"
        f"{values}\n\n"
        f"def {TERM}(p):\n"
        '    # Seconds that are added to each pass; p.phase is "prefill" or "decode".\n'
        "    return 0.0\n"
    )


def in_code(value: float) -> str:
    """A number as people write it in code.

    >>> in_code(2e9), in_code(4e-06), in_code(0.6)
    ('2e9', '4e-6', '0.6')
    """
    mantissa, e, exponent = f"{value:g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa


@lru_cache(maxsize=4)
def written(code: str, base_key: str) -> Written:
    """Run a reader's code on top of a set of assumptions; CodeError says what is wrong, and in which line.

    >>> written("memory_efficiency = 0.9", "textbook").changed
    {'memory_efficiency': (0.8, 0.9)}
    >>> written("memory_eficiency = 0.9", "textbook")
    Traceback (most recent call last):
    lessoncore.errors.CodeError: 'memory_eficiency' isn't an assumption. Did you mean 'memory_efficiency'? A name \
of your own starts with an underscore.
    """
    base = ASSUMPTIONS[base_key]
    tree = _parsed(code)
    lines = _lines_of_names(tree)
    printed: list[str] = []
    space: dict[str, Any] = {"__builtins__": _builtins(printed), "math": math}
    _guarded(lambda: exec(compile(tree, FILE, "exec"), space))  # the reader's own code, in their own browser
    given = {name: value for name, value in space.items() if not name.startswith("_") and name != "math"}
    term = given.pop(TERM, None)
    changes = {name: _checked(name, value, base, lines.get(name, 0)) for name, value in given.items()}
    if term is not None and not callable(term):
        raise CodeError(f"{TERM} must be a function of one pass: def {TERM}(p): …", lines.get(TERM, 0))
    changed = {n: (getattr(base, n), value) for n, value in changes.items() if value != getattr(base, n)}
    why = {name: words for name, words in base.why.items() if name not in changed}
    assumptions = replace(
        base,
        **changes,
        label=f"{base.label}, changed by you",
        source=f"{base.source}, with what your code changes",
        why=why | dict.fromkeys(changed, "set in your code"),
        own_term_s=_term(term, lines.get(TERM, 0)) if term else None,
    )
    return Written(assumptions, printed, changed)


def _parsed(code: str) -> ast.Module:
    if len(code) > LONGEST:
        raise CodeError(f"at most {LONGEST:,} characters are possible, but there are {len(code):,}.", 0)
    try:
        tree = ast.parse(code, FILE)
    except SyntaxError as error:
        raise CodeError(f"that isn't Python: {error.msg}.", error.lineno or 0) from None
    except (ValueError, RecursionError, MemoryError) as error:  # a null character; brackets in brackets in brackets
        raise CodeError(f"that isn't Python: {str(error) or 'it is nested too deeply'}.", 0) from None
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        name = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "name", None)
        if isinstance(name, str) and name.startswith("__"):
            raise CodeError(f"names with two underscores, such as {name[:40]}, can't be used here.", line)
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names]
            if isinstance(node, ast.ImportFrom) or names != ["math"] or node.names[0].asname:
                raise CodeError("only 'import math' is possible, and it is there already.", line)
        if isinstance(node, ast.Global | ast.AsyncFunctionDef | ast.Await | ast.ClassDef):
            raise CodeError("assumptions need no classes, global statements or async code.", line)
    return tree


def _lines_of_names(tree: ast.Module) -> dict[str, int]:
    """The line in which each name of the module was given its value last."""
    lines: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            lines[node.name] = node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            lines[node.id] = max(node.lineno, lines.get(node.id, 0))
    return lines


def _builtins(printed: list[str]) -> dict[str, Any]:
    import builtins

    def tell(*values: object, sep: str = " ", end: str = "\n") -> None:
        room = MOST_PRINTED - sum(map(len, printed))
        if room > 0:
            printed.append(_whole_text(str(sep).join(map(str, values)) + str(end))[:room])

    def bring(name: str, *rest: object, **more: object) -> Any:
        if name != "math":  # seen before it runs; this is for what can't be seen
            raise CodeError("only 'import math' is possible, and it is there already.", 0)
        return math

    known = {name: getattr(builtins, name) for name in _BUILTINS}
    return known | {"print": tell, "__import__": bring}


def _guarded[T](run: Callable[[], T]) -> T:
    """Run the reader's code; what it raises becomes a CodeError with the line."""
    try:
        return run()
    except CodeError:
        raise
    except MemoryError:
        raise CodeError("that needs more memory than there is.", 0) from None
    except RecursionError as error:
        raise CodeError("a function calls itself without an end.", _line_of(error)) from None
    except Exception as error:
        raise CodeError(f"{_words(error)}.", _line_of(error)) from None


def _whole_text(text: str) -> str:
    """Text without half characters, which the way to the page can't carry."""
    return text.encode("utf-8", "replace").decode()


def _words(error: Exception) -> str:
    try:
        said = _whole_text(str(error))
    except Exception:
        said = ""
    if isinstance(error, AttributeError) and "SimpleNamespace" in said:
        return f"a pass has no '{str(error.name)[:40]}'. It has: {', '.join(PASS)}"
    return f"{type(error).__name__}: {said[:200]}".rstrip(" .:")


def _line_of(error: BaseException) -> int:
    """The last line of the reader's own that was running."""
    line, at = 0, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == FILE:
            line = at.tb_lineno
        at = at.tb_next
    return line


def _checked(name: str, value: Any, base: Assumptions, line: int) -> Any:
    if name == "narrow_efficiency":
        return _checked_narrow(value, line)
    if name not in RANGES:
        near = closest(name, [*RANGES, "narrow_efficiency", TERM])
        raise CodeError(f"'{name[:60]}' isn't an assumption.{near} A name of your own starts with an underscore.", line)
    low, high = RANGES[name]
    wanted = type(getattr(base, name))
    if wanted is bool:
        if not isinstance(value, bool):
            raise CodeError(f"{name}: True or False is needed, but {_shown(value)} was given.", line)
        return value
    number = _number(name, value, line)
    if wanted is int and number != int(number):
        raise CodeError(f"{name}: a whole number is needed, but {_shown(value)} was given.", line)
    if not low <= number <= high:
        raise CodeError(f"{name}: {low:g} to {high:g} is possible, but {_shown(value)} was given.", line)
    return wanted(number)


def _checked_narrow(value: Any, line: int) -> dict[str, float]:
    if not isinstance(value, dict) or not all(key in _NARROW for key in value):
        given = _shown(value)
        raise CodeError(f"narrow_efficiency: {{'fp8': 0.6}} with some of {', '.join(_NARROW)}, not {given}.", line)
    shares = {key: _number("narrow_efficiency", share, line) for key, share in value.items()}
    for share in shares.values():
        if not 0.01 <= share <= 1:
            raise CodeError(f"narrow_efficiency: 0.01 to 1 is possible, but {_shown(share)} was given.", line)
    return shares


def _number(name: str, value: Any, line: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise CodeError(f"{name}: a number is needed, but {_shown(value)} was given.", line)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise CodeError(f"{name}: a number that isn't infinite is needed, but {_shown(value)} was given.", line)
    return number


def _shown(value: object) -> str:
    try:
        return repr(value)[:60]
    except Exception:  # such as a whole number of more digits than Python writes
        return f"something of type {type(value).__name__}"


def _term(function: Callable[[Any], Any], line: int) -> Callable[[dict[str, Any]], float]:
    """The reader's function as the estimate calls it: with a pass, for its seconds."""

    def seconds(one_pass: dict[str, Any]) -> float:
        value = _guarded(lambda: function(SimpleNamespace(**one_pass)))
        number = _number(TERM, value, line)
        if not 0 <= number <= LONGEST_TERM_S:
            where = f"for a {one_pass['phase']} pass of {one_pass['tokens']:,} tokens"
            raise CodeError(
                f"{TERM}: 0 to {LONGEST_TERM_S:g} seconds are possible, but {number:.4g} came {where}.", line
            )
        return number

    return seconds


def names() -> list[str]:
    """Every term that can be set, in the order of the declaration."""
    return [name for name in Assumptions.names if name in RANGES or name == "narrow_efficiency"]
