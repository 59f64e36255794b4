"""Two scenarios side by side: each figure of both, the difference in words, and which is better."""

from typing import Any

from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate
from lessoncore.figures import Figure
from lessoncore.page import Page
from lessoncore.units import Shown, show
from lessoncore.views.markup import escape

# Where more is better; where neither is; everywhere else, less is.
_MORE = {
    "kv_budget",
    "kv_tokens",
    "largest_batch",
    "longest_context",
    "tokens_per_s",
    "user_tokens_per_s",
    "gpu_tokens_per_s",
    "throughput",
    "slo_share",
    "served_gpu_tokens_per_s",
    "offline_gpu_tokens_per_s",
    "memory",
    "bandwidth",
}
_NEITHER = {
    "gpus",
    "prompt",
    "cached",
    "output",
    "batch",
    "replicas",
    "rate",
    "slo_ttft",
    "slo_tpot",
    "counted",
    "decode_share",
    "attention_share",
    "ridge",
    "crossover",
    "crossover_by_datasheet",
    "batch_crossover",
    "context",
}
# The words for less and for more of a figure, by its unit.
_WORDS = {
    "s": ("faster", "slower"),
    "B": ("smaller", "larger"),
    "USD": ("cheaper", "dearer"),
    "USD/h": ("cheaper", "dearer"),
    "tokens/s": ("slower", "faster"),
    "FLOP": ("less", "more"),
}
Side = dict[str, Any]


def better(figure: Figure, left: float, right: float) -> int:
    """Which side is better: -1 left, 1 right, 0 neither."""
    if figure.key in _NEITHER or figure.key.endswith(("_busy", "_intensity")) or left == right:
        return 0
    return 1 if (right > left) == (figure.key in _MORE) else -1


def difference(unit: str, left: float, right: float) -> str:
    """What the right one is, compared with the left one.

    >>> difference("s", 6.10e-3, 3.11e-3), difference("tokens/s", 164, 1164), difference("s", 1.0, 1.04)
    ('1.96 × faster', '7.10 × faster', '4.0% slower')
    """
    if left == right:
        return "the same"
    if unit == "share":
        points = (right - left) * 100
        return f"{abs(points):.0f} points {'more' if points > 0 else 'less'}"
    if left <= 0 or right <= 0:
        return ""
    less, more = _WORDS.get(unit, ("less", "more"))
    ratio = max(left, right) / min(left, right)
    how = show(ratio - 1, "share") if ratio < 1.095 else f"{show(ratio, '')} ×"
    return f"{how} {more if right > left else less}"


def comparison(left: Side, right: Side, figures: list[Figure], page: Page) -> str:
    """Write the table; a scenario that isn't possible with the reader's state is named instead."""
    try:
        a, b = page.estimate(left["with"]), page.estimate(right["with"])
    except LessonError as error:
        return f"<p>These two can’t be compared here: {escape(str(error))}</p>"
    rows = "".join(_row(figure, a, b) for figure in figures)
    return (
        '<table class="lc-compare__table"><thead><tr>'
        '<th scope="col"><span class="lc-compare__hidden">Figure</span></th>'
        f'<th scope="col">{escape(left["label"])}</th><th scope="col">{escape(right["label"])}</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _row(figure: Figure, a: Estimate, b: Estimate) -> str:
    one, other = figure.of(a), figure.of(b)
    shown, beside = figure.shown(a), figure.shown(b)
    best, words = 0, ""
    if one is not None and other is not None:
        if shown == beside:
            words = "the same"
        else:
            best = better(figure, one.value, other.value)
            words = difference(one.meaning.unit, one.value, other.value)
    return (
        f'<tr><th scope="row">{escape(figure.label)}</th>'
        + cell(shown, best="better" if best == -1 else "")
        + cell(beside, words, "better" if best == 1 else "")
        + "</tr>"
    )


def cell(value: Shown, words: str = "", best: str = "") -> str:
    """A figure of one side with ``words`` below it; marked and said where it is the ``best``, in that word."""
    unit = f"<small>{'' if value.unit == '%' else '&nbsp;'}{escape(value.unit)}</small>" if value.unit else ""
    cls = ' class="lc-compare__better"' if best else ""
    said = f'<span class="lc-compare__hidden">, {best}</span>' if best else ""
    under = f'<span class="lc-compare__difference">{escape(words)}</span>' if words else ""
    return f'<td{cls}><span class="lc-compare__value">{escape(value.number)}{unit}</span>{said}{under}</td>'
