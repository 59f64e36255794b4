"""Controls for the parameters of a scenario: native, labelled, and complete before any script runs."""

from lessoncore.parameters import PARAMETERS, Choice, Count
from lessoncore.scenario import Scenario
from lessoncore.views.markup import attribute, escape


def controls(keys: list[str], scenario: Scenario) -> str:
    """Write a control for each parameter, set to the scenario's value."""
    shown = "".join(_control(key, scenario) for key in keys)
    return f'<div class="lc-controls" role="group" aria-label="Change the scenario">{shown}</div>'


def _control(key: str, scenario: Scenario) -> str:
    p = PARAMETERS[key]
    inner = _count(p, getattr(scenario, key)) if isinstance(p, Count) else _choice(p, getattr(scenario, key))
    return (
        f'<div class="lc-control" data-parameter="{key}">{inner}'
        f'<p class="lc-control__error" id="lc-{key}-error" hidden></p></div>'
    )


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


def _choice(p: Choice, value: str) -> str:
    options = "".join(
        f'<option value="{attribute(key)}"{" selected" if key == value else ""}>{escape(p.text(key))}</option>'
        for key in p.options()
    )
    return (
        f'<label for="lc-{p.key}">{escape(p.label)}</label>'
        f'<select id="lc-{p.key}" data-own="{attribute(value)}" aria-describedby="lc-{p.key}-error"'
        f' autocomplete="off">{options}</select>'
    )
