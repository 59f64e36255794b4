"""The one door between a page and the model: a request in JSON, a reply in JSON."""

import json
from collections.abc import Iterator
from typing import Any

from lessoncore.errors import CodeError, LessonError
from lessoncore.figures import figure
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS, Count, Pasted
from lessoncore.parts import Filled, fill, stands_alone

# How long calculations go on in a reply before it is shown how far they are: two frames, not to hold a slider up.
_PATIENCE_S = 0.03
_KEYS = {"id", "scenario", "state", "inputs", "parts", "say", "moving"}


def respond(request: str) -> str:
    """Answer a page's request.

    The request is an object with ``id`` (echoed), ``scenario`` (the page's own), ``state`` (what the reader
    changed, as text, by parameter), ``inputs`` (answers to questions, by name), ``parts`` (what to fill, see
    lessoncore.parts), ``say`` (figures to announce) and ``moving`` (whether a control is being dragged or typed into:
    then no long calculation goes on, for the next value is about to come). The reply has the same ``id`` and either
    ``error``, a sentence for the reader, or ``parts`` in the order asked for, ``controls`` (what each changed parameter
    now shows, or what is wrong with it and a button that mends it), and ``say``, a sentence for a screen reader. A part
    with ``again`` isn't finished and wants to be asked for again. While something is wrong with a parameter, a part
    that depends on the page's scenario says so and has ``none``; as long as a control is moving, and the next value
    may be right, it is null, and ``parts`` is empty if all are.

    >>> reply = respond('{"id": 1, "state": {"prompt": "4,000"}, "parts": [{"kind": "number", "figure": "ttft"}]}')
    >>> json.loads(reply)["parts"]
    [{'html': '115.3\\xa0ms'}]
    """
    asked: dict[str, Any] = {}
    try:
        asked = _read(request)
        return _write(_answer(asked) | {"id": asked.get("id")})
    except LessonError as error:
        return _write({"id": asked.get("id"), "error": str(error)})


def _write(reply: dict[str, Any]) -> str:
    return json.dumps(reply, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)


def _read(request: str) -> dict[str, Any]:
    try:
        asked = json.loads(request)
        if "\\ud" in request.lower():  # half characters, which a form may hold: they are no text
            asked = json.loads(json.dumps(asked, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise LessonError(f"a request must be JSON: {error}.") from None
    if not isinstance(asked, dict) or not asked.keys() <= _KEYS:
        raise LessonError(f"a request is an object with some of {', '.join(sorted(_KEYS))}.")
    for key, kind in (("scenario", dict), ("state", dict), ("inputs", dict), ("parts", list), ("say", list)):
        if not isinstance(asked.get(key, kind()), kind):
            raise LessonError(f"'{key}' of a request must be {'a list' if kind is list else 'an object'}.")
    if not all(isinstance(spec, dict) for spec in asked.get("parts", [])):
        raise LessonError("'parts' of a request must hold objects only.")
    if not isinstance(asked.get("moving", False), bool):
        raise LessonError("'moving' of a request must be true or false.")
    for key in ("state", "inputs"):
        if not all(isinstance(value, str) for value in asked.get(key, {}).values()):
            raise LessonError(f"'{key}' of a request must hold text only.")
    return asked


def _answer(asked: dict[str, Any]) -> dict[str, Any]:
    page = Page(asked.get("scenario"), asked.get("state"), asked.get("inputs"), _PATIENCE_S)
    page.patient = not asked.get("moving", False)
    try:
        return _all(asked, page)
    except CodeError as error:  # the reader's own term fails somewhere on the page: all of it without
        page.drop_code(error)
        return _all(asked, page)


def _all(asked: dict[str, Any], page: Page) -> dict[str, Any]:
    return {
        "controls": {key: _control(key, page) for key in asked.get("state", {})},
        "parts": _parts(asked.get("parts", []), page, asked.get("moving", False)),
        "say": " ".join(page.problems.values()) or _sentence(asked.get("say", []), page),
    }


def _parts(specs: list[dict[str, Any]], page: Page, moving: bool) -> list[dict[str, Any] | None]:
    if not (page.problems and moving):
        return [_part(one) for one in _filled(specs, page)]
    alone = [_part(fill(spec, page)) if stands_alone(spec) else None for spec in specs]
    return alone if any(alone) else []


def _filled(specs: list[dict[str, Any]], page: Page) -> Iterator[Filled]:
    """Fill the parts; long calculations take turns, the one that is asked for first goes on until it is finished."""
    for spec in specs:
        filled = fill(spec, page)
        page.patient = page.patient and not filled.again
        yield filled


def _part(filled: Filled) -> dict[str, Any]:
    reply: dict[str, Any] = {"html": filled.html}
    if filled.done is not None:
        reply["done"] = filled.done
    if filled.again:
        reply["again"] = True
    if filled.none:
        reply["none"] = True
    return reply


def _control(key: str, page: Page) -> dict[str, Any]:
    if key in page.problems:
        return _wrong(key, page)
    p, value = PARAMETERS[key], page.value(key)
    own = value == getattr(page.own, key)
    if isinstance(p, Pasted):
        return _pasted(value) | {"own": own}
    if isinstance(p, Count):
        return {"text": p.text(value), "position": p.position(value), "own": own}
    return {"text": value, "own": own}


def _wrong(key: str, page: Page) -> dict[str, Any]:
    from lessoncore.pasted import LABEL
    from lessoncore.views.not_computed import mended  # only after a mistake

    wrong = {"error": page.problems[key], "remedy": mended(page.remedies.get(key, {}))}
    return wrong | ({"name": LABEL} if isinstance(PARAMETERS.get(key), Pasted) else {})


def _pasted(value: str) -> dict[str, Any]:
    """What a text field shows, what was read from it, and the short form for the address; none where it is too long."""
    if not value:
        return {"text": "", "address": "", "about": "", "name": ""}
    from lessoncore.pasted import TOO_LONG, about, name, packed, written

    address = packed(value)
    said = about(value) + ("" if address else f" {TOO_LONG}")
    return {"text": written(value), "address": address, "about": said, "name": name(value)}


def _sentence(figures: list[str], page: Page) -> str:
    e = page.estimate()
    return ", ".join(f"{(f := figure(key)).label} {f.shown(e) if f.runs(e) else '–, doesn’t fit'}" for key in figures)
