"""Where a number comes from: the formulas that lead to it, with the live values filled in, and the sources."""

from collections.abc import Iterator

from lessoncore.formula import Counted, Quantity
from lessoncore.units import JOINER
from lessoncore.views.markup import escape
from lessoncore.views.mathml import expression, math, symbol, symbol_or_ratio, value


def derivation(quantity: Quantity | None) -> str:
    """Write the way to ``quantity``: its own formula first, then what goes into it, in symbols and in numbers."""
    if quantity is None:
        return "<p>No source gives what it would be computed from.</p>"
    if quantity.function is None:
        return _givens([quantity])
    own, *inner = reversed(list(quantity.steps(counted=False)))
    steps = "".join(f"<li>{_step(q)}</li>" for q in inner)
    return (
        f'<div class="lc-steps__own">{_step(own)}</div>'
        + (
            f'<p class="lc-steps__lead">And what goes in, one by one:</p><ol class="lc-steps">{steps}</ol>'
            if inner
            else ""
        )
        + _givens(list(quantity.givens(counted=False)))
    )


def worked(quantity: Quantity) -> str:
    """Write the way to ``quantity`` as one would work it out: what goes in first, then step by step to the result."""
    steps = "".join(f"<li>{_step(q, linked=False)}</li>" for q in quantity.steps(counted=False))
    return f'{_givens(list(quantity.givens(counted=False)), sources=False)}<ol class="lc-steps">{steps}</ol>'


def _step(q: Quantity, linked: bool = True) -> str:
    assert q.function is not None  # steps() gives computed quantities only
    meaning, name = q.meaning, q.function.__name__
    template = str(q.function.template)  # type: ignore[attr-defined]
    symbols = expression(template, lambda key: symbol(q.inputs[key].meaning.letter))
    values = expression(template, lambda key: value(_plain(q.inputs[key])))
    return (
        f'<span class="lc-steps__what">{escape(meaning.words)}'
        + (f' <a href="#code-{name}">{name}()</a></span>' if linked else "</span>")
        + f'<span class="lc-steps__line">{math(symbol_or_ratio(meaning.letter), symbols)}</span>'
        f'<span class="lc-steps__line">{math("", values)}</span>'
        f'<span class="lc-steps__line">= <strong class="lc-steps__result">{escape(q.text())}</strong></span>'
    )


def _plain(q: Quantity) -> str:
    """A value inside a formula: counts of tokens without their unit, which a power would make absurd."""
    return q.text().removesuffix(f"{JOINER}tokens")


def _givens(givens: list[Quantity], sources: bool = True) -> str:
    rows = "".join(
        f"<tr><td>{math(symbol_or_ratio(q.meaning.letter))}</td><td>{escape(q.meaning.words)}</td>"
        f'<td class="lc-num">{escape(q.text())}</td>' + (f"<td>{escape(_from(q))}</td></tr>" if sources else "</tr>")
        for q in _distinct(list(_with_counts(givens)) if sources else givens)
    )
    counted = _counted(givens) if sources else []
    head = "".join(f"<th>{name}</th>" for name in ("Symbol", "What goes in", "Value", *["From"][: int(sources)]))
    return (
        '<div class="lc-scroll" tabindex="0" role="group" aria-label="What goes in"><table class="lc-givens">'
        f"<thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    ) + (
        f'<p class="lc-steps__lead">What follows from other rows is {escape(counted[0].source)}.</p>' if counted else ""
    )


def _with_counts(givens: list[Quantity]) -> Iterator[Quantity]:
    """What is given, and how what is counted adds up: a row for each sum, for there may be dozens."""
    yield from (q for q in givens if not isinstance(q, Counted))
    for counted in _counted(givens):
        yield from reversed(list(counted.steps()))


def _counted(givens: list[Quantity]) -> list[Counted]:
    return [q for q in givens if isinstance(q, Counted)]


def _from(q: Quantity) -> str:
    """Where a row's value is from: its source, or its formula, in letters and in numbers."""
    if q.function is None:
        return q.source
    template = str(q.function.template)  # type: ignore[attr-defined]
    letters = template.format(**{name: i.meaning.letter for name, i in q.inputs.items()})
    return f"{letters} = {template.format(**{name: _bare(i) for name, i in q.inputs.items()})}"


def _bare(q: Quantity) -> str:
    return _plain(q).removesuffix(f"{JOINER}parameters")


def _distinct(givens: list[Quantity]) -> list[Quantity]:
    seen: dict[tuple[str, float, str], Quantity] = {}
    for q in givens:
        seen.setdefault((q.symbol, q.value, _from(q)), q)
    return list(seen.values())
