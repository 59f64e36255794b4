"""What would it take: targets typed freely, answered with the cheapest choice of the catalogue."""

from typing import Any

from lessoncore import catalogue
from lessoncore.declaration import Field, Problem
from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.target import price_of
from lessoncore.views.markup import attribute, escape
from lessoncore.views.setting import settable
from lessoncore.views.target import WANTED, read_targets
from lessoncore.widgets.fields import TEXT, pick
from lessoncore.widgets.kinds import Kind

_SET = ["gpu", "gpus", "weights", "maths", "batch", "replicas", "price"]
_WIDTHS = {"any": "of any width", "8": "of 8 bits or more", "16": "of 16 bits"}


def _own(values: dict[str, Any]) -> dict[str, str]:
    return {key: str(values[key]) for key in (*WANTED, "bits") if values[key]}


def _build(values: dict[str, Any], page: Page) -> str:
    own = _own(values)
    fields = "".join(
        f'<div class="lc-field"><label for="target-{key}">{escape(wanted.label)}<small>{wanted.hint}</small></label>'
        f'<input type="text" id="target-{key}" name="target.{key}" value="{attribute(own.get(key, ""))}"'
        ' autocomplete="off" autocapitalize="off" spellcheck="false"></div>'
        for key, wanted in WANTED.items()
    )
    options = "".join(
        f'<option value="{key}"{" selected" if key == own.get("bits", "any") else ""}>{words}</option>'
        for key, words in _WIDTHS.items()
    )
    spec = {"kind": "target", "own": own}
    return (
        '<section class="lc-box lc-tool lc-target" aria-labelledby="target-title">'
        '<p class="lc-box__title" id="target-title">What would it take?</p>'
        "<p>Name what you want for the model and the request of this page. Every GPU of the catalogue is tried, with 1 "
        "to 8 of them and each number format; the cheapest by the hour comes first.</p>"
        '<form class="lc-form lc-fields lc-fields--row" method="dialog" autocomplete="off" novalidate'
        ' data-kept="target">'
        f"{fields}"
        f'<div class="lc-field"><label for="target-bits">Weights<small>that are tried</small></label>'
        '<select id="target-bits" name="target.bits"'
        f' autocomplete="off">{options}</select></div>'
        '<div class="lc-field lc-field--button"><button type="submit" class="lc-button lc-button--first"'
        ' name="target.do" value="find">Find</button></div>'
        f"{_prices()}</form>"
        + live({**spec, "show": "status"}, page, cls="lc-target__status", extra='role="status"')
        + live({**spec, "show": "result"}, page, cls="lc-target__result")
        + settable(_SET, page)
        + '<p class="lc-still">Other targets need JavaScript.</p></section>'
    )


def _prices() -> str:
    """A field for the reader's own price of each GPU, with what sources say."""
    fields = "".join(_price(gpu) for gpu in catalogue.keys("gpus"))
    without = sum(price_of(gpu) is None for gpu in catalogue.keys("gpus"))
    return (
        '<details class="lc-fold lc-target__prices"><summary>Prices of a GPU hour, USD: '
        f"for {without} of {len(catalogue.keys('gpus'))} GPUs no source is known</summary><div>"
        "<p>Without yours the low end counts, the same for all GPUs. The page’s own price field has the middle.</p>"
        f'<div class="lc-fields lc-fields--row">{fields}</div></div></details>'
    )


def _price(gpu: str) -> str:
    price, row = price_of(gpu), catalogue.gpu(gpu)
    known = (
        "no source" if not price else f"{price.low:.2f} to {price.high:.2f}" if price.high else f"from {price.low:.2f}"
    )
    source = f' title="{attribute(f"{row.price_source}, {row.price_month}")}"' if price else ""
    return (
        f'<label class="lc-field"{source}>{escape(row.label)}<input type="text" inputmode="decimal"'
        f' name="target.price.{gpu}" placeholder="{known}" autocomplete="off"></label>'
    )


def _verify(values: dict[str, Any], page: Page) -> list[Problem]:
    own = _own(values)
    _, problems = read_targets(own)
    return [Problem(key, f"{key}: {words}") for key, words in problems.items()]


TARGET = Kind(
    name="target",
    summary="What it would take: the reader names a TTFT, TPOT, cost or number of users and gets the cheapest choice.",
    fields=(
        Field("ttft", TEXT, "The time to first token that is asked for at first, with its unit.", ""),
        Field("tpot", TEXT, "The time per token that is asked for at first, with its unit.", ""),
        Field("cost", TEXT, "The price of a million answer tokens that is asked for at first.", ""),
        Field("users", TEXT, "The number of users at once that is asked for at first.", ""),
        Field("bits", pick("any", "8", "16"), "The narrowest weights that are tried at first.", "any"),
    ),
    build=_build,
    verify=_verify,
    example='kind: target\nttft: 300 ms\ntpot: 20 ms\nusers: "64"\nbits: "8"\n',
)
