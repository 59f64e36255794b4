"""Reading a benchmark claim as people write it: "Llama 3.1 70B on 4x H100: 250 tok/s per user, fp8, batch 1".

Nothing is guessed: what the text leaves open, or says twice, stays empty and is asked for. What can be said
nevertheless is up to lessoncore.open_claim.
"""

import re
from functools import cache, lru_cache
from math import inf
from typing import NamedTuple

from lessoncore import catalogue

LONGEST = 2_000

# What a number can be about, in the words of the form.
WHAT = {
    "user": "tokens a second for each user",
    "total": "tokens a second, all users together",
    "gpu": "tokens a second for each GPU",
    "tpot": "time per token",
    "ttft": "time to first token",
    "prefill": "prompt tokens read a second",
    "prefill_gpu": "prompt tokens read a second by each GPU",
}
# Weights and arithmetic by the word for both; arithmetic falls back to bf16 on a GPU that has no such units.
PRECISIONS = {"bf16": ("bf16", "bf16"), "fp8": ("fp8", "fp8"), "int8": ("int8", "int8")} | {
    "int4": ("int4", "bf16"),
    "fp4": ("fp4", "fp4"),
    "stored": ("stored", "bf16"),
}
FIELDS = ("what", "value", "model", "gpu", "gpus", "precision", "kv", "batch", "prompt", "output")


class Reading(NamedTuple):
    """What was read: text by field, how it was read, why a field is open, and what it may be.

    ``numbers`` are the numbers of a text that has several, each with what it is about; ``same`` says which model is
    taken for one that the catalogue doesn't have. ``speculative`` and ``cached`` are whether the text names a way
    around a ceiling.
    """

    fields: dict[str, str]
    open: dict[str, str]
    candidates: dict[str, list[str]]
    speculative: bool = False
    cached: bool = False
    numbers: tuple[tuple[str, str], ...] = ()
    same: str = ""


_NUMBER = r"(?<![\w.])([-−]?(?:\d[\d.,'’]*\d|\d)(?:e\+?\d{1,2})?)\s?(k\b|thousand\b|million\b|m\b)?"
_TIME = r"\s*(ms|msec|milliseconds?|µs|us|s|sec|secs|seconds?)"
_PER = r"\s*(?:/|per|a|each)\s*"
_RATE = (
    rf"(?:output |generated |new |prompt |input |prefill |decode )*(?:tok(?:en)?s?|t){_PER}(?:s|sec|second)s?\b|tps\b"
)
_TTFT = r"(?:ttft|(?:time[- ])?to[- ](?:the[- ])?first[- ]token|first[- ]token(?: latency)?|prefill (?:time|latency))"
_TPOT = r"(?:tpot|itl|inter[- ]token latency|time per (?:output )?token|per[- ]token latency)"
_WORDS_OF_RATE = (
    ("gpu", r"(?:/|per|each|a)\s*(?:gpu|card|chip|device|[abh]\d{2,3}\b)"),
    ("user", r"(?:/|per|each|a|single)[\s-]*(?:user|request|stream|sequence|session|conversation)"),
    ("total", r"\b(?:total|aggregate|overall|combined|throughput|all users|system)\b"),
)
_SPECULATIVE = r"speculat|eagle|medusa|\bmtp\b|multi-token|draft model|lookahead"
_CACHED = r"prefix[- ]cach|cached (?:prompt|prefix)|cache[- ]hit"
_FAMILIES = (
    *("llama", "qwen", "mistral", "mixtral", "deepseek", "kimi", "gpt-oss", "gemma", "phi", "minimax", "mimo"),
    "nemotron",
)
# Of the catalogue's models those that have the shape of others.
_SAME = {
    "Llama 3 8B": "llama-3.1-8b",
    "Llama 3 70B": "llama-3.1-70b",
    "Llama 3.3 70B": "llama-3.1-70b",
}
_COUNT_WORDS = {"one": 1, "a single": 1, "single": 1, "two": 2, "four": 4, "eight": 8, "sixteen": 16}


