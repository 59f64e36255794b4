"""Links that set the page to another scenario, and the places in which a parameter without a control is kept."""

from typing import Any
from urllib.parse import urlencode

from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS
from lessoncore.views.markup import as_spec, attribute

_LONGEST = 200  # of a value in a link: a pasted text stays out


def set_link(html: str, changes: dict[str, Any], page: Page, anew: bool = False) -> str:
    """A link that sets parameters of the page; its address has all that differs from the page's own scenario.

    ``anew`` gives the other parameters the page's own values first.
    """
    values = {key: value_text(value) for key, value in changes.items()}
    kept = {} if anew else _present(page)
    address = {key: text for key, text in kept.items() if key not in values}
    own = {key: value_text(getattr(page.own, key)) for key in values}
    address |= {key: text for key, text in values.items() if text != own[key]}
    spec = as_spec({"state": values, "anew": anew})
    return f'<a href="?{attribute(urlencode(address))}" data-set="{attribute(spec)}">{html}</a>'


def value_text(value: Any) -> str:
    """A parameter's value as the address has it.

    >>> value_text(2), value_text(2.5), value_text("h100-sxm")
    ('2', '2.5', 'h100-sxm')
    """
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _present(page: Page) -> dict[str, str]:
    """What the reader has changed, as far as an address can say it."""
    present: dict[str, str] = {}
    for key in PARAMETERS:
        value = getattr(page.scenario, key)
        if isinstance(value, str | int | float) and value != getattr(page.own, key):
            text = value_text(value)
            present |= {key: text} if len(text) <= _LONGEST else {}
    return present


def settable(keys: list[str], page: Page) -> str:
    """A place for each parameter that no control of the page has, so that a link or an address can set it."""
    return "".join(_place(key, page) for key in keys if key not in page.controls and _is_first(key, page))


def _is_first(key: str, page: Page) -> bool:
    name = f"settable {key}"
    page.placed[name] = page.placed.get(name, 0) + 1
    return page.placed[name] == 1


def _place(key: str, page: Page) -> str:
    own = attribute(value_text(getattr(page.own, key)))
    return (
        f'<div class="lc-settable" data-parameter="{key}"><input type="hidden" value="{own}" data-own="{own}"'
        ' autocomplete="off"><p class="lc-control__error" hidden></p></div>'
    )
