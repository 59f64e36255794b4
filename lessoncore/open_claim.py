"""A claim that leaves things open: impossible however they are read, possible as they are usually meant, or in between.

Of each claim two readings are judged. The *plain* one takes what goes without saying: one GPU, the checkpoint's number
format, one user. The *kindest* one takes whatever allows the most: 4-bit weights, eight GPUs, as many requests as fit.
What even the kindest one can't reach is impossible; what the plain one reaches is possible.
"""

from itertools import product
from typing import NamedTuple

from lessoncore.ceilings import DATASHEET, NARROWEST, Judged, as_claim, judge, missing
from lessoncore.claim import Reading
from lessoncore.errors import LessonError
from lessoncore.estimate import estimate

Fields = dict[str, str]
WHICH_NUMBER = "which number is meant"
_MOST_GPUS = (8, 4, 2, 1)  # of one machine
_MOST_ALTERNATIVES = 4  # of a name that several rows of the catalogue fit


class Outcome(NamedTuple):
    """What can be said of one number of a claim.

    ``state`` is "impossible", "possible" or "depends"; ``judged`` is the reading to be shown, ``against`` with
    "depends" the plain one that breaks a ceiling, if there is one. ``said`` is what was taken for what the text leaves
    open, in words that follow "even" or "possible"; ``asked`` is what would decide it.
    """

    state: str
    judged: Judged
    against: Judged | None
    said: tuple[str, ...]
    asked: tuple[str, ...]


def numbers(fields: Fields, reading: Reading) -> list[Fields]:
    """The fields once for each number that is claimed: a text can have several."""
    if fields["value"].strip() or fields["what"].strip() or not reading.numbers:
        return [fields]
    return [fields | {"what": what, "value": value} for what, value in reading.numbers]


def lacks(fields: Fields, reading: Reading) -> list[str]:
    """What nothing can be said without, in words."""
    known = {key for key in ("value", "model", "gpu") if fields[key].strip() or _candidates(key, fields, reading)}
    return missing(dict.fromkeys((*known, "what", "gpus", "precision"), "known"))


def outcome(fields: Fields, reading: Reading) -> Outcome:
    """Judge one number; LessonError where no reading of it makes sense.

    >>> from lessoncore.claim import read_claim
    >>> reading = read_claim("Llama 3 70B at 3000 tok/s on one H100, batch 1")
    >>> found = outcome(reading.fields, reading)
    >>> found.state, found.said
    ('impossible', ('on any H100', 'with 4 bits a weight'))
    """
    readings = [
        fields | dict(zip(_NAMED, one, strict=True))
        for one in product(*(_either(key, fields, reading) for key in _NAMED))
    ]
    kindest = _judged([_kindest(one) for one in readings])
    plain = _judged([_plain(one) for one in readings if not missing(_plain(one))], strict=False)
    asked = tuple(_asked(fields, reading))
    if all(one.broken for one in kindest):
        return Outcome("impossible", min(kindest, key=_excess), None, tuple(_said(fields, reading)), asked)
    broken = [one for one in plain if one.broken]
    if len(plain) == len(readings) and not broken:
        return Outcome("possible", max(plain, key=lambda one: one.nearest.share), None, (), asked)
    possible = min((one for one in kindest if not one.broken), key=_excess)
    return Outcome("depends", possible, broken[0] if broken else None, tuple(_said(fields, reading)), asked)


_NAMED = ("value", "model", "gpu", "gpus", "precision", "batch", "prompt")


def _candidates(key: str, fields: Fields, reading: Reading) -> list[str]:
    return [] if fields[key].strip() else reading.candidates.get(key, [])[:_MOST_ALTERNATIVES]


def _either(key: str, fields: Fields, reading: Reading) -> list[str]:
    return _candidates(key, fields, reading) or [fields[key]]


def _judged(claims: list[Fields], strict: bool = True) -> list[Judged]:
    """Those that can be judged; a GPU on which the model can't be shared is none. With none of them the last reason."""
    found, reason = [], None
    for fields in claims:
        try:
            found.append(judge(as_claim(fields)))
        except LessonError as error:
            reason = error
    if strict and not found and reason:
        raise reason
    return found


def _excess(one: Judged) -> float:
    """By how much a claim is beyond its ceilings, as a ratio."""
    return max(ceiling.share for ceiling in one.ceilings)


# What goes without saying, and what allows the most.


def _plain(fields: Fields) -> Fields:
    what = fields["what"] or "user"
    taken = {"what": what, "gpus": "1", "precision": "stored"} | ({"prompt": "1"} if what.startswith("prefill") else {})
    return fields | {key: value for key, value in taken.items() if not fields[key].strip()}


def _kindest(fields: Fields) -> Fields:
    what = fields["what"] or "total"  # of all readings of a rate the one that asks for the least
    taken = {"what": what, "precision": NARROWEST, "prompt": "1"}
    full = fields | {key: value for key, value in taken.items() if not fields[key].strip()}
    for gpus in _MOST_GPUS if not fields["gpus"].strip() else (fields["gpus"],):
        full["gpus"] = str(gpus)
        try:
            if what in ("total", "gpu") and not fields["batch"].strip():
                full["batch"] = str(_largest_batch(full))
            as_claim(full)
        except LessonError:
            continue
        break
    return full


def _largest_batch(fields: Fields) -> int:
    scenario = as_claim(fields | {"batch": "1"}).scenario
    return max(1, min(4096, int(estimate(scenario, DATASHEET).largest_batch.value)))


# In words.


def _said(fields: Fields, reading: Reading) -> list[str]:
    what = fields["what"]
    words = []
    if _candidates("model", fields, reading):
        words.append("of the smallest model that the name fits")
    if _candidates("gpu", fields, reading):
        words.append(f"on any {_name(fields, reading)}")
    if _candidates("value", fields, reading):
        words.append("with the number that asks for less")
    said = {key for key in _NAMED if fields[key].strip() or _candidates(key, fields, reading)}
    if "precision" not in said:
        words.append("with 4 bits a weight")
    if "gpus" not in said:
        words.append("on 8 GPUs")
    if what in ("", "total", "gpu") and "batch" not in said:
        words.append("with as many requests at once as fit")
    elif not what:
        words.append("for all users together")
    if what == "ttft" and "prompt" not in said:
        words.append("with a prompt of one token")
    return words


def _name(fields: Fields, reading: Reading) -> str:
    """What the GPUs that a name fits have in common, such as H100."""
    from lessoncore import catalogue

    labels = [catalogue.label("gpus", key) for key in _candidates("gpu", fields, reading)]
    return " or ".join(dict.fromkeys(label.split()[0] for label in labels))


def _asked(fields: Fields, reading: Reading) -> list[str]:
    what = fields["what"]
    asks = {
        WHICH_NUMBER: bool(_candidates("value", fields, reading)),
        "which model": bool(_candidates("model", fields, reading)),
        "which GPU": bool(_candidates("gpu", fields, reading)),
        "how many GPUs": not fields["gpus"].strip(),
        "the number format": not fields["precision"].strip(),
        "for each user or all together": not what,
        "how many requests at once": (what in ("", "total", "gpu") or bool(_candidates("batch", fields, reading)))
        and not fields["batch"].strip(),
        "the length of the prompt": (what == "ttft" or bool(_candidates("prompt", fields, reading)))
        and not fields["prompt"].strip(),
    }
    return [words for words, is_open in asks.items() if is_open]
