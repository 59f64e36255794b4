"""What the page's server can take: the highest rate that keeps the promise, and users in, GPUs out."""

from typing import Any

from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.views.markup import escape
from lessoncore.widgets.kinds import Kind

_NAME = "capacity"


def _build(values: dict[str, Any], page: Page) -> str:
    from lessoncore.serving.capacity import DEFAULTS, ENTRIES  # with the simulation, which few pages show
    from lessoncore.views.capacity import promise
    from lessoncore.views.entry_fields import number_field

    def part(show: str, tag: str = "div", cls: str = "", **more: str) -> str:
        extra = 'role="status"' if show == "said" else ""
        return live({"kind": "capacity", "name": _NAME, "show": show, **more}, page, tag, cls, extra)

    fields = "".join(
        number_field(_NAME, entry, DEFAULTS[key], lambda of: part("error", "span", field=of))
        for key, entry in ENTRIES.items()
    )
    return (
        '<section class="lc-box lc-capacity" data-later aria-label="How much load keeps the promise">'
        '<div><p class="lc-box__title">The highest rate that keeps the promise</p>'
        f"{part('rate', cls='lc-capacity__found')}</div>"
        '<form class="lc-form" method="dialog" autocomplete="off" novalidate>'
        '<p class="lc-box__title">Users in, GPUs out</p>'
        f'<div class="lc-entries">{fields}<button type="submit" class="lc-button lc-button--first"'
        f' name="{_NAME}.do" value="find">Find the GPUs</button></div>'
        f"{part('gpus', cls='lc-capacity__found')}{part('said', cls='lc-said')}</form>"
        f'<p class="lc-capacity__promise">The promise: {escape(promise())}.</p></section>'
    )


CAPACITY = Kind(
    name="capacity",
    summary="The highest rate that keeps the promise, found by search, and how many GPUs a number of users needs.",
    fields=(),
    build=_build,
    wide=True,
    example="kind: capacity\n",
)
