"""What came out of a simulated queue as a table: each time at p50, p90 and p99, split into waiting and computing."""

from lessoncore.serving.percentiles import Latency, Percentile
from lessoncore.serving.results import Slo
from lessoncore.serving.summary import Summary
from lessoncore.units import show, whole
from lessoncore.views.markup import escape
from lessoncore.views.svg import rect

_COLUMNS = (("p50", "half of them"), ("p90", "90 of 100"), ("p99", "99 of 100"))
_BAR = 100.0


def results(s: Summary, slo: Slo, name: str = "Latency of the simulated requests") -> str:
    """Write the table of times, and below it what the server did."""
    rows = (
        _row("Time to first token", "TTFT", s.ttft, "compute", slo.ttft_s)
        + _row("Time per token", "TPOT", s.tpot, "weights", slo.tpot_s)
        + _row("Whole answer", "end to end", s.end_to_end, "ink", None)
    )
    head = "".join(
        f'<th scope="col">{share}<span class="lc-results__note">{words}</span></th>' for share, words in _COLUMNS
    )
    return (
        f'<table class="lc-results__table" aria-label="{escape(name)}"><thead><tr>'
        f'<th scope="col"><span class="lc-results__hidden">Time</span></th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>{_facts(s)}"
    )


def _row(name: str, short: str, times: Latency, concept: str, limit_s: float | None) -> str:
    promised = f", promised {show(limit_s, 's', 2)}" if limit_s else ""
    longest = times.p99.value_s
    cells = "".join(_cell(p, longest, concept, limit_s) for p in (times.p50, times.p90, times.p99))
    return f'<tr><th scope="row">{name}<span class="lc-results__note">{short}{escape(promised)}</span></th>{cells}</tr>'


def _cell(p: Percentile, longest: float, concept: str, limit_s: float | None) -> str:
    wide = _BAR * p.value_s / longest if longest else 0.0
    waited = wide * p.waiting_s / p.value_s if p.value_s else 0.0
    bar = rect(0, 0, waited, 6, "lc-fill-free") + rect(waited, 0, wide - waited, 6, f"lc-fill-{concept}")
    over = limit_s is not None and p.share == 0.99 and p.value_s > limit_s
    said = '<span class="lc-results__hidden">, more than promised</span>' if over else ""
    return (
        f"<td{' class=lc-results__over' if over else ''}><b>{escape(str(show(p.value_s, 's')))}</b>{said}"
        f'<svg class="lc-results__bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">{bar}</svg>'
        f'<span class="lc-results__note"><span class="lc-results__waiting">{_part(p.waiting_s)} waiting,</span><br> '
        f"{_part(p.computing_s)} computing</span></td>"
    )


def _part(seconds: float) -> str:
    return escape(str(show(seconds, "s", 2))) if seconds > 1e-6 else "no"


def _facts(s: Summary) -> str:
    p99, kept = s.ttft.p99, s.goodput
    certain = "too few to bound the p99"
    if p99.low_s is not None and p99.high_s is not None:
        certain = f"so TTFT’s p99 lies between {show(p99.low_s, 's')} and {show(p99.high_s, 's')} (95% certain)"
    facts = [
        (
            "Both promises kept",
            f"{show(kept.share, 'share')}",
            f"{show(kept.requests_per_s, 'requests/s')}, the goodput",
        ),
        ("Finished", f"{show(s.finished_per_s, 'requests/s')}", f"{show(s.arrivals_per_s, 'requests/s')} arrived"),
        ("Answer tokens", f"{show(s.tokens_per_s, 'tokens/s')}", f"{show(s.gpu_tokens_per_s, 'tokens/s')} each GPU"),
        ("Running", f"{_few(s.mean_batch)} on average", f"at most {whole(s.largest_batch)} on a copy"),
        ("Waiting", f"{_few(s.mean_waiting)} on average", _odd(s)),
        ("KV cache in use", f"{show(s.kv_mean, 'share')} on average", f"at most {show(s.kv_most, 'share')}"),
        ("Counted", f"{whole(s.counted)} of {whole(s.requests)} requests", certain),
    ]
    return (
        '<dl class="lc-facts">'
        + "".join(
            f"<div><dt>{escape(what)}</dt><dd>{escape(value)}"
            + (f'<span class="lc-results__note">{escape(note)}</span>' if note else "")
            + "</dd></div>"
            for what, value, note in facts
        )
        + "</dl>"
    )


def _odd(s: Summary) -> str:
    """What shouldn't happen often."""
    said = []
    if s.preemptions:
        said.append(f"{whole(s.preemptions)} put back, as memory ran out")
    if s.refused:
        said.append(f"{whole(s.refused)} refused: too long for the memory")
    return "; ".join(said)


def _few(count: float) -> str:
    return whole(count) if count >= 10 else f"{count:.1f}"


def progress(share: float, words: str, name: str) -> str:
    """How far a long calculation is."""
    percent = max(0, min(100, round(share * 100)))
    return (
        f'<p class="lc-searching"><progress max="100" value="{percent}" aria-label="{escape(name)}"></progress> '
        f"<span>{escape(words)}</span></p>"
    )
