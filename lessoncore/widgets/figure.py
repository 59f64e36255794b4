"""A picture in the text, outside of the stage."""

import re
from typing import Any

from lessoncore.declaration import Field, Problem
from lessoncore.figures import figure
from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.pictures import picture
from lessoncore.views.markup import escape
from lessoncore.widgets.fields import CAPTION, LIVE_NUMBER, PICTURE
from lessoncore.widgets.kinds import Kind


def _build(values: dict[str, Any], page: Page) -> str:
    return (
        '<figure class="lc-figure">'
        + live({"kind": "picture", **values["picture"]}, page, cls="lc-stage__picture")
        + f"<figcaption>{_caption(values['caption'], page)}</figcaption></figure>"
    )


def _caption(words: str, page: Page) -> str:
    """The author's words, with figures that stay live."""
    pieces = re.split(LIVE_NUMBER, words)  # text, name, text, name, …, text
    return "".join(_number(piece, page) if i % 2 else escape(piece) for i, piece in enumerate(pieces))


def _number(name: str, page: Page) -> str:
    quantity = figure(name).of(page.estimate())
    concept = quantity.meaning.concept if quantity else ""
    return live({"kind": "number", "figure": name}, page, tag="span", cls=f"lc-n lc-n--{concept or 'plain'}")


def _verify(values: dict[str, Any], page: Page) -> list[Problem]:
    shown = values["picture"]
    return picture(shown["picture"]).verify(shown, page, page.controls)


PICTURE_KIND = Kind(
    name="picture",
    summary="A picture in the text with a caption. A film stands still in its telling moment; only the stage plays.",
    fields=(
        Field("picture", PICTURE, "The picture."),
        Field("caption", CAPTION, "What to see in it. {{ name }} is a figure of the page's scenario."),
    ),
    build=_build,
    verify=_verify,
    example="""\
kind: picture
picture: tank
caption: The weights take {{ weight_bytes }}; the rest is for the KV cache.
""",
)
