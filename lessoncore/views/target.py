"""What it would take, as HTML: the targets as they were read, the cheapest choice, the others, and why some fail."""

import re
from math import inf
from typing import Any, NamedTuple

from lessoncore import catalogue
from lessoncore.drills.answers import read_one
from lessoncore.entries import Entry
from lessoncore.errors import LessonError
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS
from lessoncore.target import Found, Miss, Price, Row, State, Targets, failed, neutral, ranked, search
from lessoncore.units import JOINER, SCALES, show, whole
from lessoncore.views.entry_fields import as_read
from lessoncore.views.markup import as_spec, escape
from lessoncore.views.setting import set_link


class Wanted(NamedTuple):
    """A target that can be named: its label, the unit its answer is in, and the unit of a bare number."""

    label: str
    hint: str
    unit: str
    scale: str
    most: float = inf


WANTED = {
    "ttft": Wanted("Time to first token", "at most, in ms", "s", "ms", 600),
    "tpot": Wanted("Time per token", "at most, in ms", "s", "ms", 600),
    "cost": Wanted("A million answer tokens", "at most, in USD", "USD", "USD", 1000),
    "users": Wanted("Users at once", "at least", "", ""),
}
BITS = {"any": 0, "8": 8, "16": 16}
_MOST_USERS = 1_000_000
PRICE = Entry("price", "Price of a GPU hour", 0.01, 100, whole=False)


class Sought(NamedTuple):
    """The search as it stands: the targets, what is wrong with them by field, and how far it is."""

    targets: Targets
    problems: dict[str, str]
    state: State | None
    finished: bool
    read: tuple[tuple[str, str, str], ...] = ()  # of fields that can be written otherwise: key, as typed, as read


def sought(own: dict[str, Any], page: Page) -> Sought:
    """Go on with the search for what stands in the form; before it is used, for what the page's author wrote."""
    key = ("target", as_spec(own))
    if key not in page.shared:  # a reply goes on by one portion, however many of its parts show it
        page.shared[key] = _sought(own, page)
    found: Sought = page.shared[key]
    return found


def _sought(own: dict[str, Any], page: Page) -> Sought:
    given = {key: str(own.get(key, ""))[:60] for key in (*WANTED, "bits")}
    if "target.do" in page.inputs:
        given = {key: page.inputs.get(f"target.{key}", text) for key, text in given.items()}
    targets, problems = read_targets(given)
    prices, wrong, fields = _prices(page)
    problems |= wrong
    for key in WANTED:
        if given[key].strip() and key not in problems:
            fields.append((key, given[key], _written(key, targets)))
    read = tuple((key, typed, written) for key, typed, written in fields if typed != written)
    if problems or targets[:4] == (None, None, None, None):
        return Sought(targets, problems, None, True, read)
    base = neutral(page.scenario, targets)
    taken = page.taken(base)
    asked = ("target", base, targets, taken, *prices.items())
    state, finished = page.search(asked, lambda: search(base, targets, taken, prices))
    return Sought(targets, {}, state, finished, read)


def _prices(page: Page) -> tuple[dict[str, float], dict[str, str], list[tuple[str, str, str]]]:
    """The reader's own prices by GPU, what is wrong with them, and how they were read; the page's own price is one."""
    prices: dict[str, float] = {}
    problems: dict[str, str] = {}
    read: list[tuple[str, str, str]] = []
    if page.scenario.price and isinstance(page.scenario.gpu, str):
        prices[page.scenario.gpu] = page.scenario.price
    for gpu in catalogue.keys("gpus") if "target.do" in page.inputs else ():
        key = f"price.{gpu}"
        if not (text := page.inputs.get(f"target.{key}", "")).strip():
            continue
        try:
            prices[gpu] = PRICE.read(text)
            read.append((key, text, PRICE.as_read(text) or text))
        except LessonError as error:
            problems[key] = f"{catalogue.label('gpus', gpu)}: {error}"
    return prices, problems, read


def _written(key: str, t: Targets) -> str:
    """A target as it was read, as it would be typed."""
    value = {"ttft": t.ttft_s, "tpot": t.tpot_s, "cost": t.cost, "users": t.users}[key] or 0
    return whole(value) if key == "users" else _exact(value, WANTED[key].unit).replace(JOINER, " ")


