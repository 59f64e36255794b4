"""Up to four set-ups side by side: what differs between them, each figure, and which of them is best."""

from typing import NamedTuple

from lessoncore.estimate import Estimate
from lessoncore.figures import Figure
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS, Pasted
from lessoncore.pasted import name
from lessoncore.scenario import Scenario
from lessoncore.setups import MOST, State, read, state_of, write
from lessoncore.units import Shown
from lessoncore.views.bench import setting
from lessoncore.views.comparison import better, cell, difference
from lessoncore.views.markup import escape


class Column(NamedTuple):
    """A set-up: its name, what it changes, and its estimate, or what keeps it from being computed."""

    name: str
    state: State
    estimate: Estimate | None
    problem: str = ""

    @property
    def fits(self) -> bool:
        """Whether it is possible and fits into memory."""
        return self.estimate is not None and self.estimate.fits


def setups(figures: list[Figure], page: Page) -> str:
    """Write the table of the kept set-ups and the present one, and the button that keeps it."""
    kept = read(page.inputs.get("kept", ""))
    now = Column("Now", {}, None, " ".join(page.problems.values()))
    if not now.problem:
        now = Column("Now", state_of(page.scenario, page.own), page.estimate())
    columns = [*(_column(f"Set-up {n}", state, page) for n, state in enumerate(kept, 1)), now]
    keep = _keep(kept, now)
    if not kept:
        return f"{keep}<p>Keep a set-up, change something, and both stand side by side, up to four of them.</p>"
    return (
        f'{keep}<div class="lc-scroll" tabindex="0" role="group" aria-label="Set-ups side by side">'
        f'<table class="lc-setups"><thead>{_head(columns)}</thead><tbody>{_differences(columns)}{_fits(columns)}'
        + "".join(_row(figure, columns) for figure in figures)
        + f"</tbody><tfoot>{_buttons(kept)}</tfoot></table></div>"
        f"<p>Differences are told from {columns[0].name.lower()}; ✓ marks the best of those that fit.</p>"
    )


def _column(name: str, state: State, page: Page) -> Column:
    of = page.with_state(state)
    problem = " ".join(of.problems.values())
    return Column(name, state, None if problem else of.estimate(), problem)


def _keep(kept: list[State], column: Column) -> str:
    now = column.state
    if column.problem:
        why = "What is set now can’t be computed, so it can’t be kept."
    elif now in kept:
        why = f"What is set now is kept as set-up {kept.index(now) + 1}."
    elif len(kept) >= MOST:
        why = f"Up to {MOST} can be kept beside the present one: remove one to keep another."
    elif now.get("config", "-") == "":
        why = "This config.json is too long for the address, where set-ups are kept."
    else:
        return f"<p>{setting('Keep this set-up', inputs={'kept': write([*kept, now])})}</p>"
    return (
        f'<p><button type="button" class="lc-set" disabled>Keep this set-up</button> <small>{escape(why)}</small></p>'
    )


def _head(columns: list[Column]) -> str:
    names = "".join(f'<th scope="col">{escape(column.name)}</th>' for column in columns)
    return f'<tr><th scope="col"><span class="lc-compare__hidden">Figure</span></th>{names}</tr>'


def _differences(columns: list[Column]) -> str:
    """A row for each parameter that isn't the same in all columns."""
    rows = []
    for key, p in PARAMETERS.items():
        if isinstance(p, Pasted):  # it stands in the row of what it is instead of
            continue
        values = [column.estimate and _set(key, column.estimate.scenario) for column in columns]
        if len({v for v in values if v is not None}) < 2:
            continue
        cells = "".join(f"<td>{'–' if value is None else escape(_value(key, value))}</td>" for value in values)
        rows.append(f'<tr class="lc-setups__set"><th scope="row">{escape(p.label)}</th>{cells}</tr>')
    return "".join(rows)


def _set(key: str, scenario: Scenario) -> object:
    """What a parameter is set to; the name of a pasted model in place of one of the catalogue."""
    if key == "model" and scenario.config:
        return _Named(name(scenario.config))
    return getattr(scenario, key)


class _Named(str):
    """A name that isn't a key."""


def _value(key: str, value: object) -> str:
    p = PARAMETERS[key]
    if isinstance(value, _Named):
        return value
    if key == "price" and not value:
        return "catalogue"
    return p.text(value)  # type: ignore[arg-type]


def _fits(columns: list[Column]) -> str:
    cells = "".join(
        f'<td class="lc-setups__problem">{escape(column.problem)}</td>'
        if column.estimate is None
        else "<td>✓ yes</td>"
        if column.fits
        else '<td class="lc-setups__over">✗ no</td>'
        for column in columns
    )
    return f'<tr><th scope="row">Fits</th>{cells}</tr>'


def _row(figure: Figure, columns: list[Column]) -> str:
    found = [figure.of(column.estimate) if column.estimate else None for column in columns]
    shown = [figure.shown(column.estimate) if column.estimate else Shown("–", "") for column in columns]
    best = _best(
        figure, [q.value if q and column.fits else None for q, column in zip(found, columns, strict=True)], shown
    )
    cells = []
    for n, (q, value) in enumerate(zip(found, shown, strict=True)):
        words = ""
        if n and q and found[0]:
            words = "the same" if value == shown[0] else difference(q.meaning.unit, found[0].value, q.value)
        cells.append(cell(value, words, "best" if n in best else ""))
    return f'<tr><th scope="row">{escape(figure.label)}</th>{"".join(cells)}</tr>'


def _best(figure: Figure, values: list[float | None], shown: list[Shown]) -> set[int]:
    """The columns that no other is better than; none where nothing differs."""
    known = {n: value for n, value in enumerate(values) if value is not None}
    if len({str(shown[n]) for n in known}) < 2:
        return set()
    top = next(iter(known.values()))
    for value in known.values():
        top = value if better(figure, top, value) == 1 else top
    if all(better(figure, top, value) == 0 for value in known.values() if value != top):
        return set()
    winner = next(str(shown[n]) for n, value in known.items() if value == top)
    return {n for n in known if str(shown[n]) == winner}


def _buttons(kept: list[State]) -> str:
    cells = "".join(
        "<td>"
        + setting("Load", label=f"Load set-up {n} into the form", state=state, anew=True)
        + setting("Remove", label=f"Remove set-up {n}", inputs={"kept": write([*kept[: n - 1], *kept[n:]])})
        + "</td>"
        for n, state in enumerate(kept, 1)
    )
    return f'<tr><th scope="row"><span class="lc-compare__hidden">What to do</span></th>{cells}<td></td></tr>'
