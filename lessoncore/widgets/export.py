"""Export: the page's scenario and figures as files, a file read in again, and lessoncore itself."""

from typing import Any

from lessoncore.exports import LONGEST, wheel_name
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS
from lessoncore.parts import live
from lessoncore.views.export import FILES
from lessoncore.views.setting import settable
from lessoncore.widgets.kinds import Kind

# The site puts the address and the size of the wheel in their place; lessoncore knows no files.
WHEEL_ADDRESS, WHEEL_SIZE = "lessoncore-wheel:address", "lessoncore-wheel:size"


def _build(values: dict[str, Any], page: Page) -> str:
    files = "".join(
        f'<details class="lc-fold"><summary>{name}</summary><div>{live({"kind": "export", "format": form}, page)}</div>'
        "</details>"
        for form, (name, *_) in FILES.items()
    )
    wheel = wheel_name()
    return (
        '<section class="lc-box lc-tool lc-export" aria-labelledby="export-title">'
        '<p class="lc-box__title" id="export-title">Take it with you</p>'
        "<p>The scenario and the figures of this page, in SI units with all their digits. The files are made in this "
        "browser; nothing is sent.</p>"
        f'<div class="lc-export__files">{files}</div>'
        f'<p class="lc-export__wheel">The Python that computes it: <a href="{WHEEL_ADDRESS}" download>{wheel}</a> '
        f"({WHEEL_SIZE}, Python 3.13, no other package). After <code>pip install ./{wheel}</code> the Python above "
        "gives the same numbers.</p>"
        '<details class="lc-fold"><summary>Read a JSON export in</summary><div>'
        '<form class="lc-form" method="dialog" autocomplete="off" novalidate>'
        '<label for="export-text">Paste it here, or choose a file</label>'
        f'<textarea class="lc-area lc-area--code" id="export-text" name="export.text" rows="4" maxlength="{LONGEST}"'
        ' autocomplete="off" autocapitalize="off" spellcheck="false" data-forgotten></textarea>'
        '<div class="lc-editor__row"><button type="submit" class="lc-button lc-button--first" name="export.do"'
        ' value="read">Read it</button>'
        f'<input type="file" accept=".json,application/json" aria-label="A JSON export" data-fills="export-text"'
        f' data-most="{LONGEST}"></div></form></div></details>'
        + live({"kind": "export", "format": "read"}, page, cls="lc-export__read", extra='role="status"')
        + settable(list(PARAMETERS), page)
        + '<p class="lc-still">Copying, saving and reading need JavaScript.</p></section>'
    )


EXPORT = Kind(
    name="export",
    summary="The page's scenario and figures as JSON, CSV, Markdown and Python; a JSON export read in; the wheel.",
    fields=(),
    build=_build,
    example="kind: export\n",
)
