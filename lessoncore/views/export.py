"""Exports as HTML: the text of each file with its buttons, and what came of a file that was read in."""

from lessoncore.errors import LessonError
from lessoncore.exports import WRITERS, Read, different, read_json
from lessoncore.page import Page
from lessoncore.views.code import highlighted
from lessoncore.views.markup import as_spec, attribute, escape
from lessoncore.views.setting import value_text

# Format -> what it is called, the file's name, and its type.
FILES = {
    "json": ("JSON", "token-cost.json", "application/json"),
    "csv": ("CSV", "token-cost.csv", "text/csv"),
    "markdown": ("Markdown", "token-cost.md", "text/markdown"),
    "python": ("Python", "token_cost.py", "text/x-python"),
}


def file(form: str, page: Page) -> str:
    """The text of an export, which the buttons beside it copy and save."""
    text = WRITERS[form](page)
    _, name, kind = FILES[form]
    shown = (
        highlighted(text)
        if form == "python"
        else f'<div class="highlight"><pre tabindex="0"><code>{escape(text)}</code></pre></div>'
    )
    return (
        f'<div data-file="{name}" data-type="{kind}"><div class="lc-editor__row">'
        '<button type="button" class="lc-button" data-copies>Copy</button>'
        f'<button type="button" class="lc-button" data-saves>Save as file</button></div>{shown}</div>'
    )


def taken_in(page: Page) -> str:
    """What came of the file that was read in: the page is set to it, or what is wrong with it."""
    if not page.inputs.get("export.do"):
        return ""
    text = page.inputs.get("export.text", "")
    if not text.strip():
        return _said("wrong", "Nothing to read.", "Paste a JSON export or choose a file.")
    try:
        read = read_json(text)
        page.own.but(**read.changes)  # all of them together
        others = different(read, page)
    except LessonError as error:
        return _said("wrong", "Not read.", str(error)[:600])
    state = {key: value_text(value) for key, value in read.changes.items()}
    spec = as_spec({"state": state, "anew": True})
    notes = _notes(read, others)
    return (
        _said("right", "Read.", f"The page was set to the {len(read.changes)} parameters of the file.{notes}")
        + f'<button type="button" class="lc-button" data-set="{attribute(spec)}" data-set-now>Set it again</button>'
        + (f"<p>Its code, for the editor:</p>{highlighted(read.code)}" if read.code else "")
    )


def _notes(read: Read, others: list[str]) -> str:
    if read.code:
        return " It was made with code of its own, which isn’t run by itself: paste it into the editor."
    if others:
        few = ", ".join(others[:3]) + (" and others" if len(others) > 3 else "")
        return f" Some figures in the file differ from this page’s: {few}. It may come from another version."
    return ""


def _said(kind: str, headline: str, words: str) -> str:
    return f'<p class="lc-editor__said lc-editor__said--{kind}"><b>{escape(headline)}</b> {escape(words)}</p>'
