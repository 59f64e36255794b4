"""What the search finds, and what first: the lesson's prose and the glossary's words, and only then what is about them.

Left out are pictures, controls, results, formulas and code.
"""

import re
from html import unescape
from typing import Any

# Material's search skips an element with this attribute, with all that is in it.
_MARK = " data-search-exclude"
_TAGS = ("math", "svg", "form", "button", "select", "textarea", "summary", "pre")
_CLASSES = (
    *("lc-stage", "lc-stage__picture", "lc-data", "lc-predict__guess", "lc-compare", "lc-drill", "lc-resume"),
    *("lc-whys", "lc-fold", "lc-declared", "lc-task__state", "highlight", "lc-answers", "lc-sweep"),
    *("lc-capacity", "lc-load", "lc-glossary"),
)
_START = re.compile(
    rf"<(?:{'|'.join(_TAGS)})(?=[\s>])"
    rf"|<\w+ class=\"(?:[\w-]+ )*(?:{'|'.join(_CLASSES)})(?=[\" ])[^\"]*\""
    # what follows the controls, but for the answers to questions, which are prose
    r"|<div(?= [^>]*data-live='(?![^']*\"kind\":\"(?:answer|choice)\"))"
    # the title of a page with a stage: its text is found under the page itself
    r"|(?<=<div class=\"lc-step__title\">)\s*<h1"
)


def without_widgets(html: str) -> str:
    """Mark what isn't prose, so that the search index doesn't take it up; and keep the words of two cells apart.

    >>> without_widgets('<p>It takes <math display="inline"><mi>t</mi></math></p>')
    '<p>It takes <math data-search-exclude display="inline"><mi>t</mi></math></p>'
    >>> without_widgets('<section class="lc-box lc-drill">')
    '<section class="lc-box lc-drill" data-search-exclude>'
    """
    html = re.sub(r"(</t[dhr]>)(?=<t[dhr])", r"\1 ", html)
    return _START.sub(lambda start: start[0] + _MARK, html)


# How much a page counts: what is about the lesson's making comes after the lesson, even with the word in its title.
_LESSON, _BESIDES = 10.0, 1e-4
_TERM = re.compile(r"<dt>(.*?)</dt>\s*<dd>(.*?)</dd>", re.DOTALL)


def weight(source: str) -> float:
    """How much a page of these sources counts in the search.

    >>> weight("steps/05-eight-conversations.md") > weight("accuracy.md") > weight("reference/index.md")
    True
    """
    if source.startswith("steps/") or source == "glossary.md":
        return _LESSON
    return _BESIDES if source.startswith(("reference/", "gallery", "contributing")) else 1.0


def introduced(html: str, glossary: dict[str, str]) -> list[str]:
    """The glossary's words that a step introduces, which stand in bold there: whoever looks for one finds that step.

    >>> introduced("<strong>Decode: writing.</strong> <strong>Not</strong> a batch", {"decode": "", "batch": ""})
    ['decode']
    """
    bold = re.findall(r"<strong>(.*?)</strong>", html, re.DOTALL)
    said = {_plain(words).partition(":")[0].rstrip(".").casefold() for words in bold}
    return [term for term in glossary if term.casefold() in said]


def with_anchors(html: str) -> str:
    """Give each word of the glossary an anchor of its own, and leave its text to ``entries``.

    >>> with_anchors("<dl>\\n<dt>KV cache</dt>\\n<dd>Keys.</dd>\\n</dl>").splitlines()[1]
    '<dt id="term-kv-cache">KV cache</dt>'
    """
    html = re.sub(r"<dl>(?=\s*<dt>)", '<dl class="lc-glossary">', html)  # the symbols' list has a class of its own
    return re.sub(r"<dt>(.*?)</dt>", lambda found: f'<dt id="{_anchor(found[1])}">{found[1]}</dt>', html)


def entries(html: str, url: str) -> list[dict[str, Any]]:
    """The glossary's words for the search index, each an entry of its own."""
    return [
        {"location": f"{url}#{_anchor(term)}", "title": _plain(term), "text": _plain(text), "boost": _LESSON}
        for term, text in _TERM.findall(html)
    ]


def _plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", "", html)).split())


def _anchor(term: str) -> str:
    return "term-" + re.sub(r"[^a-z0-9]+", "-", _plain(term).lower()).strip("-")
