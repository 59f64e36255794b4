"""A benchmark claim, as HTML: what was understood and can be corrected, and how it stands below the ceilings."""

from functools import lru_cache
from typing import NamedTuple

from lessoncore import catalogue
from lessoncore.ceilings import Ceiling, Judged
from lessoncore.claim import FIELDS, LONGEST, PRECISIONS, WHAT, Reading, read_claim
from lessoncore.errors import LessonError
from lessoncore.open_claim import WHICH_NUMBER as _WHICH
from lessoncore.open_claim import Outcome, lacks, numbers, outcome
from lessoncore.page import Page
from lessoncore.units import show
from lessoncore.views.markup import attribute, escape
from lessoncore.views.setting import set_link

_LABELS = {
    "what": "The number is",
    "value": "Number and unit",
    "model": "Model",
    "gpu": "GPU",
    "gpus": "GPUs for one copy",
    "precision": "Weights and maths",
    "kv": "KV cache",
    "batch": "Requests at once",
    "prompt": "Prompt tokens",
    "output": "Answer tokens",
}
# What a claim may leave open: then the kindest value is taken, and said.
_OPTIONAL = {"kv": "not said: fp8", "batch": "not said: 1", "prompt": "not said: 0", "output": "not said: 1"}
_WHAT_LABELS = {
    "user": "tokens/s, each user",
    "total": "tokens/s, all users",
    "gpu": "tokens/s, each GPU",
    "tpot": "time per token",
    "ttft": "time to first token",
    "prefill": "prompt tokens/s",
    "prefill_gpu": "prompt tokens/s, each GPU",
}
_PRECISION_LABELS = {"bf16": "bf16 or fp16", "fp8": "fp8", "int8": "int8"} | {
    "int4": "int4 weights, bf16 maths",
    "fp4": "fp4",
    "stored": "as in the checkpoint",
}


class Understood(NamedTuple):
    """The claim as it stands in the form."""

    text: str
    reading: Reading
    fields: dict[str, str]
    own_text: str


def understood(own_text: str, page: Page) -> Understood:
    """Read the claim that was sent, with the reader's corrections; before anything was sent, the author's."""
    do = page.inputs.get("claim.do", "")
    text = page.inputs.get("claim.text", own_text) if do else own_text
    reading = read_claim(text)
    if do != "check":
        return Understood(text, reading, reading.fields, own_text)
    fields = {key: page.inputs.get(f"claim.{key}", reading.fields[key])[:60] for key in FIELDS}
    return Understood(text, reading, fields, own_text)


# The form.


def _fields(u: Understood, page: Page) -> str:
    if not u.text.strip() and not any(u.fields.values()):
        return ""
    return _form(u.text, tuple(u.fields.items()), u.own_text)


@lru_cache(maxsize=4)  # the claim stays while a slider moves
def _form(text: str, fields: tuple[tuple[str, str], ...], own_text: str) -> str:
    reading, given = read_claim(text), dict(fields)
    return (
        '<form class="lc-form lc-fields" method="dialog" autocomplete="off" novalidate'
        ' aria-label="What was understood" data-kept="claim">'
        f'<input type="hidden" name="claim.text" value="{attribute(text)}" data-own="{attribute(own_text)}">'
        + "".join(_field(key, given[key], reading) for key in FIELDS)
        + '<div class="lc-field lc-field--button"><button type="submit" class="lc-button" name="claim.do"'
        ' value="check" data-kept>Check with these</button></div></form>'
    )


def _field(key: str, value: str, reading: Reading) -> str:
    why = reading.open.get(key, "") if not value else ""
    ask = f'<p class="lc-field__ask" id="claim-{key}-ask">{escape(_sentence(why))}</p>' if why else ""
    own = attribute(reading.fields[key])
    rest = f' id="claim-{key}" name="claim.{key}" data-own="{own}" autocomplete="off"' + (
        f' aria-describedby="claim-{key}-ask"' if why else ""
    )
    options = _options(key, reading)
    if options:
        first = _OPTIONAL.get(key, "choose")
        control = f'<select{rest}><option value="">{first}</option>{_listed(options, value)}</select>'
    else:
        hint = f' placeholder="{_OPTIONAL[key]}"' if key in _OPTIONAL else ""
        control = f'<input type="text"{rest} value="{attribute(value)}" autocapitalize="off" spellcheck="false"{hint}>'
    wanted = " lc-field--open" if why else ""
    return f'<div class="lc-field{wanted}"><label for="claim-{key}">{escape(_LABELS[key])}</label>{control}{ask}</div>'


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _options(key: str, reading: Reading) -> dict[str, dict[str, str]]:
    """The groups of a list, by their name; nothing where the field is typed."""
    if key in ("model", "gpu"):
        rows = {row: catalogue.label(f"{key}s", row) for row in catalogue.keys(f"{key}s")}
        near = {row: rows[row] for row in reading.candidates.get(key, []) if row in rows}
        rest = {row: label for row, label in rows.items() if row not in near}
        return {"It can be": near, "Others": rest} if near else {"": rows}
    plain = {"what": _WHAT_LABELS, "precision": _PRECISION_LABELS, "kv": {"bf16": "bf16", "fp8": "fp8"}}
    return {"": plain[key]} if key in plain else {}


