"""The widgets that an author can put on a page, by the name of their kind."""

from lessoncore.declaration import Problem
from lessoncore.widgets.capacity import CAPACITY
from lessoncore.widgets.claim import CLAIM
from lessoncore.widgets.comparison import COMPARISON
from lessoncore.widgets.cost import COST
from lessoncore.widgets.drill import DRILL_KIND
from lessoncore.widgets.editor import EDITOR
from lessoncore.widgets.errors import ERRORS
from lessoncore.widgets.export import EXPORT
from lessoncore.widgets.figure import PICTURE_KIND
from lessoncore.widgets.kinds import Kind
from lessoncore.widgets.measurements import MEASUREMENTS
from lessoncore.widgets.own_load import OWN_LOAD
from lessoncore.widgets.predict import PREDICT
from lessoncore.widgets.results import RESULTS
from lessoncore.widgets.setups import SETUPS
from lessoncore.widgets.stage import STAGE
from lessoncore.widgets.sweep import SWEEP
from lessoncore.widgets.symbols import SYMBOLS_KIND
from lessoncore.widgets.target import TARGET
from lessoncore.widgets.tasks import TASKS_KIND
from lessoncore.widgets.workbench import WORKBENCH

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        STAGE,
        WORKBENCH,
        PICTURE_KIND,
        COMPARISON,
        COST,
        SETUPS,
        SWEEP,
        PREDICT,
        TASKS_KIND,
        DRILL_KIND,
        TARGET,
        CLAIM,
        EXPORT,
        EDITOR,
        SYMBOLS_KIND,
        MEASUREMENTS,
        ERRORS,
        RESULTS,
        CAPACITY,
        OWN_LOAD,
    )
}

__all__ = ["KINDS", "Kind", "Problem"]
