"""What the tests of pictures look at: both sizes of a picture as XML, its texts as boxes."""

import json
import re
import xml.etree.ElementTree as ElementTree
from typing import Any, NamedTuple

from lessoncore.declaration import check_fields
from lessoncore.page import Page
from lessoncore.pictures import picture

Element = ElementTree.Element


def checked(kind: str, **given: Any) -> dict[str, Any]:
    """A picture's fields as an author writes them, checked and filled up."""
    values, problems = check_fields(picture(kind).fields, given)
    assert not problems, problems
    return {"picture": kind, **values}


def draw(values: dict[str, Any], page: Page) -> dict[str, Element]:
    """Draw a picture; its two sizes, and its table as "table"."""
    html = picture(values["picture"]).draw(values, page, "key")
    root = ElementTree.fromstring(f"<div>{html}</div>")
    found = {str(svg.get("class")).rpartition("--")[2]: svg for svg in root if svg.tag == "svg"}
    return found | {"table": next(part for part in root if part.tag == "details")}


class Box(NamedTuple):
    words: str
    left: float
    top: float
    right: float
    bottom: float


def text_boxes(svg: Element) -> list[Box]:
    """Where the texts stand, by the width of their letters in common fonts."""
    boxes = []
    for text in svg.iter("text"):
        words, cls = "".join(text.itertext()), str(text.get("class"))
        size = 11 if "lc-small" in cls else 12
        width = len(words) * size * 0.53
        x, y = float(text.get("x", 0)), float(text.get("y", 0))
        left = x - {"middle": width / 2, "end": width}.get(str(text.get("text-anchor")), 0)
        if words:
            boxes.append(Box(words, left, y - 0.75 * size, left + width, y + 0.2 * size))
    return boxes


def assert_neat(svg: Element) -> None:
    """Every text and shape within the frame, and no text on another."""
    width, height = (float(number) for number in str(svg.get("viewBox")).split()[2:])
    boxes = text_boxes(svg)
    for box in boxes:
        assert box.left >= -1, box
        assert box.right <= width + 1, box
        assert box.top >= -1, box
        assert box.bottom <= height + 1, box
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            across = min(one.right, other.right) - max(one.left, other.left)
            down = min(one.bottom, other.bottom) - max(one.top, other.top)
            assert across <= 1 or down <= 1, (one, other)
    for rect in svg.iter("rect"):
        x, y = float(rect.get("x", 0)), float(rect.get("y", 0))
        assert 0 <= x <= x + float(rect.get("width", 0)) <= width + 0.1
        assert 0 <= y <= y + float(rect.get("height", 0)) <= height + 0.1
    for path in svg.iter("path"):
        if "M" in str(path.get("d")) and not re.search("[a-z]", str(path.get("d"))):
            numbers = [float(n) for n in re.findall(r"-?[\d.]+", str(path.get("d")))]
            assert all(-0.1 <= x <= width + 0.1 for x in numbers[::2])
            assert all(-0.1 <= y <= height + 0.1 for y in numbers[1::2])


def handles(svg: Element) -> list[Element]:
    """What can be dragged."""
    return [part for part in svg.iter("g") if part.get("data-drag")]


def stops(handle: Element) -> list[tuple[float, str]]:
    """Where a handle may go, and the values that it sets there."""
    return [(place, value) for place, value in json.loads(str(handle.get("data-stops")))]


def readout(svg: Element) -> dict[str, str]:
    """What a plot tells, by the first words of each point."""
    area = next(part for part in svg.iter("rect") if part.get("data-readout"))
    said = [words for _, words, *_ in json.loads(str(area.get("data-readout")))]
    return {re.split(r"[:\n]", words)[0].replace("\xa0", " "): words.replace("\xa0", " ") for words in said}
