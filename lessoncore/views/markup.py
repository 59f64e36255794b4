"""HTML as text: escaping, numbers in attributes, and the small pieces that every view shares."""

import json
from html import escape
from typing import Any

Spec = dict[str, Any]


def attribute(value: object) -> str:
    """Escape a value for a double-quoted attribute.

    >>> attribute('"<b>"')
    '&quot;&lt;b&gt;&quot;'
    """
    return escape(str(value), quote=True)


def as_spec(spec: Spec) -> str:
    """Write a part's specification the one way it is written everywhere: equal parts have equal text.

    >>> as_spec({"kind": "number", "figure": "ttft"})
    '{"figure":"ttft","kind":"number"}'
    """
    return json.dumps(spec, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def quoted(spec: Spec) -> str:
    """A specification as an attribute in single quotes, which JSON leaves readable.

    >>> print(quoted({"figure": "it's"}))
    '{"figure":"it&#x27;s"}'
    """
    return f"'{escape(as_spec(spec), quote=False).replace(chr(39), '&#x27;')}'"


def coordinate(value: float) -> str:
    """Write a coordinate of a picture with a tenth of a unit, without trailing zeros.

    >>> coordinate(12.04), coordinate(3.25), coordinate(-0.01)
    ('12', '3.2', '0')
    """
    text = f"{value:.1f}"
    return "0" if text == "-0.0" else text.removesuffix(".0")
