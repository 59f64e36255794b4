"""The style sheet can be read to its end: a brace that is missing, after a merge say, takes all rules after it away."""

import re
from pathlib import Path

SHEET = Path(__file__).parents[2] / "docs" / "assets" / "lesson.css"
CORE = Path(__file__).parents[2] / "lessoncore"


def test_every_block_is_closed_before_the_next_chapter() -> None:
    depth = 0
    for number, line in enumerate(SHEET.read_text().split("\n"), 1):
        assert depth == 0 or not line.startswith("/* -- "), f"line {number}: a block above isn't closed"
        bare = re.sub(r"/\*.*?\*/|\"[^\"]*\"", "", line)
        depth += bare.count("{") - bare.count("}")
        assert depth >= 0, f"line {number}: closes what isn't open"
    assert depth == 0


def test_what_a_picture_draws_is_not_styled_as_a_field() -> None:
    """A rule that gives a field its width stretches a bar of a picture as well, where both have the same class."""
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", re.sub(r"/\*.*?\*/", "", SHEET.read_text(), flags=re.DOTALL))
    fields = {
        selector.strip()[1:]
        for selectors, body in rules
        if re.search(r"(^|[\s;])(width|min-height|padding):", body)
        for selector in selectors.split(",")
        if re.fullmatch(r"\.[\w-]+", selector.strip())
    }
    assert "lc-area" in fields
    drawn = [path for folder in ("pictures", "views") for path in (CORE / folder).glob("*.py")]
    shapes = r"<(?:rect|path|circle|line|text)\b[^>]*class=\"([^\"]+)"
    used = {name for path in drawn for names in re.findall(shapes, path.read_text()) for name in names.split()}
    assert used & fields == set()
