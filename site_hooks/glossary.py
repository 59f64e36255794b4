"""The glossary's definitions, for the words of the steps: one source for the page and for the hints."""

import re

_ENTRY = re.compile(r"^(?P<term>[^\s:#`].*)\n:   (?P<text>(?:.+\n(?:    .+\n)*))", re.MULTILINE)


def definitions(markdown: str) -> dict[str, str]:
    """Read the definition list of the glossary page.

    >>> definitions("token\\n:   A piece\\n    of text.\\n\\n")
    {'token': 'A piece of text.'}
    """
    return {m["term"]: " ".join(m["text"].split()) for m in _ENTRY.finditer(markdown)}


def as_abbreviations(glossary: dict[str, str]) -> list[str]:
    """Write the definitions as Markdown's abbreviations, for the plural and the beginning of a sentence too.

    >>> as_abbreviations({"token": "A piece of text."})[1:3]
    ['*[tokens]: A piece of text.', '*[Token]: A piece of text.']
    """
    return [
        f"*[{written}]: {text}"
        for term, text in glossary.items()
        for first in dict.fromkeys((term, term[0].upper() + term[1:]))
        for written in ((first,) if term.endswith(("s", "h")) else (first, f"{first}s"))
    ]


def first_only(html: str) -> str:
    """Keep the hint at the first use of a word in a page's text; a page full of dotted words is hard to read."""
    seen: set[str] = set()

    def keep(match: re.Match[str]) -> str:
        if match["title"] in seen:
            return match["word"]
        seen.add(match["title"])
        return f'<abbr tabindex="0" title="{match["title"]}">{match["word"]}</abbr>'

    html = re.sub(r"<h\d[ >].*?</h\d>", lambda heading: re.sub(r"</?abbr[^>]*>", "", heading[0]), html, flags=re.DOTALL)
    return re.sub(r'<abbr title="(?P<title>[^"]*)">(?P<word>.*?)</abbr>', keep, html)
