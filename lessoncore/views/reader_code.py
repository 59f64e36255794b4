"""What became of the Python that a reader wrote: in force with its changes, or what is wrong and in which line."""

from typing import Any

from lessoncore.assumptions import ASSUMPTIONS
from lessoncore.formula import Quantity
from lessoncore.page import Page
from lessoncore.reader_code import TERM, in_code, written
from lessoncore.units import show
from lessoncore.views.markup import escape


def verdict(page: Page) -> str:
    """Say whether the reader's code is in force, what it changes and what it printed."""
    if stopped := page.inputs.get("code.stopped"):
        why = "You stopped it" if stopped == "asked" else "It took longer than five seconds"
        return _said(
            "wrong",
            "Stopped.",
            f"{why}, so it isn’t in force and isn’t run again by itself. What you typed is still here.",
        )
    if not page.code:
        label = ASSUMPTIONS[page.scenario.assumptions].label
        return _said("plain", "Not in force.", f"The page computes with its {label} assumptions.")
    if page.code_problem:
        return _problem(page)
    return _in_force(page)


def _said(kind: str, headline: str, words: str) -> str:
    return f'<p class="lc-editor__said lc-editor__said--{kind}"><b>{escape(headline)}</b> {escape(words)}</p>'


def _problem(page: Page) -> str:
    problem = page.code_problem
    assert problem is not None
    lines = page.code.split("\n")
    known = 1 <= problem.line <= len(lines)
    quoted = f"<pre><code>{escape(lines[problem.line - 1][:200])}</code></pre>" if known else ""
    place = f"Line {problem.line}:" if known else "Not in force:"
    return (
        f'<div data-line="{problem.line if known else 0}">{_said("wrong", place, str(problem))}{quoted}'
        '<p class="lc-editor__note">It isn’t in force: the numbers of this page are without it.</p></div>'
    )


def _in_force(page: Page) -> str:
    found = written(page.code, page.scenario.assumptions)
    changes = [f"{name} {_short(old)} → {_short(new)}" for name, (old, new) in found.changed.items()]
    if found.assumptions.own_term_s:
        e = page.estimate()
        changes.append(f"{TERM} adds {_added(e.ttft_s)} to the prefill pass and {_added(e.tpot_s)} to a decode pass")
    words = "; ".join(changes) if changes else "It changes nothing so far"
    out = "".join(found.printed)
    printed = (
        f'<p class="lc-editor__note">Printed:</p><pre tabindex="0"><code>{escape(out)}</code></pre>' if out else ""
    )
    return _said("right", "In force on this page.", f"{words}.") + printed


def _short(value: Any) -> str:
    return in_code(value) if isinstance(value, float) else str(value)


def _added(time: Quantity) -> str:
    return str(show(time.inputs["own_term_s"].value, "s"))
