"""Measurements in words and in tables: one with its conditions, all that were chosen, and how far off the model is."""

from lessoncore.evidence.accuracy import Accuracy, accuracy
from lessoncore.evidence.chosen import Chosen
from lessoncore.evidence.effects import ALL, EFFECTS, EVERY, KNOWN, OTHERS, Effect
from lessoncore.evidence.quantities import measure
from lessoncore.evidence.queue import CLIFF, QueueRow, simulated
from lessoncore.evidence.rows import Row, all_rows, rows_of
from lessoncore.evidence.said import percent
from lessoncore.evidence.sets import SETS, error
from lessoncore.evidence.words import amount, in_playground, off, set_up, source
from lessoncore.units import show, whole
from lessoncore.views.labels import plural
from lessoncore.views.markup import attribute, escape

_STATISTICS = {"mean": "mean", "p50": "median", "p99": "99th percentile"}


# One measurement.


def one(row: Row, by: str, playground: str) -> str:
    """A measurement: what each set predicts, its conditions, its source, and a link into the playground."""
    of, f = measure(row), row.fields
    fitted = row.id in {fitted.id for fitted in rows_of(ALL.key)}
    sets = [key for key in SETS if fitted or key != "cross-validated"]
    lines = "".join(
        f'<tr{" class=lc-measured__by" if key == by else ""}><th scope="row">{escape(SETS[key])}</th>'
        f"<td>{escape(amount(of.value(row.measured_s * (1 + error(row, key))), of))}</td>"
        f"<td>{escape(off(error(row, key), of))}</td></tr>"
        for key in sets
    )
    address, name = source(row)
    conditions = "".join(f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in _conditions(row) if v)
    return (
        f'<div class="lc-measured__top"><p class="lc-measured__name">{escape(set_up(row))}</p>'
        '<button type="button" class="lc-button" data-unpick aria-label="Close this measurement">×</button></div>'
        '<div class="lc-measured__body"><div><table class="lc-measured__sets"><tbody>'
        f'<tr><th scope="row">Measured</th><td>{escape(amount(of.value(row.measured_s), of))}</td>'
        f"<td>{escape(_STATISTICS.get(f['stat'], f['stat']))}</td></tr>{lines}</tbody></table>"
        f'<p class="lc-measured__links">{_link(row, by, playground)}</p></div>'
        f'<dl class="lc-measured__conditions">{conditions}<div><dt>Source</dt><dd><a href="{attribute(address)}">'
        f"{escape(name)}</a>, {escape(f['source_date'])}; row {escape(row.id)}</dd></div></dl></div>"
    )


def _conditions(row: Row) -> list[tuple[str, str]]:
    f = row.fields
    tokens = [
        f"{whole(int(f['input_len']))} in" if f["input_len"] else "",
        f"{whole(int(f['output_len']))} out" if f["output_len"] else "",
    ]
    return [
        ("Engine", " ".join(filter(None, (f["engine"], f["engine_version"])))),
        ("Shows", ", ".join(KNOWN[key].label for key in row.effects)),
        ("Tokens", f"{f['input_len']} a sequence" if row.is_training else ", ".join(filter(None, tokens))),
        ("At once", f["batch_or_concurrency"]),
        ("KV cache", f["kv_dtype"]),
        ("Load", f["load"]),
        ("Note", f["note"]),
    ]


def _link(row: Row, by: str, playground: str) -> str:
    query, note = in_playground(row, "textbook" if by == "textbook" else "calibrated")
    if not query or not playground:
        return escape(note)
    link = f'<a class="lc-measured__open" href="{attribute(f"{playground}?{query}")}">Open it in the playground</a>.'
    return f"{link} {escape(note)}".strip()


# All that were chosen.


def table(chosen: Chosen, playground: str) -> str:
    """The chosen measurements, a line each, with their sources: for those who can't see dots or want to copy them."""
    lines = "".join(_line(row, chosen.by, playground) for row in chosen.rows())
    head = "".join(
        f'<th scope="col">{name}</th>'
        for name in ("Row", "Set-up", "Engine", "What", "Measured", "Textbook", "Calibrated", "Without its source")
    )
    return f'<table class="lc-data__table"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>'


def _line(row: Row, by: str, playground: str) -> str:
    of = measure(row)
    address, _ = source(row)
    query, _ = in_playground(row, "textbook" if by == "textbook" else "calibrated")
    name = escape(set_up(row))
    if query and playground:
        name = f'<a href="{attribute(f"{playground}?{query}")}">{name}</a>'
    errors = "".join(f"<td>{_signed(error(row, key))}</td>" for key in SETS)
    return (
        f'<tr><th scope="row"><a href="{attribute(address)}">{escape(row.id)}</a></th><td>{name}</td>'
        f"<td>{escape(row.fields['engine'])}</td><td>{escape(of.label)}</td>"
        f"<td>{escape(amount(of.value(row.measured_s), of))}</td>{errors}</tr>"
    )


