"""A drill's card: which question, what has been answered, and how each piece of it looks now.

The page sends what stands in the card's form, as a form does, and gets the pieces back. Where the reader is in
the card goes with them in a hidden field, so nothing is remembered here.
"""

import re
from typing import Any, NamedTuple

from lessoncore.drills import Drill, Question, drill
from lessoncore.drills.answers import LONGEST
from lessoncore.drills.judge import Verdict, asked_in, judge, said, tolerance
from lessoncore.drills.sequence import Asked, at_place, first, kind_of, question
from lessoncore.errors import LessonError
from lessoncore.page import Page
from lessoncore.views.derivation import worked
from lessoncore.views.markup import attribute, escape

_AT = re.compile(r"\d{1,5}(?:\.\d{1,5}){6}\.\d{1,6}", re.ASCII)
_HAD = re.compile(r"[a-z-]{1,30}\.\d{1,6}", re.ASCII)
_MOST_HAD = 400  # remembered; more than anybody works through in a visit


class At(NamedTuple):
    """Where the reader is: the question's number from 0, its attempts, and the score.

    ``seen`` is 1 when the solution was looked at before the answer was right, ``solved`` once it was right.
    ``streak`` counts answers right at the first attempt in a row, ``best`` the longest of these, ``right`` all.
    ``place`` is the question's among its kind's (sequence.Asked).
    """

    number: int = 0
    tries: int = 0
    seen: int = 0
    solved: int = 0
    streak: int = 0
    best: int = 0
    right: int = 0
    place: int = 0

    @classmethod
    def read(cls, text: str) -> "At | None":
        """Read the hidden field; anything else than what text() wrote is no place at all."""
        return cls(*map(int, text.split("."))) if _AT.fullmatch(text) else None

    def text(self) -> str:
        """What the hidden field holds."""
        return ".".join(map(str, self))


class Card(NamedTuple):
    """A card after what the reader did last."""

    name: str
    wanted: int
    at: At
    kind: Drill
    question: Question
    checked: str
    verdict: Verdict | None
    had: tuple[str, ...]

    @property
    def tried(self) -> bool:
        """Whether anything was sent that is or isn't an answer: before that the solution stays out of sight."""
        return bool(self.at.tries or self.at.seen or self.at.solved or self.verdict)


def card(spec: dict[str, Any], page: Page) -> Card:
    """Work out a card from the page's inputs."""
    names = tuple(drill(name).name for name in spec["drills"])
    if not names:
        raise LessonError("a card needs at least one drill.")
    name, inputs = spec["name"], page.inputs
    do, had = inputs.get(f"{name}.do", ""), tuple(_HAD.findall(inputs.get(f"{name}.had", "")[: 40 * _MOST_HAD]))
    seed = "".join(re.findall(r"[0-9]", inputs.get(f"{name}.seed", "")[:40]))
    at, asked = _asked(names, seed, At.read(inputs.get(f"{name}.at", "")), had, do == "next")
    checked = {"check": inputs.get(f"{name}.answer", ""), "show": inputs.get(f"{name}.checked", "")}.get(do, "")
    verdict = judge(asked.drill, asked.question, checked) if do == "check" or checked else None
    if do == "check" and verdict:
        at = _tried(at, verdict)
    elif do == "show" and not at.solved:
        at = at._replace(seen=1, streak=at.streak if at.tries else 0)
    had = tuple(dict.fromkeys((*had, asked.key)))[-_MOST_HAD:]
    return Card(name, spec.get("questions", 0), at, asked.drill, asked.question, checked[: LONGEST + 1], verdict, had)


def _asked(names: tuple[str, ...], seed: str, at: At | None, had: tuple[str, ...], go_on: bool) -> tuple[At, Asked]:
    """Where the reader is now, and the question there: that of the hidden field, or the next one."""
    known = at and at_place(kind_of(names, seed, at.number), at.place)
    if at is None or known is None:
        at, known = At(place=first(names).place), first(names)
    if go_on:
        number = at.number + 1
        known = question(names, seed, number, {*had, known.key})
        at = At(number=number, streak=at.streak, best=at.best, right=at.right, place=known.place)
    return at, known


def _tried(at: At, verdict: Verdict) -> At:
    if verdict.right is None or at.solved:
        return at
    if not verdict.right:
        return at._replace(tries=at.tries + 1, streak=0)
    if at.tries or at.seen:
        return at._replace(tries=at.tries + 1, solved=1)
    streak = at.streak + 1
    return at._replace(tries=1, solved=1, streak=streak, best=max(at.best, streak), right=at.right + 1)


# The pieces.


def _place(c: Card) -> str:
    """The question's number and the score, and where the reader is for the next request."""
    number = f"Question {c.at.number + 1}" + (f" of {c.wanted}" if c.at.number < c.wanted else "")
    score = f"{c.at.streak} right in a row" if c.at.streak > 1 else ""
    if c.at.best > max(c.at.streak, 1):
        score += (", " if score else "") + f"best {c.at.best}"
    done = ""
    if c.wanted and c.at.number + 1 >= c.wanted and c.at.solved:
        done = f"{c.at.right} of {c.at.number + 1} right at the first attempt"
    words = " · ".join(filter(None, (number, score, done)))
    fields = {"at": c.at.text(), "checked": c.checked}
    return (
        f'<span class="lc-drill__score{" lc-drill__score--tried" if c.tried else ""}">{words}</span>'
        + "".join(_hidden(c, field, value) for field, value in fields.items())
        + _hidden(c, "had", " ".join(c.had), " data-shared")
    )


def _hidden(c: Card, field: str, value: str, extra: str = "") -> str:
    name = f"{attribute(c.name)}.{field}"
    return f'<input type="hidden" name="{name}" value="{attribute(value)}" autocomplete="off"{extra}>'


def _question(c: Card) -> str:
    given = "".join(f"<div><dt>{escape(what)}</dt><dd>{escape(value)}</dd></div>" for what, value in c.question.given)
    return (
        f'<p class="lc-drill__text" id="{attribute(c.name)}-question">{escape(c.question.text)}</p>'
        f'<dl class="lc-drill__given">{given}</dl>'
    )


def _unit(c: Card) -> str:
    return escape(asked_in(c.question))


def _hint(c: Card) -> str:
    return escape(tolerance(c.kind, c.question))


def _verdict(c: Card) -> str:
    v = c.verdict
    if v is None:
        return ""
    cls, sign = {True: ("right", "✓"), False: ("wrong", "✗"), None: ("unclear", "?")}[v.right]
    say = v.say
    if v.right and c.at.tries == 1 and c.at.streak > 1:
        say += f" {c.at.streak} in a row."
    if v.right is False and not v.say:
        say = "Try again, or look at the worked solution."
    return (
        f'<p class="lc-drill__said lc-drill__said--{cls}"><span class="lc-drill__sign" aria-hidden="true">{sign}</span>'
        f"<span><b>{escape(v.headline)}</b> {escape(say.strip())}</span></p>"
    )


def _solution(c: Card) -> str:
    return f'<p class="lc-drill__rule">{escape(c.kind.formula)}</p>{worked(c.question.answer)}' + (
        f'<p class="lc-drill__result">The answer: <b>{escape(said(c.question))}</b></p>'
    )


PIECES = {
    "place": _place,
    "question": _question,
    "unit": _unit,
    "hint": _hint,
    "verdict": _verdict,
    "solution": _solution,
}
