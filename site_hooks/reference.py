"""The reference page shows doctests as code: a griffe extension that fences them."""

import re
from typing import Any

import griffe

# A doctest runs from its first prompt to the next blank line.
_DOCTEST = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)


class FencedDoctests(griffe.Extension):
    """Put every doctest of a docstring into a fence, which Markdown would otherwise take for quotations."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of an object once it is loaded."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    """Fence the doctests of a docstring."""
    return _DOCTEST.sub(lambda match: f"```pycon\n{match[0].rstrip()}\n```", docstring)
