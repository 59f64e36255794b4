"""Records behave as frozen dataclasses do, and what step 1 loads writes no code while it is imported."""

import html
import subprocess
import sys
from copy import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessoncore.record import Record
from lessoncore.views.markup import escape


class Size(Record):
    """A record with a default and a check."""

    width: float
    height: float = 1.0
    name: str = ""

    def __post_init__(self) -> None:
        """Refuse what is no size."""
        if self.width < 0:
            raise ValueError("negative")


class Named(Record, eq=False):
    """A record that equals only itself."""

    name: str


def test_fields_are_given_in_order_or_by_name() -> None:
    assert Size(2.0, name="a") == Size(width=2.0, height=1.0, name="a")
    assert Size.names == ("width", "height", "name")
    assert repr(Size(2.0)) == "Size(width=2.0, height=1.0, name='')"
    assert len({Size(2.0), Size(2.0), Size(3.0)}) == 2


@pytest.mark.parametrize(
    ("values", "named"),
    [((), {}), ((1.0, 2.0, "a", 4), {}), ((1.0,), {"width": 2.0}), ((1.0,), {"depth": 2.0}), ((), {"height": 1.0})],
)
def test_missing_unknown_and_double_fields_are_refused(values: tuple[object, ...], named: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="Size"):
        Size(*values, **named)  # type: ignore[arg-type]


def test_a_record_never_changes_but_gives_changed_ones() -> None:
    size = Size(2.0)
    with pytest.raises(AttributeError):
        size.width = 3.0  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del size.width
    assert (replace(size, width=3.0).width, size.width) == (3.0, 2.0)
    with pytest.raises(ValueError, match="negative"):
        replace(size, width=-1.0)


def test_records_of_two_classes_or_without_equality_differ() -> None:
    class Other(Record):
        width: float
        height: float = 1.0
        name: str = ""

    assert Size(2.0) != Other(2.0)
    one = Named("a")
    assert one == one
    assert one != Named("a")


@given(st.text())
def test_escape_is_that_of_the_standard_library(text: str) -> None:
    assert escape(text) == html.escape(text)


def test_what_step_1_loads_writes_no_code_and_reads_no_entities() -> None:
    # In a process of its own. In the browser each such class costs milliseconds of a reader's first second.
    code = """
import dataclasses, json, sys
import lessoncore
known = [{"kind": "picture", "picture": "timeline"}, {"kind": "tiles", "figures": ["ttft", "total", "memory_used"]}]
assert "error" not in json.loads(lessoncore.respond(json.dumps({"state": {"prompt": "4000"}, "parts": known})))
loaded = {name: module for name, module in sys.modules.items() if name.startswith("lessoncore")}
written = [
    f"{name}.{key}"
    for name, module in loaded.items()
    for key, value in vars(module).items()
    if isinstance(value, type) and value.__module__ == name
    and (dataclasses.is_dataclass(value) or hasattr(value, "_field_defaults"))
]
assert not written, written
assert not {"html", "html.entities", "csv", "random", "statistics"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
