"""The stage: tiles, a picture and the controls that move the page's scenario."""

from typing import Any

from lessoncore.declaration import Field, Problem
from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.pictures import picture
from lessoncore.views.controls import controls, values_now
from lessoncore.views.markup import quoted
from lessoncore.widgets.fields import CONTROLS, FIGURES_UP_TO_4, OFFERED, PICTURE, SCENARIO
from lessoncore.widgets.kinds import Kind

_PLAYER = (
    '<div class="lc-player" role="group" aria-label="Play the request">'
    '<button type="button" class="lc-player__play" aria-pressed="false" aria-label="Play">'
    '<svg viewBox="0 0 16 16" aria-hidden="true"><path class="lc-icon-play" d="M4 2v12l10-6z"/>'
    '<path class="lc-icon-pause" d="M3 2h4v12H3zM9 2h4v12H9z"/></svg></button>'
    '<span class="lc-player__clock" data-caption="1"></span>'
    '<input type="range" class="lc-player__scrub" min="0" max="1000" step="1" value="0"'
    ' aria-label="Moment of the request" autocomplete="off">'
    '<label class="lc-player__speed">Speed <select autocomplete="off">'
    '<option value="0.25">¼×</option><option value="1" selected>1×</option>'
    '<option value="4">4×</option><option value="16">16×</option></select></label></div>'
)


def _build(values: dict[str, Any], page: Page) -> str:
    asks = {"asks": page.asks} if page.asks else {}
    drawn = live({"kind": "picture", **values["picture"], **asks}, page, cls="lc-stage__picture")
    if picture(values["picture"]["picture"]).slow:
        drawn += live({"kind": "ahead", "controls": values["controls"]}, page, extra="hidden")
    return (
        f'<figure class="lc-stage" aria-label="Live model of the request" data-say={quoted({"say": values["tiles"]})}>'
        f'<div class="lc-stage__top">{live({"kind": "chips"}, page, cls="lc-chips")}{ACTIONS}</div>'
        + live({"kind": "tiles", "figures": values["tiles"], **asks}, page, cls="lc-tiles")
        + drawn
        + (_PLAYER if picture(values["picture"]["picture"]).film else "")
        + controls(values["controls"], page.own, values["offered"])
        + values_now(values["controls"], page)
        + STATUS
        + "</figure>"
    )


ACTIONS = (
    '<div class="lc-actions"><button type="button" class="lc-copy">Copy link</button>'
    '<button type="button" class="lc-reset">Reset</button></div>'
)
STATUS = (
    '<p class="lc-status"><span class="lc-status__text" role="status"></span> '
    '<button type="button" class="lc-retry" hidden>Try again</button></p>'
    '<p class="lc-said" role="status" aria-live="polite"></p>'
    '<p class="lc-still">Moving the controls needs JavaScript. Everything here is computed for the example above.</p>'
)


def _verify(values: dict[str, Any], page: Page) -> list[Problem]:
    shown = values["picture"]
    return picture(shown["picture"]).verify(shown, page, values["controls"])


STAGE = Kind(
    name="stage",
    summary="The page's scenario: up to four tiles, one picture, and up to three controls. One on a page.",
    fields=(
        Field("scenario", SCENARIO, "What the page is about before the reader changes anything.", {}),
        Field("tiles", FIGURES_UP_TO_4, "The figures at a glance."),
        Field("picture", PICTURE, "The picture below the tiles."),
        Field("controls", CONTROLS, "What the reader can change: the step's own idea."),
        Field("offered", OFFERED, "The options that a control lists, where all would be too many.", {}),
    ),
    build=_build,
    verify=_verify,
    moves=lambda values: values["controls"],
    shows=lambda values: values["tiles"],
    example="""\
kind: stage
scenario: {gpu: h100-sxm, model: llama-3.1-8b, prompt: 2000, output: 500}
tiles: [ttft, tpot, total, memory_used]
picture: timeline
controls: [prompt, output]
""",
)
