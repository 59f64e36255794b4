"""The results of the page's simulated queue as a table: it follows the controls."""

from typing import Any

from lessoncore.page import Page
from lessoncore.parts import live
from lessoncore.widgets.kinds import Kind


def _build(values: dict[str, Any], page: Page) -> str:
    return (
        '<section class="lc-box lc-results" data-later aria-label="How long requests take">'
        '<p class="lc-box__title">How long requests take</p>'
        '<p class="lc-results__note">Each time belongs to one request. Grey: it waited, no pass worked on it. In '
        f"colour: a pass did.</p>{live({'kind': 'results'}, page)}</section>"
    )


RESULTS = Kind(
    name="results",
    summary="TTFT, TPOT and the whole answer at p50, p90 and p99, waiting and computing apart, of the simulated queue.",
    fields=(),
    build=_build,
    wide=True,
    example="kind: results\n",
)
