"""The drill: fresh numeric questions with answers typed freely, checked with a stated tolerance."""

from typing import Any

from lessoncore.declaration import Field
from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.views.markup import attribute, escape
from lessoncore.widgets.fields import DRILLS, TEXT, WHOLE
from lessoncore.widgets.kinds import Kind


def _build(values: dict[str, Any], page: Page) -> str:
    name = f"drill-{'-'.join(values['drills'])}"[:60]
    spec: dict[str, Any] = {"kind": "drill", "name": name, "drills": values["drills"]}
    if values["questions"]:
        spec["questions"] = values["questions"]

    def piece(show: str, tag: str = "div", extra: str = "") -> str:
        return live({**spec, "show": show}, page, tag, f"lc-drill__{show}", extra)

    n = attribute(name)
    return (
        f'<section class="lc-box lc-drill" aria-labelledby="{n}-title">'
        '<form class="lc-form" method="dialog" autocomplete="off" novalidate>'
        f'<div class="lc-drill__top"><p class="lc-box__title" id="{n}-title">{escape(values["title"])}</p>'
        f"{piece('place')}</div>"
        f'<input type="hidden" name="{n}.seed" value="" data-random autocomplete="off">'
        f"{piece('question')}"
        f'<div class="lc-drill__row"><label for="{n}-answer">Your answer, {piece("unit", "span")}</label>'
        f'<input type="text" id="{n}-answer" name="{n}.answer" aria-describedby="{n}-question {n}-hint"'
        ' autocomplete="off" autocapitalize="off" spellcheck="false">'
        f'<button type="submit" class="lc-button lc-button--first" name="{n}.do" value="check">Check</button>'
        f'<button type="submit" class="lc-button" name="{n}.do" value="next" data-fresh>Next question</button></div>'
        f'<p class="lc-drill__hint" id="{n}-hint">{piece("hint", "span")}</p>'
        f"{piece('verdict', extra='role="status"')}"
        f'<details class="lc-drill__answer" data-sends="{n}.do=show"><summary>Worked solution</summary>'
        f"{piece('solution')}</details>"
        '<p class="lc-status"><span class="lc-status__text" role="status"></span> '
        '<button type="button" class="lc-retry" hidden>Try again</button></p>'
        '<p class="lc-still">Checking answers and further questions need JavaScript.</p>'
        "</form></section>"
    )


DRILL_KIND = Kind(
    name="drill",
    summary="Fresh numeric questions; typed answers are checked, likely mistakes named, solutions worked out.",
    fields=(
        Field("drills", DRILLS, "What the questions are about. With several they take turns."),
        Field("questions", WHOLE, "How many to aim for; further ones can always be had. Left out: no number.", 0),
        Field("title", TEXT, "What stands above the questions.", "Drill"),
    ),
    build=_build,
    example="""\
kind: drill
drills: [decode-limit]
questions: 5
""",
    more=(
        """\
kind: drill
title: "Recall: what you worked out before"
drills: [ridge-point, kv-per-token, users-that-fit]
""",
    ),
)
