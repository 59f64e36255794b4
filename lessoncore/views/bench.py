"""The playground's own pieces: whether it fits, what is set in a folded group, and all of it in a line."""

import json
from typing import TYPE_CHECKING, Any

from lessoncore.estimate import Estimate
from lessoncore.figures import FIGURES
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS, Count, Pasted
from lessoncore.scenario import Scenario
from lessoncore.units import show, whole
from lessoncore.views.dragging import counted
from lessoncore.views.markup import attribute, escape

if TYPE_CHECKING:
    from lessoncore.evidence import Expected


def setting(words: str, label: str = "", **what: Any) -> str:
    """A button that sets something: parameters of ``state``, other ``inputs``; ``anew`` forgets what was set before."""
    data = attribute(json.dumps(what, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
    named = f' aria-label="{attribute(label)}"' if label else ""
    return f'<button type="button" class="lc-set" data-set="{data}"{named}>{escape(words)}</button>'


def verdict(e: Estimate, own_code: bool = False) -> str:
    """Whether it fits and what is left; or what is missing, and a button for each way out.

    ``own_code`` says that the reader's own assumptions are in force.
    """
    own = ["All figures follow your own assumptions in Python, below."] if own_code else []
    notes = "".join(f"<p>{escape(words)}</p>" for words in (*_notes(e), *own))
    if e.fits:
        return (
            f'<div class="lc-verdict lc-verdict--fits"><p class="lc-verdict__head">{_sign("✓")}<b>It fits.</b> '
            f"{escape(_left(e))}</p>{notes}</div>"
        )
    from lessoncore.advice import missing, ways

    each = "".join(
        f"<li><span>{escape(way.words)}</span> "
        + setting("Do that", state={key: str(value) for key, value in way.changes.items()})
        + "</li>"
        for way in ways(e)
    )
    return (
        f'<div class="lc-verdict lc-verdict--over"><p class="lc-verdict__head">{_sign("✗")}<b>It doesn’t fit.</b> '
        f"{escape(' '.join(missing(e)))}</p>"
        + (f'<ul class="lc-verdict__ways">{each}</ul>' if each else "<p>No GPU of the catalogue makes it fit.</p>")
        + f"<p>The times and prices are what it would take with enough memory.</p>{notes}</div>"
    )


def _sign(sign: str) -> str:
    return f'<span class="lc-verdict__sign" aria-hidden="true">{sign}</span>'


def _left(e: Estimate) -> str:
    fit, room = e.memory_fit, int(e.largest_batch.value)
    where = "on the GPU" if e.scenario.gpus == 1 else "on each GPU"
    more = max(0, room - e.scenario.batch)
    request = "request" if more == 1 else "requests"
    beside = (
        f"room for {whole(more)} more {request} of {whole(e.context_end.value)} tokens" if more else "no room for more"
    )
    return f"{show(fit.room.value, 'B')} of {show(fit.usable.value, 'B')} is left {where}: {beside}."


def _notes(e: Estimate) -> list[str]:
    """What else a reader should know about this scenario."""
    s, notes = e.scenario, []
    if e.too_long:
        from lessoncore.advice import too_long

        notes.append(too_long(e))
    if s.gpus * s.replicas > 1 and e.fleet_price is not None:
        notes.append(f"All {whole(s.gpus * s.replicas)} GPUs together: {show(e.fleet_price.value, 'USD/h')}.")
    return notes


def glance(e: Estimate, figures: list[str]) -> str:
    """Fit and a few figures in one line, for a screen that shows the form alone."""
    fits, words = ("fits", "✓ fits") if e.fits else ("over", "✗ doesn’t fit")
    each = "".join(
        f"<span><small>{escape(name)}</small> <b>{escape(str(FIGURES[key].shown(e)))}</b></span>"
        for key, name in ((key, _SHORT.get(key, FIGURES[key].label)) for key in figures)
    )
    return f'<span class="lc-glance__fits lc-glance__fits--{fits}">{words}</span>{each}'


_SHORT = {"ttft": "TTFT", "tpot": "TPOT", "output_cost": "M out", "input_cost": "M in"}


def set_now(keys: list[str], page: Page) -> str:
    """What is set in a folded group, in a few words; what the reader changed stands out."""
    return " · ".join(
        f"<b>{escape(words)}</b>" if page.value(key) != getattr(page.own, key) else escape(words)
        for key in keys
        if key in page.given or key not in page.problems  # what can't be read is shown at its field
        for words in [_words(key, page.value(key))]
    )


def _words(key: str, value: Any) -> str:
    p = PARAMETERS[key]
    if isinstance(p, Pasted):
        return "in use" if value else "none"
    if key == "price" and not value:
        return "catalogue price"
    if not isinstance(p, Count):
        return _NAMED.get((key, value)) or f"{_NAMED.get((key, ''), '')} {p.text(value)}".strip()
    if key in _UNITS:
        return f"{p.text(value)} {_UNITS[key]}"
    return counted(p, value)


_NAMED = {("weights", "stored"): "as stored", ("maths", ""): "maths", ("kv", ""): "KV"}
_UNITS = {"price": "USD/h", "cached": "tokens cached"}


def figures_table(e: Estimate, keys: list[str]) -> str:
    """Figures with their names, each leading to its derivation."""
    return (
        '<dl class="lc-figures">'
        + "".join(
            f'<div><dt><a href="#why-{key}">{escape(FIGURES[key].label)}</a></dt>'
            f"<dd>{escape(str(FIGURES[key].shown(e)))}</dd></div>"
            for key in keys
        )
        + "</dl>"
    )


def expected(keys: list[str], scenario: Scenario) -> str:
    """How far off each figure is to be expected, from measurements of the same kind; nothing where there are none."""
    from lessoncore.evidence import expected_error

    told = {FIGURES[key].label: found for key in keys if (found := expected_error(scenario, key)) is not None}
    if not told:
        return "<p>No measurement is about these figures.</p>"
    warnings = dict.fromkeys(words for found in told.values() for words in _unlike(found))
    if rough := [label for label, found in told.items() if found.rough]:
        warnings[f"{' and '.join(rough)}: take it as an order of magnitude, no more."] = None
    warned = "".join(f'<p class="lc-expected__warning">{escape(words)}</p>' for words in warnings)
    shared = _beyond_all(list(told.values()))

    def own(found: "Expected") -> str:
        return f" <small>{_more(found.beyond)}</small>" if found.beyond and not shared else ""

    lines = "".join(
        f"<div><dt>{escape(label)}</dt><dd>{_off(found)}{own(found)}{_measured(found)}</dd></div>"
        for label, found in told.items()
    )
    outside = f"<p>{_more(shared)}</p>" if shared else ""
    fair = any(found.cross_validated for found in told.values())
    how = "<p>Each measurement was predicted with constants that its own project had no part in.</p>" if fair else ""
    return f"{warned}<dl>{lines}</dl>{outside}{how}"


def _beyond_all(told: "list[Expected]") -> tuple[str, ...]:
    """What the measurements behind each figure lack, said once when it is the same for all. Not where one of this very
    case is told of too: then it is said of those that lack it.
    """
    [lacking, *others] = {found.beyond for found in told}
    return () if others or any(found.same for found in told) else lacking


def _more(beyond: tuple[str, ...]) -> str:
    return f"It may be more here: {escape('; '.join(beyond))}."


def _off(found: "Expected") -> str:
    """The error in the median and in one case of ten, and of which measurements they are."""
    from lessoncore.evidence.said import percent

    typical, worst = found.typical, found.worst
    median, ninetieth = percent(typical.accuracy.median), percent(worst.accuracy.ninetieth)
    of = dict.fromkeys(f"{whole(group.accuracy.count)} of {group.effect.label}" for group in (typical, worst))
    if typical.accuracy.count == 1 and typical is worst:
        return f"off by <b>{median}</b> in the only measurement <small>(of {escape(typical.effect.label)}).</small>"
    return (
        f"off by <b>{median}</b> in the median, <b>{ninetieth}</b> or more in one case of ten "
        f"<small>(measurements: {escape('; '.join(of))}).</small>"
    )


def _measured(found: "Expected") -> str:
    """How far off the farthest measurement of this very model on these GPUs is."""
    if not found.same:
        return ""
    from lessoncore.evidence.quantities import measure
    from lessoncore.evidence.sets import error
    from lessoncore.evidence.words import off, set_up

    by = found.assumptions.key
    worst = max(found.same, key=lambda row: abs(error(row, by)))
    what = (
        f"{off(error(worst, by), measure(worst))}: {set_up(worst)}, prompt {whole(worst.scenario.prompt)} ({worst.id})"
    )
    count = "" if len(found.same) == 1 else f", the farthest of {len(found.same)},"
    return f" <small>This model on these GPUs was measured{count} and is predicted {escape(what)}.</small>"


def _unlike(found: "Expected") -> list[str]:
    if not found.unlike:
        return []
    return [
        f"Nothing like this was measured: no measurement is of {_or(found.unlike)}. The errors below are those of "
        "other models; here they may be far larger."
    ]


def _or(words: tuple[str, ...]) -> str:
    return ", ".join(words[:-1]) + (" or " if len(words) > 1 else "") + words[-1]
