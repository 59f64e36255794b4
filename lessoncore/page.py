"""What a page shows right now: its own scenario, what the reader changed, and the estimates that follow."""

from typing import Any

from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate, estimate
from lessoncore.parameters import parameter
from lessoncore.scenario import Scenario


class Page:
    """The scenario a page was written for, changed by the reader's ``state``.

    ``state`` and ``inputs`` hold text as it stands in the address, a control or a question's answer. A value
    that can't be used is kept out of the scenario and named in ``problems``, by its parameter. ``controls`` are the
    parameters that the reader can change, as the build knows them from the page's stage.
    """

    def __init__(
        self,
        scenario: dict[str, Any] | None = None,
        state: dict[str, str] | None = None,
        inputs: dict[str, str] | None = None,
    ) -> None:
        self.own = Scenario().but(**(scenario or {}))
        self.inputs = inputs or {}
        self.placed: dict[str, int] = {}  # pictures on the page that is being built, each as often as it stands there
        self.controls: list[str] = []  # what the reader can change here; known while the page is built
        self.problems: dict[str, str] = {}
        self.scenario = self._changed(state or {})
        self._known: dict[Scenario, Estimate] = {}

    def _changed(self, state: dict[str, str]) -> Scenario:
        changes: dict[str, Any] = {}
        for key, given in state.items():
            try:
                changes[key] = parameter(key).parse(given)
            except LessonError as error:
                self.problems[key] = str(error)
        try:
            return self.own.but(**changes)
        except LessonError as error:  # each value is allowed, their combination isn't
            self.problems[next(reversed(changes))] = str(error)
            return self.own

    def estimate(self, changes: dict[str, Any] | None = None, own: bool = False) -> Estimate:
        """Estimate the present scenario, or the page's own one, with ``changes`` on top."""
        scenario = self.own if own else self.scenario
        if changes:
            scenario = scenario.but(**changes)
        if scenario not in self._known:
            self._known[scenario] = estimate(scenario)
        return self._known[scenario]
