"""Fields of a form, each with its label and the place where it is said what is wrong with it."""

from collections.abc import Callable

from lessoncore.entries import Choice, Entry
from lessoncore.views.markup import attribute, escape


def number_field(name: str, entry: Entry, value: str, error: Callable[[str], str]) -> str:
    """A field for a number; ``error`` writes the live part for its mistakes."""
    help_ = f'<span class="lc-field__help">{escape(entry.help)}</span>' if entry.help else ""
    return _field(
        name,
        entry.key,
        entry.only,
        f"{escape(entry.label)}{help_}",
        f'<input type="text" inputmode="decimal" id="{_id(name, entry.key)}" name="{_name(name, entry.key)}"'
        f' value="{attribute(value)}" aria-describedby="{_id(name, entry.key)}-error" autocomplete="off"'
        ' spellcheck="false">',
        error,
    )


def choice_field(name: str, choice: Choice, value: str, error: Callable[[str], str]) -> str:
    """A select box."""
    options = "".join(
        f'<option value="{attribute(key)}"{" selected" if key == value else ""}>{escape(words)}</option>'
        for key, words in choice.options.items()
    )
    return _field(
        name,
        choice.key,
        choice.only,
        escape(choice.label),
        f'<select id="{_id(name, choice.key)}" name="{_name(name, choice.key)}"'
        f' aria-describedby="{_id(name, choice.key)}-error" autocomplete="off">{options}</select>',
        error,
        " lc-entry--choice",
    )


def text_field(
    name: str, key: str, label: str, only: tuple[str, ...], most: int, example: str, error: Callable[[str], str]
) -> str:
    """A field for many lines, of which at most ``most`` characters are read."""
    return _field(
        name,
        key,
        only,
        escape(label),
        f'<textarea id="{_id(name, key)}" name="{_name(name, key)}" rows="6" data-most="{most}"'
        f' placeholder="{attribute(example)}" aria-describedby="{_id(name, key)}-error" autocomplete="off"'
        ' spellcheck="false"></textarea>',
        error,
        " lc-entry--wide",
    )


def below(entry: Entry | None, text: str, problem: str) -> str:
    """What stands below a field: what is wrong with it, or unseen how it was read, which the page puts into it."""
    if problem:
        return escape(problem)
    read = entry.as_read(text) if entry else ""
    return as_read(text, read) if read else ""


def as_read(typed: str, read: str, name: str = "") -> str:
    """Unseen: how a field was read that was sent with ``typed``. It has a ``name`` unless this stands below it."""
    of = f' data-read="{attribute(name)}"' if name else ""
    return f'<data value="{attribute(read)}" data-typed="{attribute(typed)}"{of}></data>'


def _field(
    name: str,
    key: str,
    only: tuple[str, ...],
    label: str,
    control: str,
    error: Callable[[str], str],
    cls: str = "",
) -> str:
    asked = f' data-only="{attribute(" ".join(only))}"' if only else ""
    return (
        f'<div class="lc-entry{cls}"{asked}><label for="{_id(name, key)}">{label}</label>{control}'
        f'<p class="lc-field__error" id="{_id(name, key)}-error">{error(key)}</p></div>'
    )


def _id(name: str, key: str) -> str:
    return attribute(f"{name}-{key}")


def _name(name: str, key: str) -> str:
    return attribute(f"{name}.{key}")
