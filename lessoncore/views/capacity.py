"""What a server can take: the highest rate that keeps the promise; and users in, GPUs out."""

from functools import partial
from typing import Any

from lessoncore.errors import LessonError
from lessoncore.page import Page
from lessoncore.serving.capacity import DEFAULTS, ENTRIES, GpusFound, RateFound, finding_gpus, finding_rate
from lessoncore.serving.search import Fleet
from lessoncore.serving.served import SLO, one_copy
from lessoncore.units import show, whole
from lessoncore.views.entry_fields import below
from lessoncore.views.markup import escape
from lessoncore.views.queue_results import progress

_PER_S = "requests/s"


def piece(spec: dict[str, Any], page: Page) -> str:
    """The rate, the GPUs, what is wrong with a field (``error``), or what a screen reader is told (``said``)."""
    show_what = spec["show"]
    if show_what == "rate":
        return _rate(page)
    numbers, problems = _read(spec["name"], page)
    if show_what == "error":
        key = spec.get("field", "")
        return below(ENTRIES.get(key), page.inputs.get(f"{spec['name']}.{key}", ""), problems.get(key, ""))
    if problems:
        return "" if show_what == "said" else '<p class="lc-results__wrong">See what is said below the fields.</p>'
    return _gpus(numbers, page, said=show_what == "said")


def _read(name: str, page: Page) -> tuple[dict[str, float], dict[str, str]]:
    numbers, problems = {}, {}
    for key, entry in ENTRIES.items():
        try:
            numbers[key] = entry.read(page.inputs.get(f"{name}.{key}", DEFAULTS[key]))
        except LessonError as error:
            problems[key] = str(error)
    return numbers, problems


# The highest rate.


def _rate(page: Page) -> str:
    e = page.estimate()
    if e.served is None:
        return '<p class="lc-results__wrong">There is no memory for requests here.</p>'
    key = "highest rate", one_copy(e.scenario), e.scenario.replicas, e.assumptions
    known, finished = page.search(key, partial(finding_rate, e.scenario, e.assumptions))
    return _rate_found(known) if finished and known else _rate_so_far(known)


def _rate_so_far(known: RateFound | None) -> str:
    if known is None:
        return _answer("…") + progress(0, "Searching", "Search")
    s = known.search
    bounds = "Searching"
    if s.highest is not None and s.breaks is not None:
        low, high = (show(value * known.scale, "", 2) for value in (s.highest, s.breaks))
        bounds = f"Between {low} and {high} so far"
    elif s.highest is not None:
        bounds = f"At least {show(s.highest * known.scale, '', 2)} so far"
    elif s.breaks is not None:
        bounds = f"Less than {show(s.breaks * known.scale, '', 2)} so far"
    best = "…" if s.highest is None else f"≥ {show(s.highest * known.scale, _PER_S, 2)}"
    return _answer(best) + progress(
        s.progress, f"{bounds}; {whole(len(s.tried))} rate{'s' * (len(s.tried) != 1)} tried", "Search"
    )


def _rate_found(found: RateFound) -> str:
    s = found.search
    if s.highest is None:
        if not s.attainable:
            return _answer("none") + _note("Even a request that has the server to itself breaks the promise.")
        return _answer("none") + _note("No rate that was tried keeps the promise.")
    words = ""
    broken = next((p for p in s.tried if p.rate == s.breaks), None)
    if broken and s.breaks:
        first = "TTFT" if broken.goodput.breaks_first == "ttft" else "TPOT"
        words = f"At {show(s.breaks * found.scale, _PER_S)} {first} breaks it first. "
    return _answer(str(show(s.highest * found.scale, _PER_S))) + _note(
        f"{words}Found with {whole(len(s.tried))} simulations of {whole(found.requests)} requests."
    )


# The fewest GPUs.


def _gpus(numbers: dict[str, float], page: Page, said: bool) -> str:
    e = page.estimate()
    if e.served is None:
        return "" if said else '<p class="lc-results__wrong">There is no memory for requests here.</p>'
    rate = numbers["users"] / numbers["every"]
    key = "fewest GPUs", one_copy(e.scenario), rate, e.assumptions
    known, finished = page.search(key, partial(finding_gpus, e.scenario, rate, e.assumptions))
    if said:
        best = known.search.best if known else None
        return f"Found: {whole(best.total * known.groups)} GPUs." if finished and known and best else ""
    if known is None:
        return _answer("…") + progress(0, "Searching", "Search")
    price = e.price.value if e.price else None
    return _gpus_found(known, price) if finished else _gpus_so_far(known)


def _gpus_so_far(known: GpusFound) -> str:
    s = known.search
    best = "…" if s.best is None else f"≤ {_count(s.best, known)}"
    trying = "Searching"
    if s.trying:
        gpus, copies = s.trying
        trying = f"Trying {whole(copies)} {'copies' if copies > 1 else 'copy'} on {_gpus_words(gpus)} each"
    return _answer(best) + progress(s.progress, trying, "Search")


def _gpus_found(found: GpusFound, price: float | None) -> str:
    s = found.search
    asked = f"{show(found.rate, _PER_S)} in all"
    if s.best is None:
        reasons = " ".join(dict.fromkeys(s.impossible.values()))
        return _answer("none") + _note(f"{asked}. No number of GPUs keeps the promise. {reasons}")
    cost = "" if price is None else f", {show(price * s.best.total * found.groups, 'USD/h')}"
    copies = s.best.replicas * found.groups
    how = f"{whole(copies)} {'copies' if copies > 1 else 'copy'} on {_gpus_words(s.best.gpus)} each{cost}"
    groups = f" Simulated as {whole(found.groups)} equal groups of users." if found.groups > 1 else ""
    return (
        _answer(_count(s.best, found))
        + _note(f"{how}. That is {asked}.{groups}")
        + f'<ul class="lc-fleets">{"".join(_size(gpus, found) for gpus in _sizes(found))}</ul>'
    )


def _sizes(found: GpusFound) -> list[int]:
    return sorted({*(fleet.gpus for fleet in found.search.tried), *found.search.impossible})


def _size(gpus: int, found: GpusFound) -> str:
    """What came out with so many GPUs a copy."""
    s = found.search
    kept = [fleet for fleet in s.tried if fleet.gpus == gpus and fleet.goodput.keeps]
    if gpus in s.impossible:
        words = s.impossible[gpus]
    elif kept:
        fewest = min(fleet.total for fleet in kept) * found.groups
        words = f"{_gpus_words(fewest)} in all" + (", the fewest" if s.best and s.best.gpus == gpus else "")
    else:
        words = "more GPUs in all"
    return f"<li>{escape(_gpus_words(gpus))} a copy: {escape(words)}</li>"


def _count(fleet: Fleet, found: GpusFound) -> str:
    return _gpus_words(fleet.total * found.groups)


def _gpus_words(gpus: int) -> str:
    return f"{whole(gpus)} GPU{'s' * (gpus > 1)}"


def _answer(words: str) -> str:
    return f'<p class="lc-capacity__answer">{escape(words)}</p>'


def _note(words: str) -> str:
    return f'<p class="lc-capacity__note">{escape(words)}</p>'


def promise() -> str:
    """The promise that is kept or broken, in words."""
    return (
        f"{show(SLO.share, 'share')} of the requests get their first token within {show(SLO.ttft_s, 's', 2)} and each "
        f"further one within {show(SLO.tpot_s, 's', 2)}"
    )


PIECES = ("rate", "gpus", "error", "said")
