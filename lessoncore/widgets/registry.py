"""The widgets that an author can put on a page, by the name of their kind."""

from lessoncore.declaration import Problem
from lessoncore.widgets.drill import DRILL_KIND
from lessoncore.widgets.kinds import Kind
from lessoncore.widgets.predict import PREDICT
from lessoncore.widgets.stage import STAGE
from lessoncore.widgets.tasks import TASKS_KIND

KINDS: dict[str, Kind] = {kind.name: kind for kind in (STAGE, PREDICT, TASKS_KIND, DRILL_KIND)}

__all__ = ["KINDS", "Kind", "Problem"]