def _listed(groups: dict[str, dict[str, str]], value: str) -> str:
    listed = ""
    for name, options in groups.items():
        inner = "".join(
            f'<option value="{attribute(key)}"{" selected" if key == value else ""}>{escape(label)}</option>'
            for key, label in options.items()
        )
        listed += f'<optgroup label="{name}">{inner}</optgroup>' if name else inner
    return listed


# The verdict.


def _verdict(u: Understood, page: Page) -> str:
    if not u.text.strip() and not any(u.fields.values()):
        return _said(
            "open", "Paste a claim", "and press Read, such as “Llama 3.1 8B on one H100 SXM, bf16: 6 ms a token”."
        )
    cut = f" Only its first {LONGEST:,} characters were read." if len(u.text) > LONGEST else ""
    claimed = numbers(u.fields, u.reading)
    if absent := lacks(claimed[0], u.reading):
        return _said("open", "Not enough to judge it.", f"Please add below: {', '.join(absent)}.{cut}")
    return "".join(_number(u, fields, page, cut, named=len(claimed) > 1) for fields in claimed)


def _number(u: Understood, fields: dict[str, str], page: Page, cut: str, named: bool) -> str:
    """The verdict on one number; ``named`` where the claim has others."""
    name = f"{fields['value']}, {WHAT.get(fields['what'], 'a rate')}: " if named else ""
    try:
        found, said = _judged(u.text, tuple(fields.items()), name)
    except LessonError as error:
        return _said("open", f"{name}that can’t be judged:" if name else "That can’t be judged:", f"{error}{cut}")
    return said + _notes(found, u.reading, page)


@lru_cache(maxsize=8)  # the claim stays while a slider moves
def _judged(text: str, fields: tuple[tuple[str, str], ...], name: str) -> tuple[Outcome, str]:
    reading = read_claim(text)
    found = outcome(dict(fields), reading)
    return found, _headline(found, reading, name) + _table(_shown(found))


def _shown(found: Outcome) -> Judged:
    """The reading whose numbers are shown."""
    return found.against or found.judged


def _said(kind: str, headline: str, words: str) -> str:
    return f'<p class="lc-claim__said lc-claim__said--{kind}"><b>{escape(headline)}</b> {escape(words)}</p>'


def _headline(found: Outcome, reading: Reading, name: str) -> str:
    j = found.judged
    if found.state == "possible":
        share = show(min(j.nearest.share, 1.0), "share")
        words = f"It reaches {share} of the roofline: {_decides(j)}. {_beside(j)}"
        return _said("right", f"{name}possible." if name else "Possible.", words)
    if found.state == "depends":
        return _depends(found, name)
    broken = j.broken
    names = " and ".join(c.name.lower() for c in broken)
    if (reading.speculative and j.claim.kind == "decode") or (reading.cached and j.claim.kind == "prefill"):
        way = "several tokens come out of one pass" if j.claim.kind == "decode" else "part of the prompt was cached"
        return _said(
            "open",
            f"{name}beyond the {names} of a plain pass," if name else f"Beyond the {names} of a plain pass,",
            f"which can be: by its own words {way}. {_first(broken[0], j)}",
        )
    what = "a ceiling" if len(broken) == 1 else f"{len(broken)} ceilings"
    even = f", even {_and(found.said)}" if found.said else ""
    breaks = f"{name}it breaks {what}: {names}{even}." if name else f"It breaks {what}: {names}{even}."
    return _said("wrong", breaks, " ".join(_first(c, j) for c in broken))


def _depends(found: Outcome, name: str) -> str:
    words = f"It is possible {_and(found.said)}." if found.said else "It is possible in one of its readings."
    if found.against:
        one = found.against
        usual = " and ".join(c.name.lower() for c in one.broken)
        unit = "s" if one.claim.what in ("ttft", "tpot") else "tokens/s"
        read = f"Read as {show(one.claim.value, unit)}" if _WHICH in found.asked else "As such claims are mostly meant,"
        words = f"{read} it breaks the {usual}: {_first(one.broken[0], one)} {words}"
    return _said(
        "open",
        f"{name}it depends on what isn’t said:" if name else "It depends on what isn’t said:",
        f"{', '.join(found.asked)}. {words}",
    )


def _and(words: tuple[str, ...]) -> str:
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1]


def _decides(j: Judged) -> str:
    near = j.nearest
    return f"{near.name.lower()} allows {show(near.least, 's')}, the claim comes to {show(near.claimed, 's')}"


def _beside(j: Judged) -> str:
    ratio = j.claim.time_s / j.estimate_s
    if not j.fits_by_estimate:
        return "The calibrated estimate sees no room for it beside the runtime, though."
    if ratio < 0.8:
        return f"That is {show(1 / ratio, '')} times as fast as measured servers suggest: doubtful."
    if ratio > 1.5:
        return f"Measured servers suggest {show(ratio, '')} times as fast."
    return "That is about what measured servers suggest."


