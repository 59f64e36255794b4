"""What a page shows right now: its own scenario, what the reader changed, and the estimates that follow."""

from collections.abc import Callable, Hashable, Iterator
from typing import Any

from lessoncore.assumptions import Assumptions
from lessoncore.errors import CodeError, Correctable, LessonError
from lessoncore.estimate import Estimate, estimate
from lessoncore.parameters import parameter
from lessoncore.scenario import Scenario


class Page:
    """The scenario a page was written for, changed by the reader's ``state``.

    ``state`` and ``inputs`` hold text as it stands in the address, a control or a question's answer. What can't be used
    is named in ``problems``, by its parameter, with what would do in ``remedies`` where that is known. While there is a
    problem ``scenario`` isn't the reader's, and nothing that depends on it may be shown. ``controls`` are the
    parameters that the reader can change, as the build knows them from the page's stage. ``patience_s`` is how long a
    long calculation may go on before what is known so far is shown: to its end while the page is built. Without
    ``searches`` what takes many simulations is left to the page's own Python in the browser. Assumptions that the
    reader wrote in Python and ran stand in ``inputs`` as ``code.run``; ``code_problem`` is what is wrong with them,
    and then they aren't in force.
    """

    def __init__(
        self,
        scenario: dict[str, Any] | None = None,
        state: dict[str, str] | None = None,
        inputs: dict[str, str] | None = None,
        patience_s: float = float("inf"),
        searches: bool = True,
    ) -> None:
        self.own = Scenario().but(**(scenario or {}))
        self.inputs = inputs or {}
        self.patience_s = patience_s
        self.patient = True  # else calculations are begun and looked at, but don't go on: another one has had its time
        self.searches = searches
        self.waits = False  # whether a long calculation was asked for that isn't finished
        self.placed: dict[str, int] = {}  # pictures on the page that is being built, each as often as it stands there
        self.controls: list[str] = []  # what the reader can change here; known while the page is built
        self.shared: dict[Hashable, Any] = {}  # what several parts of one reply need, computed once
        self.asks: dict[str, Any] | None = None  # what the page's question is about; known while the page is built
        self.scenario = self._changed(state or {})
        self._known: dict[tuple[Scenario, bool], Estimate] = {}
        self.code = self.inputs.get("code.run", "")
        self.code_problem: CodeError | None = None
        self.changed = bool(state or self.code)  # whether the reader has changed anything that is computed with
        if self.code:
            self._try_code()

    def _changed(self, state: dict[str, str]) -> Scenario:
        self.problems: dict[str, str] = {}
        self.remedies: dict[str, dict[str, Any]] = {}
        self.given: dict[str, Any] = {}  # what was read of the state, whether it goes together or not
        for key, text in state.items():
            try:
                self.given[key] = parameter(key).parse(text)
            except LessonError as error:
                self._blame(key, error)
        return self._together(self.given)

    def _together(self, given: dict[str, Any]) -> Scenario:
        """The page's own scenario with what was given, or with what would do of it."""
        try:
            return self.own.but(**given)
        except Correctable as error:  # each value is allowed, their combination isn't
            if all(key in self.given for key in error.keys if key in self.problems):  # else it isn't the reader's
                self._blame(next((key for key in reversed(self.given) if key in error.keys), error.keys[0]), error)
            return self._together(given | error.remedy)

    def _blame(self, key: str, error: LessonError) -> None:
        self.problems.setdefault(key, str(error))
        if isinstance(error, Correctable):
            self.remedies[key] = self.remedies.get(key, {}) | error.remedy

    def value(self, key: str) -> Any:
        """What a parameter was set to, also while it doesn't go together with the others."""
        return self.given.get(key, getattr(self.own, key))

    def with_state(self, state: dict[str, str]) -> "Page":
        """The same page with another state: what the reader had set at another time."""
        from copy import copy  # for pages that compare

        page = copy(self)
        page.scenario = page._changed(state)
        return page

    def estimate(self, changes: dict[str, Any] | None = None, own: bool = False) -> Estimate:
        """Estimate the present scenario, or the page's own one, with ``changes`` on top."""
        scenario = self.own if own else self.scenario
        if changes:
            scenario = scenario.but(**changes)
        if (scenario, own) not in self._known:
            self._known[scenario, own] = estimate(scenario, None if own else self.taken(scenario))
        return self._known[scenario, own]

    @property
    def code_in_force(self) -> bool:
        """Whether the estimates are made with assumptions that the reader wrote."""
        return bool(self.code) and self.code_problem is None

    def taken(self, scenario: Scenario) -> Assumptions | None:
        """The assumptions that the reader wrote in Python, on top of the scenario's; None where there are none."""
        if not self.code_in_force:
            return None
        from lessoncore.reader_code import written  # for the few who write some

        return written(self.code, scenario.assumptions).assumptions

    def _try_code(self) -> None:
        try:
            e = self.estimate()
            e.total_s  # noqa: B018 — both passes, so that a term that fails does it here
        except CodeError as error:
            self.drop_code(error)

    def drop_code(self, problem: CodeError) -> None:
        """Go on without the reader's code, which has failed."""
        self.code_problem = problem
        self._known.clear()

    def portion(self, key: Hashable, begin: Callable[[], Iterator[Any]]) -> tuple[Any, bool]:
        """Go on with a long calculation: its newest state, None before the first, and whether it is finished.

        ``key`` names everything that it depends on; ``begin`` makes the generator of its states.
        """
        from lessoncore.portions import portion  # for the few pages that search

        known, finished = portion(key, begin, self.patience_s if self.patient else None)
        self.waits = self.waits or not finished
        return known, finished

    def search(self, key: Hashable, begin: Callable[[], Iterator[Any]]) -> tuple[Any, bool]:
        """Go on with what takes many simulations, as ``portion`` does, unless this page leaves that to the browser."""
        if self.searches:
            return self.portion(key, begin)
        self.waits = True
        return None, False

    def ready(self, long: tuple[Hashable, Callable[[], Iterator[Any]]] | None) -> bool:
        """Whether a long calculation, if there is one, is over; it goes on with it."""
        return long is None or self.portion(*long)[1]