class _Text:
    """A claim in small letters, from which what has been read is taken out."""

    def __init__(self, text: str) -> None:
        self.left = re.sub(r"\s+", " ", text[:LONGEST].lower().replace("×", "x").replace("μ", "µ").replace("−", "-"))
        self.numbers: tuple[tuple[str, str], ...] = ()
        self.same = ""

    def take(self, pattern: str) -> list[re.Match[str]]:
        found = list(re.finditer(pattern, self.left))
        for match in found:
            start, end = match.span()
            self.left = f"{self.left[:start]}{'·' * (end - start)}{self.left[end:]}"
        return found

    def has(self, pattern: str) -> bool:
        return re.search(pattern, self.left) is not None


@lru_cache(maxsize=4)  # it stays while a slider moves
def read_claim(text: str) -> Reading:
    """Read a claim.

    >>> r = read_claim("Llama 3.1 70B on 4x H100 SXM: 250 tok/s per user, fp8, batch 1")
    >>> [r.fields[name] for name in ("what", "value", "model", "gpu", "gpus", "precision", "batch")]
    ['user', '250 tokens/s', 'llama-3.1-70b', 'h100-sxm', '4', 'fp8', '1']
    >>> r = read_claim("TTFT 20 ms for 8k prompt on A100")
    >>> r.fields["what"], r.fields["value"], r.fields["prompt"], sorted(r.open)
    ('ttft', '20 ms', '8000', ['gpu', 'gpus', 'model', 'precision'])
    """
    left = _Text(text)
    fields = dict.fromkeys(FIELDS, "")
    open_: dict[str, str] = {}
    candidates: dict[str, list[str]] = {}
    speculative, cached = left.has(_SPECULATIVE), left.has(_CACHED)
    _read_model(left, fields, open_, candidates)
    _read_value(left, fields, open_, candidates)
    _read_gpu(left, fields, open_, candidates)
    _read_precision(left, fields, open_, candidates)
    _read_request(left, fields, open_, candidates)
    if fields["what"] == "" and (fields["value"] or "value" in candidates) and "what" not in open_:
        if fields["batch"] == "1":
            fields["what"] = "user"  # one user is all users
        else:
            open_["what"] = "for each user, for each GPU or all together?"
    return Reading(fields, open_, candidates, speculative, cached, left.numbers, left.same)


# The number.


def _read_value(left: _Text, fields: dict[str, str], open_: dict[str, str], candidates: dict[str, list[str]]) -> None:
    found: list[tuple[str, str]] = []
    for match in left.take(rf"{_NUMBER}{_TIME}{_PER}(?:output )?tok(?:en)?s?\b"):
        found.append(("tpot", f"{match[1]} {_time(match[3])}"))
    before = left.left
    for match in left.take(rf"(?:{_NUMBER}\s*(?:-|–|to)\s*)?{_NUMBER}\s*(?:{_RATE})"):
        what = _kind_of_rate(before, *match.span())
        found += [(what, _rate(match[n], match[n + 1] or match[4])) for n in (1, 3) if match[n]]
    found += _named_times(left)
    different = list(dict.fromkeys(found))
    if not different:
        open_["value"] = "the text has no time and no rate of tokens that I could read."
        open_["what"] = "what is the number about?"
    elif len({what for what, _ in different}) == 1:
        fields["what"] = different[0][0]
        values = [way for _, value in different for way in _ways(value)]
        if len(values) == 1:
            fields["value"] = values[0]
        else:
            candidates["value"] = values
            open_["value"] = f"it can be {_or(values)}: which one?"
    else:
        left.numbers = tuple(different)
        read = "; ".join(f"{WHAT.get(what, 'a rate')}, {value}" for what, value in different[:4])
        open_["value"] = f"the text has several numbers ({read}). Each is judged; name one to look at it alone."
        open_["what"] = "what is the number about?"


def _rate(digits: str, times: str | None) -> str:
    return f"{digits}{'' if times in (None, 'k') else ' '}{'million' if times == 'm' else times or ''} tokens/s"


def _ways(value: str) -> list[str]:
    """A number with its unit, in as many ways as it can be read.

    >>> _ways("3.000 tokens/s"), _ways("3.5 tokens/s"), _ways("1.500 s")
    (['3 tokens/s', '3,000 tokens/s'], ['3.5 tokens/s'], ['1.500 s'])
    """
    from lessoncore.errors import TwoReadings
    from lessoncore.units import ask_if_ambiguous

    digits, _, unit = value.partition(" ")
    try:
        ask_if_ambiguous(digits, 600 if unit == "s" else inf)
    except TwoReadings:
        return [f"{float(digits):g} {unit}", f"{int(digits.replace('.', '')):,} {unit}"]
    return [value]