def read_targets(given: dict[str, str]) -> tuple[Targets, dict[str, str]]:
    """Read the fields; what can't be read is told by field.

    >>> read_targets({"ttft": "0.5 s", "tpot": "20", "cost": "$2 per million", "users": "64 users", "bits": "8"})
    (Targets(ttft_s=0.5, tpot_s=0.02, cost=2.0, users=64, bits=8), {})
    """
    values: dict[str, float | None] = {}
    problems: dict[str, str] = {}
    for key, wanted in WANTED.items():
        try:
            values[key] = _read(given.get(key, ""), key, wanted)
        except LessonError as error:
            values[key], problems[key] = None, f"{wanted.label}: {error}"
    users = values["users"]
    bits = BITS.get(given.get("bits", ""), 0)
    return Targets(
        values["ttft"], values["tpot"], values["cost"], None if users is None else int(users), bits
    ), problems


def _read(text: str, key: str, wanted: Wanted) -> float | None:
    if key == "cost":
        text = re.sub(r"(?:US ?)?\$", "", re.sub(r"(?i)(?:/|\bper\b|\ba\b).*", "", text[:100]))
    if not text.strip():
        return None
    value = read_one(text, wanted.unit, wanted.scale, wanted.most)
    if value <= 0:
        raise LessonError(f"more than 0 is needed, but {text.strip()[:60]} was given.")
    if key == "users" and (
        value != int(value) or value > _MOST_USERS or re.fullmatch(r"\s*\d+,\d{1,2}\s*(?:users?)?\s*", text)
    ):
        raise LessonError(f"a whole number up to {_MOST_USERS:,} is needed, but {text.strip()[:60]} was given.")
    return value


# The pieces.


def _status(s: Sought, page: Page) -> str:
    return _state(s) + "".join(as_read(typed, written, f"target.{key}") for key, typed, written in s.read)


def _state(s: Sought) -> str:
    if s.problems:
        return "".join(
            f'<span class="lc-tool__wrong" data-of="target.{key}">{escape(p)}</span> ' for key, p in s.problems.items()
        )
    if s.state is None and s.finished:
        return "Name one target or several, such as 300 ms, 20 ms, 2 USD or 64 users."
    if not s.finished:
        done, total = (s.state.done, s.state.total) if s.state else (0, len(catalogue.keys("gpus")))
        return f'<progress max="{total}" value="{done}" aria-label="GPUs tried"></progress> {done} of {total} GPUs'
    assert s.state is not None
    met = ranked(s.state)
    if not met:
        return f"<b>Nothing in the catalogue meets {_words(s.targets)}</b> with up to 8 GPUs a copy."
    return f"{len(met)} of {s.state.total} GPUs of the catalogue meet {_words(s.targets)}."


def _words(t: Targets) -> str:
    said = []
    if t.ttft_s is not None:
        said.append(f"TTFT ≤{JOINER}{_exact(t.ttft_s, 's')}")
    if t.tpot_s is not None:
        said.append(f"TPOT ≤{JOINER}{_exact(t.tpot_s, 's')}")
    if t.cost is not None:
        said.append(f"≤{JOINER}{_exact(t.cost, 'USD')} a million answer tokens")
    if t.users is not None:
        said.append(f"{whole(t.users)} user{'s' if t.users > 1 else ''} at once")
    return escape(", ".join(said))


def _exact(value: float, unit: str) -> str:
    """A target with no more digits than were given.

    >>> _exact(0.3, "s"), _exact(0.01234, "s"), _exact(2, "USD")
    ('300\\xa0ms', '12.34\\xa0ms', '2\\xa0USD')
    """
    for digits in range(1, 7):
        shown = show(value, unit, digits)
        factor = next(factor for factor, name in SCALES[unit] if name == shown.unit)
        if abs(float(shown.number.replace(",", "")) * factor - value) <= 1e-6 * value:
            break
    return str(shown)


def _result(s: Sought, page: Page) -> str:
    if s.state is None or not s.finished:
        return ""  # what was found before stays until this is finished
    met, short = ranked(s.state), failed(s.state)
    best = _best(met[0], s, page) if met else ""
    table = _table(met, s, page) if met else ""
    return best + table + (_failures(short, page) if short else "")