def _first(c: Ceiling, j: Judged) -> str:
    if c.unit == "B":
        return f"Each GPU would have to hold {show(c.least, 'B')}, and has {show(c.claimed, 'B')}."
    return (
        f"A pass has {c.words}: at least {show(c.least, 's')}{_as_rate(c, j)}. The claim comes to "
        f"{show(c.claimed, 's')}, {show(c.least / c.claimed, '')} times too fast."
    )


def _as_rate(c: Ceiling, j: Judged) -> str:
    if j.claim.what in ("ttft", "tpot"):
        return ""
    most = show(j.claim.value * c.claimed / c.least, "tokens/s")
    return f", or {most} at most where {show(j.claim.value, 'tokens/s')} are claimed"


def _table(j: Judged) -> str:
    rows = "".join(_row(c) for c in j.ceilings)
    estimated = (
        f'<tr><th scope="row">Calibrated estimate</th><td class="lc-num">{show(j.estimate_s, "s")}</td>'
        f'<td class="lc-num">{show(j.claim.time_s, "s")}</td><td>{_beside_estimate(j)}</td></tr>'
    )
    return (
        '<div class="lc-scroll" tabindex="0" role="group" aria-label="Ceilings">'
        '<table class="lc-givens lc-claim__table">'
        '<thead><tr><th scope="col">Ceiling</th><th scope="col" class="lc-num">It allows</th>'
        '<th scope="col" class="lc-num">The claim</th><th scope="col">Result</th></tr></thead>'
        f"<tbody>{rows}{estimated}</tbody></table></div>"
    )


def _beside_estimate(j: Judged) -> str:
    ratio = j.estimate_s / j.claim.time_s
    if 0.95 < ratio < 1.05:
        return "about the same"
    return f"the claim is {show(max(ratio, 1 / ratio), '')} × as {'fast' if ratio > 1 else 'slow'}"


def _row(c: Ceiling) -> str:
    if c.unit == "B":  # here the ceiling is what the GPU has
        allows, claimed = show(c.claimed, "B"), show(c.least, "B")
        result = "✗ doesn’t fit" if c.broken else f"✓ fits, {show(c.share, 'share')} full"
    else:
        allows, claimed = show(c.least, "s"), show(c.claimed, "s")
        result = "✗ broken" if c.broken else f"✓ {show(min(c.share, 1.0), 'share')} of it used"
    cls = "wrong" if c.broken else "right"
    return (
        f'<tr><th scope="row">{escape(c.name)}</th><td class="lc-num">{allows}</td><td class="lc-num">{claimed}</td>'
        f'<td class="lc-claim__{cls}">{escape(result)}</td></tr>'
    )


def _taken(found: Outcome) -> list[str]:
    """What the shown reading takes for what isn't said, beside what a claim takes by itself."""
    if found.state == "impossible":
        return []
    s, said = _shown(found).claim.scenario, []
    gpu = s.hardware.label
    if "which GPU" in found.asked:
        said.append(f"the {gpu}" if found.state == "depends" else f"the {gpu}, the slowest that the name fits")
    if "how many GPUs" in found.asked:
        said.append("one GPU" if s.gpus == 1 else f"{s.gpus} GPUs")
    if "for each user or all together" in found.asked:
        said.append("a rate for one user" if _shown(found).claim.what == "user" else "a rate for all users")
    return said


def _notes(found: Outcome, reading: Reading, page: Page) -> str:
    j = _shown(found)
    claim, notes = j.claim, []
    unit = "s" if claim.what in ("ttft", "tpot") else "tokens/s"
    notes.append(f"I read it as {show(claim.value, unit)}, {WHAT[claim.what]}.")
    if reading.same:
        notes.append(reading.same)
    if kindly := [*_taken(found), *claim.kindly]:
        notes.append(f"Taken, since it isn’t said: {', '.join(kindly)}.")
    if claim.kind == "decode" and j.broken and not reading.speculative:
        notes.append("Only speculative decoding, where one pass gives several tokens, could be faster.")
    if claim.kind == "prefill" and j.broken and not reading.cached:
        notes.append("Only a cached prompt could be faster.")
    keys = ("gpu", "model", "gpus", "weights", "maths", "kv", "batch", "prompt", "output")
    changes = {key: getattr(claim.scenario, key) for key in keys}
    here = not page.problems and all(getattr(page.scenario, key) == value for key, value in changes.items())
    link = "The page is set to it." if here else set_link("Set the page to it", changes, page, anew=True)
    return f'<p class="lc-tool__note">{escape(" ".join(notes))} {link}</p>'


PIECES = {"fields": _fields, "verdict": _verdict}
assert set(_PRECISION_LABELS) == set(PRECISIONS)
assert set(_WHAT_LABELS) == set(WHAT)
