"""A reader's own load: the pieces of its form that follow what is typed, and what comes out."""

from functools import partial
from typing import Any

from lessoncore.errors import LessonError
from lessoncore.page import Page
from lessoncore.serving.own_load import ENTRIES, Asked, Progress, read, simulate_own
from lessoncore.units import show
from lessoncore.views.entry_fields import below
from lessoncore.views.markup import escape
from lessoncore.views.queue_results import progress, results

_FIX = "Not simulated: see what is said below the fields."


def piece(spec: dict[str, Any], page: Page) -> str:
    """What stands below a field (``error``), the results, or the sentence for a screen reader (``said``)."""
    name = spec["name"]
    inputs = {key.removeprefix(f"{name}."): text for key, text in page.inputs.items() if key.startswith(f"{name}.")}
    asked, problems = read(inputs, page.own, page.scenario)
    if spec["show"] == "error":
        key = spec.get("field", "")
        return below(ENTRIES.get(key), inputs.get(key, ""), problems.get(key, ""))
    if asked is None:
        return f'<p class="lc-results__wrong">{_FIX}</p>' if spec["show"] == "results" else _FIX
    try:
        known, finished = _simulated(asked, page)
    except LessonError as error:
        return (
            f'<p class="lc-results__wrong">{escape(str(error))}</p>'
            if spec["show"] == "results"
            else escape(str(error))
        )
    if spec["show"] == "said":
        return escape(_said(asked, known)) if finished and known else ""
    return _shown(asked, known, finished)


def _simulated(asked: Asked, page: Page) -> tuple[Progress | None, bool]:
    assumptions = page.estimate().assumptions
    known, finished = page.portion(("own load", asked, assumptions), partial(simulate_own, asked, assumptions))
    return known, finished


def _shown(asked: Asked, known: Progress | None, finished: bool) -> str:
    parts = []
    if not finished:
        share = known.share if known else 0.0
        parts.append(progress(share, f"Simulating {asked.load.requests:,} requests: {share:.0%}", "Simulation"))
    done = known.summaries if known else ()
    for (words, _), one in zip(asked.servers, done, strict=False):
        title = f"Prompts {words}" if len(asked.servers) > 1 else ""
        parts.append(
            (f'<p class="lc-results__title">{escape(title)}</p>' if title else "")
            + results(one, asked.slo, title or "Latency under your own load")
        )
    return "".join(parts)


def _said(asked: Asked, known: Progress) -> str:
    both = (
        f"{f'Prompts {words}: ' if len(asked.servers) > 1 else ''}TTFT p99 {show(one.ttft.p99.value_s, 's')}, "
        f"TPOT p99 {show(one.tpot.p99.value_s, 's')}"
        for (words, _), one in zip(asked.servers, known.summaries, strict=True)
    )
    return f"Simulated. {'; '.join(both)}."


PIECES = ("error", "results", "said")