def _best(row: Row, s: Sought, page: Page) -> str:
    found = row.best
    assert found is not None
    how = "Cheapest" if found.hourly is not None else "No price is known for any that meets it, for example"
    price = f", {_range(found.hourly, row.price, 'USD/h')}" if found.hourly is not None else ""
    return (
        f'<p class="lc-target__best"><span>{how}:</span> <b>{escape(_gpus(found))}</b>, {escape(_format(found))}'
        f"{escape(price)}. {_link('Set the page to it', found, s.targets, page)}</p>"
    )


def _gpus(found: Found) -> str:
    s = found.scenario
    copies = f"{whole(s.replicas)} copies of " if s.replicas > 1 else ""
    assert isinstance(s.gpu, str)
    return f"{copies}{s.gpus} × {catalogue.label('gpus', s.gpu)}"


def _range(low: float, price: Price | None, unit: str) -> str:
    """What something costs from the low to the high end of a GPU's price, of which ``low`` is at the low end.

    >>> _range(4.0, Price(2.0, 3.5), "USD"), _range(4.0, Price(2.0), "USD"), _range(4.0, Price(2.0, 2.0), "USD")
    ('4 to 7', 'from 4', '4')
    """
    shown = show(low, unit)
    words = shown.number if unit == "USD" else str(shown)
    if price and price.high > price.low:
        high = show(low * price.high / price.low, unit)
        return f"{shown.number} to {high.number if unit == 'USD' else high}"
    return words if price and price.high else f"from {words}"


def _format(found: Found) -> str:
    s = found.scenario
    weights = PARAMETERS["weights"].text(s.weights)  # type: ignore[arg-type]
    return weights if s.weights == s.maths else f"{weights} weights, {s.maths} maths"


def _link(words: str, found: Found, targets: Targets, page: Page) -> str:
    s = found.scenario
    keys = ["gpu", "gpus", "weights", "maths"] + (["batch", "replicas"] if targets.users else [])
    changes = {key: getattr(s, key) for key in keys}
    if s.price and s.price != s.hardware.price_low:
        changes["price"] = s.price  # the reader's own for this GPU
    elif page.scenario.price and s.gpu != page.scenario.gpu:
        changes["price"] = 0.0  # the reader's own is for the GPU that they have now
    if all(getattr(page.scenario, key) == value for key, value in changes.items()):
        return f'<span class="lc-target__here">{escape(words)}<small> (the page is set to it)</small></span>'
    return set_link(escape(words), changes, page)


_HEADS = ("USD/h", "TTFT", "TPOT", "USD per million")


def _table(met: list[Row], s: Sought, page: Page) -> str:
    more = met[8:]
    rest = (
        f'<details class="lc-fold"><summary>And {len(more)} more, dearer or without a known price</summary>'
        f"<div>{_rows(more, s, page)}</div></details>"
        if more
        else ""
    )
    return f"{_rows(met[:8], s, page)}{rest}{_about_prices(met)}"


