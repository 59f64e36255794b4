"""What tokens cost: prompt and answer apart, the price of a GPU hour, and where that price comes from."""

from typing import Any

from lessoncore.declaration import Field
from lessoncore.figures import figure
from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.views.controls import control
from lessoncore.views.markup import escape
from lessoncore.widgets.fields import SOME_FIGURES
from lessoncore.widgets.kinds import Kind

_FIGURES = ("input_cost", "output_cost")


def _build(values: dict[str, Any], page: Page) -> str:
    shown = "<br>".join(_figure(key, page) for key in values["of"])
    own = "" if "price" in page.controls else f'<div class="lc-controls">{control("price", page.own)}</div>'
    return (
        '<section class="lc-box lc-cost" aria-label="What it costs"><p class="lc-box__title">What it costs</p>'
        f"<p>{shown}</p>{own}{live({'kind': 'price'}, page, tag='p', cls='lc-cost__source')}</section>"
    )


def _figure(key: str, page: Page) -> str:
    number = live({"kind": "number", "figure": key}, page, tag="a", cls="lc-n lc-n--plain", extra=f'href="#why-{key}"')
    return f"{escape(figure(key).label)}: {number}"


COST = Kind(
    name="cost",
    summary="What a million tokens cost here, prompt and answer apart, with the price of a GPU hour to set.",
    fields=(Field("of", SOME_FIGURES, "Other prices than those of tokens.", default=_FIGURES),),
    build=_build,
    shows=lambda values: list(values["of"]),
    example="kind: cost\nof: [input_cost, output_cost, request_cost]\n",
)
