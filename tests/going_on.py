"""Asking as a page does: what isn't finished is asked for again, until everything is."""

import json
from collections.abc import Callable
from typing import Any

Request = dict[str, Any]


def answered(request: Request, ask: Callable[[str], str]) -> Request:
    """The reply to a request when all its long calculations are finished."""
    reply: Request = json.loads(ask(json.dumps(request)))
    unfinished = {n for n, part in enumerate(reply.get("parts", [])) if part and part.get("again")}
    while unfinished:
        rest = sorted(unfinished)
        further: Request = json.loads(ask(json.dumps({**request, "parts": [request["parts"][n] for n in rest]})))
        assert "error" not in further, further
        for n, part in zip(rest, further["parts"], strict=True):
            reply["parts"][n] = part
            if not part.get("again"):
                unfinished.remove(n)
    return reply
