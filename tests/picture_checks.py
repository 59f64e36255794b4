"""What must hold for every picture: well-formed, within its frame, and no text on another."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any, NamedTuple

from lessoncore.page import Page
from lessoncore.pictures import picture

SIZES = {"wide": 640.0, "narrow": 340.0}
_LETTER = 6.0 / 12  # width of a letter, as a share of the font's size: the mean of the page's fonts
_FONT = {"lc-small": 11.0, "lc-big": 19.0, "lc-lead": 13.0}


def draw(name: str, page: Page, **values: Any) -> str:
    """A picture's HTML."""
    return picture(name).draw(values, page, "key")


def drawn(html: str) -> dict[str, ElementTree.Element]:
    """The picture's two sizes; fails where the HTML isn't well-formed."""
    root = ElementTree.fromstring(f"<div>{html.replace('&nbsp;', chr(0xA0))}</div>")
    return {str(svg.get("class")).rpartition("--")[2]: svg for svg in root.iter("svg")}


def words(html: str) -> str:
    """All text of a picture, with plain spaces."""
    return " ".join("".join(svg.itertext()) for svg in drawn(html).values()).replace("\xa0", " ")


class Box(NamedTuple):
    """Where a text stands."""

    left: float
    right: float
    top: float
    bottom: float
    words: str


def texts(svg: ElementTree.Element) -> Iterator[Box]:
    """The boxes of all texts of a picture."""
    for text in svg.iter("text"):
        said = "".join(text.itertext())
        cls = str(text.get("class"))
        size = next((size for name, size in _FONT.items() if name in cls), 12.0)
        x, y, width = float(text.get("x", 0)), float(text.get("y", 0)), len(said) * size * _LETTER
        left = x - {"middle": width / 2, "end": width}.get(str(text.get("text-anchor")), 0)
        yield Box(left, left + width, y - size * 0.7, y + size * 0.15, said)


def check(html: str) -> None:
    """Fail where something leaves the frame or a text covers another."""
    found = drawn(html)
    assert found.keys() == SIZES.keys()
    for size, svg in found.items():
        height = float(str(svg.get("viewBox")).split()[3])
        assert svg.findtext("title")
        assert svg.findtext("desc")
        for rect in [r for r in svg.iter("rect") if r.get("x") is not None]:
            x, y = float(rect.get("x", 0)), float(rect.get("y", 0))
            assert -0.1 <= x <= x + float(rect.get("width", 0)) <= SIZES[size] + 0.2, ElementTree.tostring(rect)
            assert -0.1 <= y <= y + float(rect.get("height", 0)) <= height + 0.1, ElementTree.tostring(rect)
        boxes = sorted(texts(svg), key=lambda box: box.top)
        for n, box in enumerate(boxes):
            assert box.words.strip(), "an empty text"
            assert box.left >= -0.5, box
            assert box.right <= SIZES[size] + 0.5, box
            assert 0 <= box.top <= box.bottom <= height, (box, height)
            for other in boxes[n + 1 :]:
                if other.top >= box.bottom:
                    break
                assert other.left >= box.right - 1 or other.right <= box.left + 1, (box, other)
