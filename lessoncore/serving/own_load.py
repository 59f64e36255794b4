"""A load and a server as a reader describes them in a form: read, checked, simulated in steps."""

from collections.abc import Callable, Iterator, Mapping
from copy import replace
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from lessoncore.assumptions import Assumptions
from lessoncore.entries import Choice, Entry, plain
from lessoncore.errors import LessonError
from lessoncore.scenario import Scenario
from lessoncore.serving.arrivals import Arrivals, AtOnce, Bursty, ClosedLoop, Poisson
from lessoncore.serving.lengths import LONGEST_OUTPUT, LONGEST_PROMPT, Fixed, Lengths, LogNormal
from lessoncore.serving.load import Load
from lessoncore.serving.pasted_requests import parse_lengths, parse_trace
from lessoncore.serving.results import Result, Slo
from lessoncore.serving.served import REQUESTS, SEED, SLO, TOKENS_A_PASS, server_of
from lessoncore.serving.server import Server
from lessoncore.serving.simulation import simulating
from lessoncore.serving.summary import Summary, summary

# What a page simulates in a few seconds.
MOST_REQUESTS = 5000
MOST_CHARACTERS = 40 * MOST_REQUESTS
_DRAWN = ("random", "bursts", "once", "users")  # all but a trace, which has requests and lengths of its own

ARRIVALS = Choice(
    "arrivals",
    "Requests arrive",
    {
        "random": "at random (Poisson)",
        "bursts": "in bursts",
        "once": "all at once",
        "users": "from users who wait for each answer",
        "trace": "as in a trace that I paste",
    },
)
LENGTHS = Choice(
    "lengths",
    "Lengths",
    {"varied": "varied (log-normal)", "fixed": "all the same", "seen": "drawn from a list that I paste"},
    only=_DRAWN,
)
PREFILL = Choice(
    "prefill",
    "Prompts are read",
    {
        "chunked": "in chunks, with answers",
        "first": "first, answers pause",
        "both": "compare the two",
    },
)
ENTRIES = {
    entry.key: entry
    for entry in (
        Entry("rate", "Requests a second", 0.01, 1000, whole=False, only=("random", "bursts")),
        Entry("variation", "Burstiness", 1, 20, whole=False, only=("bursts",), help="1: at random"),
        Entry("users", "Users", 1, 2000, only=("users",)),
        Entry("think", "Pause after an answer, s", 0, 3600, whole=False, only=("users",)),
        Entry("requests", "Requests simulated", 20, MOST_REQUESTS, only=_DRAWN),
        Entry("prompt", "Prompt tokens, mean", 1, LONGEST_PROMPT, only=(*_DRAWN, "varied", "fixed")),
        Entry("output", "Answer tokens, mean", 1, LONGEST_OUTPUT, only=(*_DRAWN, "varied", "fixed")),
        Entry("spread", "Spread of lengths", 0, 3, whole=False, only=(*_DRAWN, "varied"), help="0: all alike"),
        Entry("cached", "Cached prefix, tokens", 0, LONGEST_PROMPT - 1),
        Entry("budget", "Tokens a pass, at most", 1, LONGEST_PROMPT),
        Entry("ttft", "Promised TTFT, ms", 1, 3_600_000, whole=False),
        Entry("tpot", "Promised TPOT, ms", 0.1, 60_000, whole=False),
    )
}
CHOICES = {choice.key: choice for choice in (ARRIVALS, LENGTHS, PREFILL)}
TEXTS = {"trace": ("trace",), "seen": (*_DRAWN, "seen")}  # what is pasted, and under which choices


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What is to be simulated: one load on one or two servers, each with the words for what is its own.

    The same form gives the same one again, so that it is found without comparing thousands of requests.
    """

    servers: tuple[tuple[str, Server], ...]
    load: Load
    slo: Slo


def defaults(scenario: Scenario) -> dict[str, str]:
    """What stands in the form at first: the load of the page's own scenario."""
    return {
        "arrivals": "random",
        "lengths": "varied",
        "prefill": "chunked",
        "rate": plain(scenario.rate),
        "variation": "3",
        "users": "50",
        "think": "10",
        "requests": plain(REQUESTS),
        "prompt": plain(scenario.prompt),
        "output": plain(scenario.output),
        "spread": "1",
        "cached": plain(scenario.cached),
        "budget": plain(max(TOKENS_A_PASS, scenario.batch)),
        "ttft": plain(SLO.ttft_s * 1000),
        "tpot": plain(SLO.tpot_s * 1000),
        **dict.fromkeys(TEXTS, ""),
    }


def read(inputs: Mapping[str, str], own: Scenario, scenario: Scenario) -> tuple[Asked | None, dict[str, str]]:
    """Read the form's fields; what isn't given is as at first. Gives what is asked, or what is wrong by field."""
    given = tuple(inputs.get(key, value) for key, value in defaults(own).items())
    asked, problems = _read(given, own, scenario)
    return asked, dict(problems)


