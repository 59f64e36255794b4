"""HTML as text: escaping, numbers in attributes, and the small pieces that every view shares."""

import json
import re
from typing import Any

Spec = dict[str, Any]


def escape(text: str) -> str:
    """Escape text for HTML and for attributes, as html.escape does, whose module brings all of HTML's entities along.

    >>> escape("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("'", "&#x27;")


def attribute(value: object) -> str:
    """Escape a value for a double-quoted attribute.

    >>> attribute('"<b>"')
    '&quot;&lt;b&gt;&quot;'
    """
    return escape(str(value))


def is_page_address(text: str) -> bool:
    """Whether this is the address of a page of the same site, as another page links to it.

    >>> is_page_address("../steps/18-playground.html"), is_page_address("//else.where/page.html")
    (True, False)
    """
    return re.fullmatch(r"(?:\.\./)*(?:[\w-]+/)*[\w-]+\.html", text, re.ASCII) is not None


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
    return f"'{escape(as_spec(spec)).replace('&quot;', chr(34))}'"


def coordinate(value: float) -> str:
    """Write a coordinate of a picture with a tenth of a unit, without trailing zeros.

    >>> coordinate(12.04), coordinate(3.25), coordinate(-0.01)
    ('12', '3.2', '0')
    """
    text = f"{value:.1f}"
    return "0" if text == "-0.0" else text.removesuffix(".0")
