"""A form for a reader's own load: arrivals, lengths, how prompts are read, and what a reader pastes."""

from typing import Any

from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.widgets.kinds import Kind

_NAME = "load"
_GROUPS = (
    ("The load", ("arrivals", "rate", "variation", "users", "think", "requests")),
    ("The requests", ("lengths", "prompt", "output", "spread", "cached")),
    ("The server", ("prefill", "budget", "ttft", "tpot")),
)
_PASTED = {
    "trace": (
        "The trace: arrival in seconds, prompt tokens, answer tokens, a line a request",
        "arrival_s,prompt_tokens,output_tokens\n0.0,2000,500\n0.4,350,120",
    ),
    "seen": (
        "The lengths: prompt tokens, answer tokens, a line a request; each simulated request draws one of them",
        "prompt_tokens,output_tokens\n2000,500\n350,120",
    ),
}
_AFTER = {"arrivals": "trace", "lengths": "seen"}  # the choice that one of its options asks a text for


def _build(values: dict[str, Any], page: Page) -> str:
    from lessoncore.serving.own_load import MOST_REQUESTS  # with the simulation, which few pages show

    def part(show: str, tag: str = "div", cls: str = "", **more: str) -> str:
        extra = 'role="status"' if show == "said" else ""
        return live({"kind": "load", "name": _NAME, "show": show, **more}, page, tag, cls, extra)

    groups = "".join(_group(title, keys, page, part) for title, keys in _GROUPS)
    return (
        '<details class="lc-box lc-load"><summary>Your own load</summary>'
        "<p>Other arrivals, other lengths, a trace of your own. Model, GPU, batch and copies are those above. At most "
        f"{MOST_REQUESTS:,} requests.</p>"
        f'<form class="lc-form" method="dialog" autocomplete="off" novalidate>{groups}'
        f'<p class="lc-load__go"><button type="submit" class="lc-button lc-button--first" name="{_NAME}.do"'
        ' value="simulate">Simulate</button></p>'
        f"{part('said', cls='lc-said')}{part('results', cls='lc-results lc-load__results')}</form></details>"
    )


def _group(title: str, keys: tuple[str, ...], page: Page, part: Any) -> str:
    from lessoncore.serving.own_load import CHOICES, ENTRIES, MOST_CHARACTERS, TEXTS, defaults
    from lessoncore.views.entry_fields import choice_field, number_field, text_field

    first = defaults(page.own)

    def error(key: str) -> str:
        return str(part("error", "span", field=key))

    fields = "".join(
        choice_field(_NAME, CHOICES[key], first[key], error)
        if key in CHOICES
        else number_field(_NAME, ENTRIES[key], first[key], error)
        for key in keys
    )
    for key in keys:
        if text := _AFTER.get(key):
            fields += text_field(_NAME, text, _PASTED[text][0], TEXTS[text], MOST_CHARACTERS, _PASTED[text][1], error)
    return f'<fieldset class="lc-entries"><legend>{title}</legend>{fields}</fieldset>'


OWN_LOAD = Kind(
    name="own-load",
    summary="A folded form: arrivals, lengths and scheduling of a reader's own, simulated, and the results as a table.",
    fields=(),
    build=_build,
    wide=True,
    example="kind: own-load\n",
)
