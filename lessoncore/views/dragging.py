"""What a reader can take hold of in a picture: a dot that sets a parameter, and a curve to be read.

The page's script (docs/assets/drag.js) turns a pointer or a key into the nearest of the stops that are written
here; it knows neither the figure nor the parameter.
"""

from functools import lru_cache

from lessoncore.parameters import PARAMETERS, Count
from lessoncore.views.markup import attribute
from lessoncore.views.markup import coordinate as at


def drag_dot(
    x: float, y: float, p: Count, value: float, said: str, stops: list[tuple[float, float]], concept: str
) -> str:
    """A dot at a point that sets the parameter ``p``: ``stops`` are places along the picture and their values.

    ``said`` is what a screen reader says of the present value.
    """
    places = _places(p.key, tuple(stops))
    return (
        f'<g class="lc-drag" data-drag="{p.key}" data-stops=\'[{places}]\' tabindex="0" role="slider"'
        f' aria-label="{attribute(p.label)} in the picture" aria-valuemin="{_plain(stops[0][1])}"'
        f' aria-valuemax="{_plain(stops[-1][1])}" aria-valuenow="{_plain(value)}"'
        f' aria-valuetext="{attribute(said)}" transform="translate({at(x)} {at(y)})">'
        '<circle r="22" class="lc-drag__reach"/><circle r="11.5" class="lc-drag__ring"/>'
        '<path d="M-14.5 -4l-4 4l4 4M14.5 -4l4 4l-4 4" class="lc-drag__cue"/>'
        f'<circle r="8" class="lc-dot lc-fill-{concept}"/></g>'
    )


@lru_cache(maxsize=32)  # they are the same while the dot moves, and there are a hundred
def _places(key: str, stops: tuple[tuple[float, float], ...]) -> str:
    p = PARAMETERS[key]
    assert isinstance(p, Count)
    return ",".join(f'[{at(place)},"{p.text(stop)}"]' for place, stop in stops)


def _plain(value: float) -> str:
    return f"{value:.10g}"


def dot(x: float, y: float, concept: str, r: float = 6.5) -> str:
    """A dot that marks a point."""
    return f'<circle cx="{at(x)}" cy="{at(y)}" r="{at(r)}" class="lc-dot lc-fill-{concept}"/>'


def counted(p: Count, value: float) -> str:
    """A value of a parameter with what it counts.

    >>> from lessoncore.parameters import PARAMETERS
    >>> counted(PARAMETERS["prompt"], 2000), counted(PARAMETERS["batch"], 1), counted(PARAMETERS["gpus"], 4)
    ('2,000\\xa0tokens', '1\\xa0request', '4\\xa0GPUs')
    """
    unit = p.unit or p.label
    if value == 1 and unit.endswith("s"):
        unit = f"{unit[:-3]}y" if unit.endswith("ies") else unit[:-1]
    return f"{p.text(value)}\N{NO-BREAK SPACE}{unit}"


def readout_point(x: float, words: str, heights: list[float]) -> str:
    """What stands at a place of a plot: the words, a line each, and the heights of the marks.

    >>> readout_point(10, "2,000 tokens", [30.5])
    '[10,"2,000 tokens",30.5]'
    """
    return f"[{at(x)},{_json(words)}{''.join(f',{at(height)}' for height in heights)}]"


def readout_area(box: tuple[float, float, float, float], label: str, said: str, points: list[str]) -> str:
    """An area over a plot (left, top, right, bottom) that tells what stands where the reader points.

    The words of a point go into the picture's ``lc-readout`` texts; the marks are its ``lc-readout-dot``.
    ``said`` is what a screen reader says at first.
    """
    left, top, right, bottom = box
    return (
        f'<rect x="{at(left)}" y="{at(top)}" width="{at(right - left)}" height="{at(bottom - top)}"'
        f' class="lc-readout-area" tabindex="0" role="slider" aria-readonly="true" aria-label="{attribute(label)}"'
        f' aria-valuemin="0" aria-valuemax="{len(points) - 1}" aria-valuenow="0"'
        f" aria-valuetext=\"{attribute(said)}\" data-readout='[{','.join(points)}]'/>"
    )


def _json(words: str) -> str:
    escaped = words.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'.replace("&", "&amp;").replace("<", "&lt;").replace("'", "&#x27;")
