"""Set-ups that the reader keeps, side by side."""

from typing import Any

from lessoncore.declaration import Field
from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.widgets.fields import FIGURES_UP_TO_12
from lessoncore.widgets.kinds import Kind


def _build(values: dict[str, Any], page: Page) -> str:
    part = {"kind": "setups", "figures": values["figures"]}
    return (
        '<section class="lc-box lc-compare lc-compare--kept" aria-label="Set-ups side by side" data-view="kept"'
        f' data-own="" data-later>{live(part, page)}</section>'
    )


SETUPS = Kind(
    name="setups",
    summary="Up to four set-ups side by side: the reader keeps the present one, changes something, and compares.",
    fields=(Field("figures", FIGURES_UP_TO_12, "The figures that are compared, one below the other."),),
    build=_build,
    example="kind: setups\nfigures: [ttft, tpot, output_cost]\n",
)