def _named_times(left: _Text) -> list[tuple[str, str]]:
    """Times with their names, in either order: "TTFT 0.5 s", "30 ms TPOT"; each goes with the nearest that is free."""
    pattern = rf"(?P<ttft>{_TTFT})|(?P<tpot>{_TPOT})|{_NUMBER}{_TIME}\b"
    words = [(m, m.lastgroup) for m in re.finditer(pattern, left.left)]
    found, at = [], 0
    while at < len(words) - 1:
        (first, name), (second, other) = words[at], words[at + 1]
        between = re.sub(r"\bp\d\d\b", "", left.left[first.end() : second.start()])
        if bool(name) != bool(other) and len(between) <= 24 and not re.search(r"[\d.;·]", between):
            value = second if name else first
            found.append((str(name or other), f"{value[3]} {_time(value[5])}"))
            at += 2
        else:
            at += 1
    return found


def _time(unit: str) -> str:
    return "ms" if unit.startswith("m") else "µs" if unit in ("µs", "us") else "s"


def _kind_of_rate(text: str, start: int, end: int) -> str:
    own, after = text[start:end], re.split(r"[,;.] |\n", text[end : end + 40])[0]
    before = re.split(r"[,;] ", text[max(0, start - 40) : start])[-1]
    if re.search(r"prompt|input|prefill", own) or re.search(r"prefill|prompt processing", before + after):
        return "prefill_gpu" if re.match(rf"\s*{_WORDS_OF_RATE[0][1]}", after) else "prefill"
    for what, pattern in _WORDS_OF_RATE:
        if re.match(rf"\s*{pattern}", after):
            return what
    for what, pattern in _WORDS_OF_RATE:
        if re.search(pattern, after) or re.search(pattern, before):
            return what
    return ""


# The model.


@cache
def _model_patterns() -> list[tuple[str, str]]:
    """A pattern for each model, the longest names first."""
    rows = []
    for label in [*_SAME, *(catalogue.label("models", key) for key in catalogue.keys("models"))]:
        words = re.findall(r"[a-z]+|\d+(?:\.\d+)?", label.lower())
        rows.append((len(words), label, r"(?<![\w.])" + r"[\s\-_:/]*".join(map(re.escape, words)) + r"(?!\.?\w)"))
    return [(label, pattern) for _, label, pattern in sorted(rows, reverse=True)]


def _read_model(left: _Text, fields: dict[str, str], open_: dict[str, str], candidates: dict[str, list[str]]) -> None:
    names = [label for label, pattern in _model_patterns() if left.take(pattern)]
    by_label = {catalogue.label("models", key): key for key in catalogue.keys("models")} | _SAME
    found = list(dict.fromkeys(by_label[name] for name in names))
    if len(found) == 1:
        fields["model"] = found[0]
        if names[0] in _SAME:
            left.same = f"{names[0]} is taken as {catalogue.label('models', found[0])}, which has the same shape."
        return
    if found:
        open_["model"], candidates["model"] = "the text names several: which one?", found
        return
    size = re.search(r"(?<![\w.])(?:\d+x)?\d+(?:\.\d+)?\s?b(?![a-z])", left.left)
    family = next((f for f in _FAMILIES if left.has(rf"\b{f}")), "")
    labels = {key: catalogue.label("models", key).lower() for key in catalogue.keys("models")}
    near = [key for key, label in labels.items() if family and family in label]
    major = re.search(rf"\b{family}[\s\-_]*(\d+)", left.left) if family else None
    if major:  # Llama 3.3 is nearer to 3.1 than to 2
        near = [key for key in near if re.search(rf"{family}\D?{major[1]}(?!\d)", labels[key])] or near
    if size:
        of_size = rf"(?<![\w.]){re.escape(size[0].replace(' ', ''))}"
        near = [key for key in near or labels if re.search(of_size, labels[key])]
        left.take(re.escape(size[0]))
    if near and (family or size):
        candidates["model"] = near
        open_["model"] = f"no exact name of the catalogue; it has {_or([catalogue.label('models', k) for k in near])}."
    else:
        open_["model"] = "the text names none of the catalogue."