@lru_cache(maxsize=8)
def _read(
    given: tuple[str, ...], own: Scenario, scenario: Scenario
) -> tuple[Asked | None, tuple[tuple[str, str], ...]]:
    form = _Form(dict(zip(defaults(own), given, strict=True)), scenario)
    asked = form.asked()
    return asked, tuple(form.problems.items())


type _Chosen = Mapping[str, str | None]


def _is_asked(only: tuple[str, ...], chosen: _Chosen) -> bool:
    """Whether a field is asked: where it names options of a choice, one of them has to be chosen."""
    return all(not {*only} & {*choice.options} or chosen[key] in only for key, choice in CHOICES.items())


class _Form:
    """Fields on their way to a load and a server; ``problems`` gathers what is wrong, by field."""

    def __init__(self, fields: dict[str, str], scenario: Scenario) -> None:
        self.problems: dict[str, str] = {}
        self._fields = fields
        self._scenario = scenario
        self._numbers: dict[str, Any] = {}

    def asked(self) -> Asked | None:
        """Everything, or nothing where a field is wrong."""
        chosen = {key: self._or_problem(key, partial(c.read, self._fields[key])) for key, c in CHOICES.items()}
        for key, entry in ENTRIES.items():
            if _is_asked(entry.only, chosen):
                self._numbers[key] = self._or_problem(key, partial(entry.read, self._fields[key]))
        pasted = self._pasted(chosen)
        if self.problems:
            return None
        load, servers = self._load(chosen, pasted), self._servers(chosen["prefill"] or "")
        if load is None or self.problems:
            return None
        n = self._numbers
        return Asked(servers, load, Slo(n["ttft"] / 1000, n["tpot"] / 1000, SLO.share))

    def _or_problem[T](self, key: str, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except LessonError as error:
            self.problems[key] = str(error)
            return None

    def _pasted(self, chosen: _Chosen) -> Load | Lengths | None:
        """What was pasted, where the choices ask for it."""
        if _is_asked(TEXTS["trace"], chosen):
            return self._or_problem("trace", partial(parse_trace, self._fields["trace"], MOST_REQUESTS))
        if _is_asked(TEXTS["seen"], chosen):
            return self._or_problem("seen", partial(parse_lengths, self._fields["seen"], MOST_REQUESTS))
        return None

    def _load(self, chosen: _Chosen, pasted: Load | Lengths | None) -> Load | None:
        if isinstance(pasted, Load):
            return pasted
        lengths = pasted or self._lengths(chosen["lengths"])
        arrivals = self._arrivals(chosen["arrivals"])
        return self._or_problem("requests", partial(Load, arrivals, lengths, self._numbers["requests"], SEED))

    def _lengths(self, kind: str | None) -> Lengths:
        n = self._numbers
        if kind == "varied":
            return LogNormal(n["prompt"], n["output"], n["spread"], n["spread"])
        return Fixed(n["prompt"], n["output"])

    def _arrivals(self, kind: str | None) -> Arrivals:
        n = self._numbers
        if kind == "random":
            return Poisson(n["rate"])
        if kind == "bursts":
            return Bursty(n["rate"], n["variation"])
        return ClosedLoop(n["users"], n["think"]) if kind == "users" else AtOnce()

    def _servers(self, prefill: str) -> tuple[tuple[str, Server], ...]:
        # The load says how long prompts are; the scenario's own only has to be longer than what is cached.
        scenario = self._scenario.but(cached=self._numbers["cached"], prompt=LONGEST_PROMPT)
        made = []
        for kind in ("chunked", "first") if prefill == "both" else (prefill,):
            server = self._or_problem("budget", partial(_server, scenario, self._numbers["budget"], kind == "chunked"))
            if server:
                made.append((PREFILL.options[kind], server))
        return tuple(made)


def _server(scenario: Scenario, budget: int, chunked: bool) -> Server:
    return replace(server_of(scenario), tokens_a_pass=budget, chunked=chunked)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a reader's own simulation is: the summaries that are there, and the share of all."""

    summaries: tuple[Summary, ...]
    share: float


def simulate_own(asked: Asked, assumptions: Assumptions) -> Iterator[Progress]:
    """Simulate in steps of a few milliseconds."""
    done: tuple[Summary, ...] = ()
    for _, server in asked.servers:
        for step in simulating(server, asked.load, assumptions):
            if isinstance(step, Result):
                for name in ("ttft", "tpot", "end_to_end"):  # sorting them takes as long as many passes
                    getattr(step, name)
                    yield Progress(done, (len(done) + 1) / len(asked.servers))
                done = (*done, summary(step, asked.slo))
            share = 0.0 if isinstance(step, Result) else step
            yield Progress(done, (len(done) + share) / len(asked.servers))