def _size(share: float) -> str:
    """How large an error is: in per cent, and where it is very large how many times the time."""
    return percent(share) if share < 2 else f"{1 + share:.2g} ×"


def _signed(share: float) -> str:
    size = _size(abs(share))
    sign = "" if size == "0.0%" or share >= 2 else "−" if share < 0 else "+"
    return sign + size


# How far off.

_HEAD = ("What was measured", "Rows", "Textbook", "Calibrated", "Without the row’s source")


def errors() -> str:
    """The median and the 90th percentile of the errors by effect, for each set."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in _HEAD)
    fitted = "".join(_effect(one, list(SETS)) for one in (*EFFECTS.values(), ALL))
    others = "".join(_effect(one, list(SETS)[:2]) for one in OTHERS.values())
    parted = '<tr class="lc-errors__part"><th scope="rowgroup" colspan="5">Nothing was fitted to these</th></tr>'
    return (
        '<table class="lc-errors__table"><caption>Error of the predicted time: the median, and below it what nine in '
        f"ten stay within</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{fitted}</tbody><tbody>{parted}{others}</tbody>"
        f"<tbody>{_effect(EVERY, list(SETS)[:2])}</tbody></table>"
    )


def _effect(one: Effect, sets: list[str]) -> str:
    rows = rows_of(one.key)
    cells = "".join(_cell(accuracy(error(row, key) for row in rows)) if key in sets else "<td>–</td>" for key in SETS)
    sources = len({row.source for row in rows})
    count = (
        f'{len(rows)}<span class="lc-errors__ninetieth">{sources}&nbsp;{"source" if sources == 1 else "sources"}</span>'
    )
    return (
        f'<tr{" class=lc-errors__all" if one in (ALL, EVERY) else ""}><th scope="row">{escape(one.label)}'
        f'<span class="lc-errors__about">{escape(one.about)}</span></th><td>{count}</td>{cells}</tr>'
    )


def _cell(found: Accuracy) -> str:
    return (
        f'<td><span class="lc-errors__median">{_size(found.median)}</span>'
        f'<span class="lc-errors__ninetieth">{_size(found.ninetieth)}</span></td>'
    )


# Queues.


def queues() -> str:
    """Measured servers under load beside the simulation of them."""
    loads: dict[str, dict[str, Row]] = {}
    for row in all_rows():
        if isinstance(row, QueueRow):
            load = f"{row.fields['engine']}, {show(row.rate, 'requests/s')}"
            loads.setdefault(load, {})[f"{row.fields['metric']} {row.fields['stat']}"] = row
    names = [f"{figure} {place}" for figure in ("TTFT", "TPOT") for place in ("p50", "p99")]
    lines = "".join(_line_of(load, [_simulated(found[name]) for name in names]) for load, found in loads.items())
    return _queue_table("Requests that arrive at random: Llama 3 8B on one A100", ["Load", *names], lines)


def _simulated(row: Row) -> str:
    return _compared(row.measured_s, row.measured_s * (1 + error(row, "calibrated")), "s")


def closed_loop() -> str:
    """One server asked by more and more users at a time, each of whom asks again as soon as the answer is there."""
    lines = "".join(
        _line_of(
            f"{whole(users)} {plural(users, 'user')}",
            [
                _compared(value, simulated()[f"{users} users, {key}"]["calibrated"], unit) if value else "–"
                for key, value, unit in (("ttft", ttft, "s"), ("tpot", tpot, "s"), ("rate", rate, "tokens/s"))
            ],
        )
        for users, (ttft, tpot, rate) in CLIFF.items()
    )
    head = ["Users at a time", "TTFT mean", "TPOT mean", "All users together"]
    return _queue_table("More and more users at a time: Llama 3.3 70B fp8 on two H100", head, lines)


def _line_of(name: str, cells: list[str]) -> str:
    return f'<tr><th scope="row">{escape(name)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def _queue_table(caption: str, head: list[str], lines: str) -> str:
    names = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    return (
        f'<table class="lc-errors__table"><caption>'
        f"{escape(caption)}. Measured, and below it simulated.</caption>"
        f"<thead><tr>{names}</tr></thead><tbody>{lines}</tbody></table>"
    )


def _compared(measured: float, predicted: float, unit: str) -> str:
    below = (str(show(predicted, unit)), _signed(predicted / measured - 1))
    return f'<span class="lc-errors__median">{escape(str(show(measured, unit)))}</span>' + "".join(
        f'<span class="lc-errors__ninetieth">{escape(words)}</span>' for words in below
    )