def _or(names: list[str]) -> str:
    shown = names[:4]
    return ", ".join(shown) + (" and more" if len(names) > 4 else "")


# The GPUs.


@cache
def _gpu_families() -> dict[str, list[str]]:
    """The rows of the catalogue by a pattern for the name without memory and form."""
    families: dict[str, list[str]] = {}
    for key in catalogue.keys("gpus"):
        name = re.sub(r"\s*(\d+ GB|SXM|PCIe|NVL|\(.*\))", "", catalogue.label("gpus", key)).strip().lower()
        words = [re.sub(r"(?<=[a-z])(?=\d)", "[- ]?", word) for word in name.split()]
        pattern = r"[\s\-]*".join(words)
        if words[0] == "rtx" and len(words) == 2 and words[1].isdigit():
            pattern = rf"(?:rtx[\s\-]*)?{words[1]}"
        families.setdefault(pattern, []).append(key)
    return families


_FORMS = {"sxm": r"sxm\d?", "pcie": r"pcie|pci-e", "nvl": r"\bnvl\b", "80 gb": r"80\s?gb?\b", "40 gb": r"40\s?gb?\b"}


def _read_gpu(left: _Text, fields: dict[str, str], open_: dict[str, str], candidates: dict[str, list[str]]) -> None:
    forms = [word for word, pattern in _FORMS.items() if left.has(pattern)]
    if left.has(r"\b[dh]gx\b"):
        forms.append("sxm")
    found: list[list[str]] = []
    counts: set[int] = set()
    words = "|".join(_COUNT_WORDS)
    for pattern, keys in _gpu_families().items():
        name = rf"(?<![a-z0-9]){pattern}s?(?![a-z0-9])"
        if not left.has(name) and not left.has(rf"(?<![\w.])\d+x{pattern}s?(?![a-z0-9])"):
            continue
        found.append(keys)
        maker = r"(?:nvidia |amd |google )?"
        counted = rf"(?<![\w.])(?:(\d+)\s*x?\s*|({words}) ){maker}{pattern}s?(?![a-z0-9])"
        for match in left.take(counted):
            counts.add(int(match[1][:6]) if match[1] else _COUNT_WORDS[match[2]])
        for match in left.take(rf"{name}(?:[\s\-]*(?:sxm\d?|pcie|nvl|\d+\s?gb))*\s*x\s?(\d+)\b"):
            counts.add(int(match[1][:6]))
        left.take(name)
    if left.take(r"\bdgx\b"):
        counts.add(8)
    left.take("|".join(_FORMS.values()))
    for match in left.take(r"(?<![\w.])(\d+)[\s-]*(?:gpus?|cards)\b"):
        counts.add(int(match[1][:6]))
    for match in left.take(r"\b(?:tp|tensor[- ]parallel(?:ism)?(?: size)?)\s*(?:of|=|:|-)?\s*(\d+)\b"):
        counts.add(int(match[1][:6]))
    _settle_gpu(found, forms, fields, open_, candidates)
    if len(counts) == 1:
        fields["gpus"] = str(counts.pop())
    else:
        said = " and ".join(map(str, sorted(counts)))
        candidates["gpus"] = [str(count) for count in sorted(counts)]
        open_["gpus"] = f"the text says {said}: how many share one copy?" if counts else "the text gives no number."


def _settle_gpu(
    found: list[list[str]],
    forms: list[str],
    fields: dict[str, str],
    open_: dict[str, str],
    candidates: dict[str, list[str]],
) -> None:
    if len(found) != 1:
        open_["gpu"] = "the text names several: which one?" if found else "the text names none of the catalogue."
        if found:
            candidates["gpu"] = [key for keys in found for key in keys]
        return
    keys = found[0]
    for form in forms:
        fitting = [key for key in keys if form in catalogue.label("gpus", key).lower()]
        keys = fitting or keys
    if len(keys) == 1:
        fields["gpu"] = keys[0]
    else:
        open_["gpu"] = f"it can be {_or([catalogue.label('gpus', key) for key in keys])}."
        candidates["gpu"] = keys


