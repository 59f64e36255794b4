"""Controls for the parameters of a scenario: native, labelled, and complete before any script runs."""

from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS, Choice, Count, Pasted
from lessoncore.scenario import Scenario
from lessoncore.units import show
from lessoncore.views.markup import attribute, escape


def controls(keys: list[str], scenario: Scenario, offered: dict[str, list[str]] | None = None) -> str:
    """Write a control for each parameter, set to the scenario's value; ``offered`` are the options that are listed."""
    shown = "".join(control(key, scenario, (offered or {}).get(key)) for key in keys)
    return f'<div class="lc-controls" role="group" aria-label="Change the scenario">{shown}</div>'


def control(key: str, scenario: Scenario, offered: list[str] | None = None) -> str:
    """Write the control of one parameter."""
    p = PARAMETERS[key]
    value = getattr(scenario, key)
    inner = (
        _count(p, value)
        if isinstance(p, Count)
        else _pasted(p)
        if isinstance(p, Pasted)
        else _choice(p, value, offered)
    )
    instead = f' data-instead="{p.instead}"' if isinstance(p, Pasted) else ""
    return (
        f'<div class="lc-control" data-parameter="{key}"{instead}>{inner}'
        f'<p class="lc-control__error" id="lc-{key}-error" hidden></p></div>'
    )


def values_now(keys: list[str], page: Page) -> str:
    """What the controls of a page are set to, for readers whose scripts are off: they see no control."""
    each = "".join(
        f"<div><dt>{escape(PARAMETERS[key].label)}</dt><dd>{escape(words)}</dd></div>"
        for key in keys
        if (words := _value_now(key, page))
    )
    return f'<dl class="lc-still lc-still--values">{each}</dl>'


def _value_now(key: str, page: Page) -> str:
    p, value = PARAMETERS[key], getattr(page.own, key)
    if isinstance(p, Pasted):
        return ""
    price = page.estimate(own=True).price
    if key == "price" and not value and price:
        return f"{show(price.value, 'USD/h')}, from the catalogue"
    return p.text(value)


def _count(p: Count, value: int) -> str:
    # The slider moves over stops, not values: even steps over several decades, without any arithmetic in the page.
    stops = attribute("|".join(p.text(stop) for stop in p.stops))
    shown = p.text(value)
    return (
        f'<label for="lc-{p.key}">{escape(p.label)}</label>'
        f'<input type="range" min="0" max="{len(p.stops) - 1}" step="1" value="{p.position(value)}"'
        f' data-stops="{stops}" aria-label="{attribute(p.label)}" aria-valuetext="{shown}" autocomplete="off">'
        f'<input type="text" inputmode="numeric" id="lc-{p.key}" value="{shown}" data-own="{shown}"'
        f' aria-describedby="lc-{p.key}-error" autocomplete="off" spellcheck="false">'
    )


def _pasted(p: Pasted) -> str:
    """A field for a file's text: pasted, dropped or chosen. The page reads a file itself and sends it nowhere."""
    from lessoncore.pasted import MOST_CHARACTERS

    return (
        f'<label for="lc-{p.key}">{escape(p.label)}</label>'
        f'<textarea id="lc-{p.key}" rows="5" data-own="" data-most="{MOST_CHARACTERS}" autocomplete="off"'
        f' spellcheck="false" placeholder="{{&quot;model_type&quot;: &quot;llama&quot;, …}}"'
        f' aria-describedby="lc-{p.key}-error lc-{p.key}-about"></textarea>'
        f'<p class="lc-control__about" id="lc-{p.key}-about"></p>'
        '<p class="lc-control__aside" hidden>Not in use: another model was chosen. '
        '<button type="button" class="lc-set" data-again>Use it again</button></p>'
        '<p class="lc-control__file"><label class="lc-set">Choose a file'
        '<input type="file" accept=".json,application/json,text/plain" data-reads></label>'
        f'<button type="button" class="lc-set" data-set="{attribute(_CLEARED)}">Clear</button></p>'
    )


_CLEARED = '{"state":{"config":""}}'


def _choice(p: Choice, value: str, offered: list[str] | None) -> str:
    # An address can still carry an option that isn't listed, and then the box shows it.
    options = "".join(
        f'<option value="{attribute(key)}"{" selected" if key == value else ""}'
        f"{'' if offered is None or key in offered else ' hidden'}>{escape(p.text(key))}</option>"
        for key in p.options()
    )
    return (
        f'<label for="lc-{p.key}">{escape(p.label)}</label>'
        f'<select id="lc-{p.key}" data-own="{attribute(value)}" aria-describedby="lc-{p.key}-error"'
        f' autocomplete="off">{options}</select>'
    )
