"""What the search leaves out: pictures, controls, formulas and code. Prose, titles and the glossary's words stay."""

import re

# Material's search skips an element with this attribute, with all that is in it.
_MARK = " data-search-exclude"
_TAGS = ("math", "svg", "form", "button", "select", "textarea", "summary", "pre")
_CLASSES = (
    *("lc-stage", "lc-stage__picture", "lc-data", "lc-predict__guess", "lc-compare", "lc-drill", "lc-resume"),
    *("lc-whys", "lc-fold", "lc-declared", "lc-task__state", "highlight", "lc-answers", "lc-sweep"),
)
_START = re.compile(
    rf"<(?:{'|'.join(_TAGS)})(?=[\s>])"
    rf"|<\w+ class=\"(?:[\w-]+ )*(?:{'|'.join(_CLASSES)})(?=[\" ])[^\"]*\""
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