# Number formats.

_FORMATS = {
    "fp8": r"\bfp8\b|\be4m3\b|w8a8[- ]fp8",
    "int8": r"\bint8\b|\bw8a8\b|\bw8a16\b|\bq8(?:_0)?\b",
    "int4": r"\bint4\b|\bawq\b|\bgptq\b|\bw4a16\b|\b4[- ]bit\b|\bq4\w*",
    "fp4": r"\b(?:nv|mx)?fp4\b",
    "bf16": r"\bbf16\b|\bfp16\b|\bbfloat16\b|\bfloat16\b|\bhalf precision\b|\b16[- ]bit\b",
}


def _read_precision(
    left: _Text, fields: dict[str, str], open_: dict[str, str], candidates: dict[str, list[str]]
) -> None:
    for match in left.take(
        r"\b(fp8|bf16|fp16|int8)[- ](?:kv(?:[- ]?cache)?)\b|\bkv(?:[- ]?cache)?(?: in|:|=)? ?(fp8|bf16|fp16)"
    ):
        fields["kv"] = "fp8" if "8" in (match[1] or match[2]) else "bf16"
    found = [key for key, pattern in _FORMATS.items() if left.take(pattern)]
    if len(found) == 1:
        fields["precision"] = found[0]
    else:
        several = f"the text names {' and '.join(found)}: which one are the weights in?"
        open_["precision"] = several if found else "the text gives no number format."
        candidates["precision"] = found


# The request.


def _read_request(left: _Text, fields: dict[str, str], open_: dict[str, str], candidates: dict[str, list[str]]) -> None:
    batch = r"(?:batch(?:[- ]?size)?|\bbs|concurrency)\s*(?:of|=|:|-)?\s*" + _NUMBER
    users = _NUMBER + r"\s*(?:concurrent |simultaneous |parallel )?(?:users?|requests|streams|sessions|conversations)\b"
    batches = [_whole(m[1], m[2]) for m in (*left.take(batch), *left.take(users))]
    if left.has(r"single[- ](?:user|stream|request|batch)"):
        batches.append("1")
    _settle("batch", batches, fields, open_, candidates)
    both = left.take(
        _NUMBER + r"\s*(?:tokens )?in(?:put)?\b\s*[,/&+ ]+(?:and )?" + _NUMBER + r"\s*(?:tokens )?out(?:put)?\b"
    )
    prompts = [_whole(m[1], m[2]) for m in both]
    outputs = [_whole(m[3], m[4]) for m in both]
    of = r"\s*(?:length |tokens |size )?(?:of |= ?|: ?)?(?:about |~)?"
    outputs += [_whole(m[1], m[2]) for m in left.take(rf"\b(?:osl|output|answer){of}{_NUMBER}(?:[\s-]*tokens?)?")]
    outputs += [
        _whole(m[1], m[2]) for m in left.take(rf"{_NUMBER}[\s-]*(?:tokens? )?(?:output|answer|osl)\b(?: tokens)?")
    ]
    named = r"(?:prompts?|inputs?|contexts?|isl)"
    prompts += [_whole(m[1], m[2]) for m in left.take(rf"{_NUMBER}[\s-]*(?:tokens?)?[\s-]*(?:long )?{named}\b")]
    prompts += [_whole(m[1], m[2]) for m in left.take(rf"\b{named}{of}{_NUMBER}(?:[\s-]*tokens?)?")]
    _settle("prompt", prompts, fields, open_, candidates)
    _settle("output", outputs, fields, open_, candidates)


def _whole(digits: str, thousands: str | None) -> str:
    from lessoncore.drills.answers import read
    from lessoncore.errors import LessonError

    try:
        value = read(digits + (thousands or ""), "", "").values[0]
    except LessonError:
        return ""
    return str(int(value)) if value == int(value) and value < 1e9 else ""


def _settle(
    name: str,
    found: list[str],
    fields: dict[str, str],
    open_: dict[str, str],
    candidates: dict[str, list[str]],
) -> None:
    different = list(dict.fromkeys(filter(None, found)))
    if len(different) == 1:
        fields[name] = different[0]
    elif different:
        candidates[name] = different
        open_[name] = f"the text says {' and '.join(different[:4])}: which one?"