def _rows(met: list[Row], s: Sought, page: Page) -> str:
    rows = "".join(_row(row, s, page) for row in met)
    return (
        '<div class="lc-scroll" tabindex="0" role="group" aria-label="What meets it"><table class="lc-target__table">'
        '<thead><tr><th scope="col">GPUs</th>'
        + "".join(f'<th scope="col" class="lc-num">{head}</th>' for head in _HEADS)
        + f"</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _about_prices(met: list[Row]) -> str:
    """By which prices the rows are in order, and which of them have none."""
    without = [row.gpu for row in met if not row.price]
    words = "In order of the low end of what a GPU costs, which is all that is known for some."
    if without:
        words += f" {_no_price(without)}"
    return f'<p class="lc-tool__note">{escape(words)}</p>'


def _no_price(gpus: list[str]) -> str:
    names = ", ".join(catalogue.label("gpus", gpu) for gpu in gpus)
    return f"No source gives a price for {names}: type what you pay under “Prices”."


def _row(row: Row, s: Sought, page: Page) -> str:
    found = row.best
    assert found is not None
    at_once = ""
    if s.targets.users:
        copies = f" on each of {whole(found.scenario.replicas)} copies" if found.scenario.replicas > 1 else ""
        at_once = f", {whole(found.scenario.batch)} at once{copies}"
    why = f'<span class="lc-target__why">{escape(_why_not_less(row))}</span>' if row.short or row.lacks else ""
    ttft_s = found.ttft_s if found.ttft_s < inf else page_ttft(found, page)
    cells = (
        _range(found.hourly, row.price, "USD") if found.hourly is not None else "not known",
        str(show(ttft_s, "s")),
        str(show(found.tpot_s, "s")),
        _range(found.cost, row.price, "USD") if found.cost is not None else "not known",
    )
    return (
        f'<tr><th scope="row">{_link(_gpus(found), found, s.targets, page)}'
        f'<span class="lc-target__why">{escape(_format(found) + at_once)}</span>{why}</th>'
        + "".join(
            f'<td class="lc-num" data-head="{head}">{escape(cell)}</td>'
            for head, cell in zip(_HEADS, cells, strict=True)
        )
        + "</tr>"
    )


def page_ttft(found: Found, page: Page) -> float:
    """The time to first token of a choice that was found without asking for it (s)."""
    from lessoncore.estimate import estimate

    return estimate(found.scenario, page.taken(found.scenario)).ttft_s.value


def _why_not_less(row: Row) -> str:
    said = []
    if row.short and row.short.hourly is not None:
        said.append(f"{_gpus(row.short)} in {_format(row.short)}: {missed(row.short.misses)}.")
    if row.lacks:
        said.append(f"No {' or '.join(row.lacks)} maths.")
    return " ".join(said)


def missed(misses: tuple[Miss, ...]) -> str:
    """Why a choice fails, in words.

    >>> missed((Miss("tpot", 0.031, 0.02),)).replace(JOINER, " ")
    'TPOT 31.0 ms against 20.0 ms'
    """
    return ", ".join(_missed(miss) for miss in misses)


def _missed(miss: Miss) -> str:
    if miss.words:
        return miss.words.rstrip(".")
    if miss.what == "memory":
        return f"doesn’t fit, {show(miss.value, 'B')} a GPU where {show(miss.wanted, 'B')} may be used"
    if miss.what == "copies":
        return f"{whole(miss.value)} copies would be needed, and at most {whole(miss.wanted)} are possible"
    if miss.what == "cost":
        return f"{_apart(miss, 'USD')} a million answer tokens"
    return f"{miss.what.upper()} {_apart(miss, 's')}"


def _apart(miss: Miss, unit: str) -> str:
    """Both numbers, with as many digits as it takes to tell them apart."""
    for digits in (3, 4, 6):
        value, wanted = show(miss.value, unit, digits), show(miss.wanted, unit, digits)
        if str(value) != str(wanted):
            break
    return f"{value} against {wanted}"


def _failures(rows: list[Row], page: Page) -> str:
    unpriced = [row for row in rows if row.short and [miss.what for miss in row.short.misses] == ["price"]]
    items = f"<li>{escape(_no_price([row.gpu for row in unpriced]))}</li>" if unpriced else ""
    items += "".join(f"<li>{_failure(row, page)}</li>" for row in rows if row not in unpriced)
    what = "1 GPU doesn’t meet it, and why" if len(rows) == 1 else f"{len(rows)} GPUs don’t meet it, and why"
    listed = f'<ul class="lc-target__failures">{items}</ul>'
    return f'<details class="lc-fold"><summary>{what}</summary><div>{listed}</div></details>'


def _failure(row: Row, page: Page) -> str:
    name = catalogue.label("gpus", row.gpu)
    lacks = f" No {' or '.join(row.lacks)} maths." if row.lacks else ""
    if row.short is None:
        return f"<b>{escape(name)}</b>:{escape(lacks) or ' nothing that is wide enough.'}"
    if row.short.misses[0].what == "possible" and row.short.scenario.gpu != row.gpu:
        return f"<b>{escape(name)}</b>: {escape(missed(row.short.misses))}.{escape(lacks)}"
    link = _link(_gpus(row.short), row.short, Targets(users=1), page)
    return f"{link} in {escape(_format(row.short))}: {escape(missed(row.short.misses))}.{escape(lacks)}"


PIECES = {"status": _status, "result": _result}
