"""Which question comes when: a shuffled sequence that a seed fixes, without a repetition until all have been asked."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from math import prod
from random import Random

from lessoncore.drills import Case, Drill, Question, drill


class Asked(tuple[Drill, Question]):
    """A question with the kind that it is of."""

    __slots__ = ()

    @property
    def drill(self) -> Drill:
        """The kind of question."""
        return self[0]

    @property
    def question(self) -> Question:
        """The question itself."""
        return self[1]


@lru_cache(maxsize=16)
def question(names: tuple[str, ...], seed: str, number: int) -> Asked:
    """Give question ``number``, from 0, of a card that mixes these kinds: each comes once a round.

    Question 0 is the first of the first kind whatever the seed: it is the one in the built page.
    """
    turn, place = divmod(number, len(names))
    order = list(names[1:] if turn == 0 else names)
    Random(f"{seed} round {turn}").shuffle(order)
    kind = drill((list(names[:1]) + order if turn == 0 else order)[place])
    return Asked((kind, _nth(kind, seed, turn if kind.name == names[0] else turn + 1)))


def _nth(kind: Drill, seed: str, n: int) -> Question:
    if n == 0:
        return _asked(kind, kind.first)
    found = next(islice(questions(kind, seed), n, None), None)
    if found is None:  # all have been asked: from the start
        return _nth(kind, seed, n % sum(1 for _ in questions(kind, seed)))
    return found


def questions(kind: Drill, seed: str) -> Iterator[Question]:
    """All questions of a kind, each once, in the order that the seed gives them; the first stays the first."""
    yield _asked(kind, kind.first)
    places = list(range(prod(len(values) for values in kind.vary.values())))
    Random(f"{seed} {kind.name}").shuffle(places)
    for place in places:
        case = _case(kind, place)
        if case != kind.first and (asked := kind.ask(case)):
            yield asked


def _case(kind: Drill, place: int) -> Case:
    """The combination at a place, counting as an odometer does."""
    case: Case = {}
    for name, values in kind.vary.items():
        place, digit = divmod(place, len(values))
        case[name] = values[digit]
    return case


def _asked(kind: Drill, case: Case) -> Question:
    asked = kind.ask(case)
    assert asked is not None, f"the first question of {kind.name} makes no sense"
    return asked
