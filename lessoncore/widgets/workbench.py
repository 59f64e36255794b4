"""The workbench: a short form with the rest folded, and the answers beside it. It is its page's stage."""

from typing import Any

from lessoncore.declaration import Field, Problem
from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.pictures import picture
from lessoncore.views.controls import control, controls, values_now
from lessoncore.views.markup import attribute, escape, quoted
from lessoncore.widgets.fields import (
    CONTROLS_UP_TO_6,
    FIGURES_UP_TO_4,
    FIGURES_UP_TO_8,
    FIGURES_UP_TO_40,
    GROUPS,
    PAGE_ADDRESS,
    SCENARIO,
    TITLED,
)
from lessoncore.widgets.kinds import Kind
from lessoncore.widgets.stage import ACTIONS, STATUS


def _build(values: dict[str, Any], page: Page) -> str:
    return (
        f'<figure class="lc-stage lc-form-side" aria-label="Your case" data-say={quoted({"say": values["tiles"][:4]})}>'
        f'<div class="lc-stage__top"><b class="lc-form-side__title">Your case</b>{ACTIONS}</div>'
        + controls(values["controls"], page.own)
        + "".join(_group(group, page) for group in values["groups"])
        + live({"kind": "glance", "figures": values["glance"]}, page, cls="lc-glance", tag="p")
        + values_now(changeable(values), page)
        + STATUS
        + "</figure>"
        '<section class="lc-answers" aria-label="Answers">'
        + live({"kind": "verdict"}, page)
        + live({"kind": "tiles", "figures": values["tiles"]}, page, cls="lc-tiles lc-tiles--many")
        + _measured(values, page)
        + _expected(values, page)
        + _more(values["more"], page)
        + f'<div class="lc-answers__pictures">{"".join(_picture(one, page) for one in values["pictures"])}</div>'
        + "</section>"
    )


def _group(group: dict[str, Any], page: Page) -> str:
    now = live({"kind": "set", "parameters": group["controls"]}, page, tag="span", cls="lc-group__now")
    inside = "".join(control(key, page.own) for key in group["controls"])
    name = escape(group["label"])
    return (
        f'<details class="lc-group"><summary><span class="lc-group__name">{name}</span> {now}</summary>'
        f'<div class="lc-controls" role="group" aria-label="{name}">{inside}</div></details>'
    )


def _measured(values: dict[str, Any], page: Page) -> str:
    """A place for the measurement that a link from the page with all measurements leads here from."""
    if not values["measurements"]:
        return ""
    return live(
        {"kind": "measured"}, page, cls="lc-expected lc-measured-here", extra='data-view="measured" data-own=""'
    )


def _expected(values: dict[str, Any], page: Page) -> str:
    """The error to expect of some figures, and the way to the measurements."""
    if not values["expected"]:
        return ""
    link = f' <a href="{attribute(values["measurements"])}">All measurements</a>' if values["measurements"] else ""
    return (
        '<section class="lc-expected" aria-label="How far off this is to be expected" data-later="slow">'
        f'<p class="lc-expected__title"><b>How far off?</b>{link}</p>'
        + live({"kind": "expected", "figures": values["expected"]}, page)
        + "</section>"
    )


def _more(figures: list[str], page: Page) -> str:
    if not figures:
        return ""
    table = live({"kind": "figures", "figures": figures}, page)
    return f'<details class="lc-fold lc-answers__more"><summary>More figures</summary>{table}</details>'


def _picture(one: dict[str, Any], page: Page) -> str:
    """A picture that is drawn once the rest is shown."""
    # Two side by side are never wide, so the wide drawing is left out where a picture can do without.
    narrow = one["picture"]["picture"] in _IN_ONE_SIZE
    size = {"size": "narrow"} if narrow else {}
    drawn = live({"kind": "picture", **one["picture"], **size}, page, cls="lc-stage__picture")
    return (
        f'<figure class="lc-figure{" lc-figure--narrow" if narrow else ""}" data-later>'
        f'<figcaption class="lc-figure__title">{escape(one["title"])}</figcaption>'
        f"{drawn}</figure>"
    )


_IN_ONE_SIZE = ("tank", "roofline")


def changeable(values: dict[str, Any]) -> list[str]:
    """The parameters that the reader can change, short form first."""
    return [*values["controls"], *(key for group in values["groups"] for key in group["controls"])]


def _verify(values: dict[str, Any], page: Page) -> list[Problem]:
    keys = changeable(values)
    problems = [
        Problem("groups", f"groups: '{key}' stands in the form twice.") for key in set(keys) if keys.count(key) > 1
    ]
    for one in values["pictures"]:
        problems += picture(one["picture"]["picture"]).verify(one["picture"], page, keys)
    return problems


WORKBENCH = Kind(
    name="workbench",
    summary="A stage for one's own case: a short form, the rest folded in groups, and the answers beside it.",
    fields=(
        Field("scenario", SCENARIO, "What is set before the reader changes anything.", {}),
        Field("controls", CONTROLS_UP_TO_6, "The short form."),
        Field("groups", GROUPS, "The rest, folded; what is set there stands beside each group's name.", []),
        Field("tiles", FIGURES_UP_TO_8, "The answers, most wanted first; a screen reader hears the first four."),
        Field("glance", FIGURES_UP_TO_8, "The figures that stay in sight below the form on a phone."),
        Field("expected", FIGURES_UP_TO_4, "Figures whose error to expect is told from measurements.", []),
        Field("measurements", PAGE_ADDRESS, "Address of the page with all measurements.", ""),
        Field("more", FIGURES_UP_TO_40, "Further figures, folded.", []),
        Field("pictures", TITLED, "Pictures below the answers, two side by side."),
    ),
    build=_build,
    verify=_verify,
    moves=changeable,
    shows=lambda values: [*values["tiles"], *values["more"]],
    example="""\
kind: workbench
scenario: {gpu: h100-sxm, model: llama-3.1-8b}
controls: [gpu, model, prompt, output, batch]
groups:
  - {label: GPUs, controls: [gpus, replicas]}
  - {label: Number formats, controls: [weights, maths, kv]}
glance: [ttft, tpot]
expected: [ttft, tpot]
more: [decode_share, largest_batch]
pictures:
  - {title: Memory, picture: tank}
  - {title: Both phases on the roofline, picture: roofline}
tiles: [ttft, tpot, total, memory_used]
""",
)
