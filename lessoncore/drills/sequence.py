"""Which question comes when: shuffled by a seed, and none that the reader has had on any card comes again.

A question is known by its kind and its place, which of the kind's combinations it is. What a reader has had is kept by
the page and comes along with what the card's form sends.
"""

from collections.abc import Collection, Iterator
from functools import lru_cache
from math import prod
from random import Random
from typing import NamedTuple

from lessoncore.drills import Case, Drill, Question, drill


class Asked(NamedTuple):
    """A question with the kind that it is of, and its place among the kind's combinations."""

    drill: Drill
    question: Question
    place: int

    @property
    def key(self) -> str:
        """What the question is known by on all cards.

        >>> question(("kv-per-token",), "", 0).key
        'kv-per-token.7'
        """
        return f"{self.drill.name}.{self.place}"


def question(names: tuple[str, ...], seed: str, number: int, had: Collection[str] = ()) -> Asked:
    """Give question ``number``, from 0, of a card that mixes these kinds: each comes once a round.

    Question 0 is the same whatever the seed: it is the one in the built page. A card of one kind begins with the kind's
    own first one, others with one that their mix of kinds fixes. Of the later ones none is among those ``had``, as long
    as there are others.
    """
    kind = kind_of(names, seed, number)
    if number == 0:
        return first(names)
    order = _order(kind, seed)
    unused = (place for place in order if f"{kind.name}.{place}" not in had)
    return next(_that_make_sense(kind, unused), None) or next(_that_make_sense(kind, _turned(order, number)))


def first(names: tuple[str, ...]) -> Asked:
    """The question that a card is built with."""
    kind = drill(names[0])
    own = _place(kind, kind.first)
    order = [own] if len(names) == 1 else [place for place in _order(kind, " ".join(names)) if place != own]
    return next(_that_make_sense(kind, order))


def kind_of(names: tuple[str, ...], seed: str, number: int) -> Drill:
    """The kind that question ``number`` is of."""
    turn, place = divmod(number, len(names))
    order = list(names[1:] if turn == 0 else names)
    Random(f"{seed} round {turn}").shuffle(order)
    return drill((list(names[:1]) + order if turn == 0 else order)[place])


def at_place(kind: Drill, place: int) -> Asked | None:
    """The question at a place; nothing where there is none, or where it makes no sense."""
    if place >= _places(kind):
        return None
    found = kind.ask(_case(kind, place))
    return Asked(kind, found, place) if found else None


def questions(kind: Drill, seed: str) -> Iterator[Question]:
    """All questions of a kind, each once, in the order that the seed gives them."""
    return (asked.question for asked in _that_make_sense(kind, _order(kind, seed)))


def _that_make_sense(kind: Drill, places: Collection[int] | Iterator[int]) -> Iterator[Asked]:
    return (asked for place in places if (asked := at_place(kind, place)))


@lru_cache(maxsize=16)
def _shuffled(name: str, seed: str) -> tuple[int, ...]:
    places = list(range(_places(drill(name))))
    Random(f"{seed} {name}").shuffle(places)
    return tuple(places)


def _order(kind: Drill, seed: str) -> tuple[int, ...]:
    return _shuffled(kind.name, seed)


def _turned(order: tuple[int, ...], number: int) -> tuple[int, ...]:
    """All have been had: begin somewhere else than last time."""
    start = number % len(order)
    return order[start:] + order[:start]


def _places(kind: Drill) -> int:
    return prod(len(values) for values in kind.vary.values())


def _case(kind: Drill, place: int) -> Case:
    """The combination at a place, counting as an odometer does."""
    case: Case = {}
    for name, values in kind.vary.items():
        place, digit = divmod(place, len(values))
        case[name] = values[digit]
    return case


def _place(kind: Drill, case: Case) -> int:
    """The place of a combination."""
    place, weight = 0, 1
    for name, values in kind.vary.items():
        place += values.index(case[name]) * weight
        weight *= len(values)
    return place
