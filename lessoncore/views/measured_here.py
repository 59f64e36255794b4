"""On the playground: the measurement that a reader comes from, beside what is predicted for the case that is set."""

from urllib.parse import parse_qsl

from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate
from lessoncore.evidence.chosen import row_named
from lessoncore.evidence.quantities import Measure, measure
from lessoncore.evidence.rows import Row
from lessoncore.evidence.words import amount, in_playground, off, set_up, source
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS
from lessoncore.units import whole
from lessoncore.views.bench import setting
from lessoncore.views.markup import attribute, escape
from lessoncore.views.setting import set_link

INPUT = "measured"  # the id of the measurement, in addresses too


def measured_here(page: Page) -> str:
    """The figure that is compared, predicted and measured, with its source; nothing where none is asked for."""
    key = page.inputs.get(INPUT, "").strip()[:20]
    if not key:
        return ""
    close = setting("Close", "Close the measurement", inputs={INPUT: ""})
    try:
        row = row_named(key)
    except LessonError as error:
        return f"<p>{escape(str(error))} {close}</p>"
    state = _state(row, page.scenario.assumptions)
    if not state:
        return f"<p>{escape(in_playground(row, 'calibrated')[1])} {close}</p>"
    return _beside(row, page.estimate(), page.code_in_force) + _conditions(row, state, page, close)


def _state(row: Row, assumptions: str) -> dict[str, str]:
    """The measured conditions as an address has them."""
    return {name: text for name, text in parse_qsl(in_playground(row, assumptions)[0]) if name in PARAMETERS}


def _beside(row: Row, e: Estimate, own_code: bool) -> str:
    of = measure(row)
    predicted_s = row.as_time(row.compared(e).value)
    predicted, measured = amount(of.value(predicted_s), of), amount(of.value(row.measured_s), of)
    by = "your own assumptions" if own_code else e.assumptions.label
    return (
        f"<p><b>{_name(row, of)}</b>: predicted <b>{escape(predicted)}</b> ({escape(by)}), measured "
        f"<b>{escape(measured)}</b>: {escape(off(predicted_s / row.measured_s - 1, of))}.</p>"
    )


def _name(row: Row, of: Measure) -> str:
    """The figure that is compared, with a link to where it comes from."""
    if row.fields["metric"] == "decode_throughput":
        context = whole(float(row.fields["avg_decode_context"]))
        return f'<a href="#why-tpot">Time per token</a> after {context} tokens, the mean of this run'
    if row.fields["metric"] == "TPOT":
        return '<a href="#why-tpot">Time per token</a>, with the prompts of other requests read in between'
    key = "ttft" if of.key == "ttft" else "throughput"
    label = of.label if key == "ttft" else "Tokens a second, prefill included"
    return f'<a href="#why-{key}">{escape(label)}</a>'


def _conditions(row: Row, state: dict[str, str], page: Page, close: str) -> str:
    address, name = source(row)
    asked = page.own.but(**{key: PARAMETERS[key].parse(text) for key, text in state.items()})
    note = in_playground(row, page.scenario.assumptions)[1]
    words = f"{set_up(row)}, row {row.id}, from"
    changed = ""
    if page.scenario != asked:
        values = {key: getattr(asked, key) for key in PARAMETERS}
        back = set_link(
            "Set it back", {key: v for key, v in values.items() if v != getattr(page.own, key)}, page, anew=True
        )
        changed = f" The case was changed since, and the prediction is for what is set now. {back}."
    return f'<p>{escape(words)} <a href="{attribute(address)}">{escape(name)}</a>. {escape(note)}{changed} {close}</p>'
