"""The lie detector: a benchmark claim is pasted, understood, corrected, and held against the hardware's ceilings."""

from typing import Any

from lessoncore.declaration import Field
from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.views.markup import escape
from lessoncore.views.setting import settable
from lessoncore.widgets.fields import TEXT
from lessoncore.widgets.kinds import Kind

_SET = ["gpu", "model", "gpus", "weights", "maths", "kv", "batch", "prompt", "output"]


def _build(values: dict[str, Any], page: Page) -> str:
    spec = {"kind": "claim", "own": values["text"]}
    return (
        '<section class="lc-box lc-tool lc-claim" aria-labelledby="claim-title">'
        '<p class="lc-box__title" id="claim-title">Lie detector</p>'
        "<p>Paste a claim about a model’s speed. It is held against what the GPU’s datasheet allows at most, whatever "
        "the software, and against what measured servers reach.</p>"
        '<form class="lc-form" method="dialog" autocomplete="off" novalidate data-kept="claim">'
        '<label class="lc-hidden" for="claim-text">The claim</label>'
        '<textarea class="lc-area" id="claim-text" name="claim.text" rows="2" maxlength="2000" autocomplete="off"'
        f' autocapitalize="off" spellcheck="false">\n{escape(values["text"])}</textarea>'
        '<div class="lc-editor__row"><button type="submit" class="lc-button lc-button--first" name="claim.do"'
        ' value="read">Read the claim</button></div></form>'
        + f'<blockquote class="lc-still">{escape(values["text"])}</blockquote>'
        + live({**spec, "show": "verdict"}, page, cls="lc-claim__verdict", extra='role="status"')
        + live({**spec, "show": "fields"}, page, cls="lc-claim__fields")
        + settable(_SET, page)
        + '<p class="lc-still">Judging other claims needs JavaScript.</p></section>'
    )


CLAIM = Kind(
    name="claim",
    summary="The lie detector: a pasted benchmark claim, what was understood of it, and the ceiling that it breaks.",
    fields=(Field("text", TEXT, "The claim that stands there at first."),),
    build=_build,
    example='kind: claim\ntext: "Llama 3.1 70B on 4x H100 SXM: 250 tok/s per user, fp8, batch 1"\n',
)
