"""The style sheet can be read to its end: a brace that is missing, after a merge say, takes all rules after it away."""

import re
from pathlib import Path

SHEET = Path(__file__).parents[2] / "docs" / "assets" / "lesson.css"


def test_every_block_is_closed_before_the_next_chapter() -> None:
    depth = 0
    for number, line in enumerate(SHEET.read_text().split("\n"), 1):
        assert depth == 0 or not line.startswith("/* -- "), f"line {number}: a block above isn't closed"
        bare = re.sub(r"/\*.*?\*/|\"[^\"]*\"", "", line)
        depth += bare.count("{") - bare.count("}")
        assert depth >= 0, f"line {number}: closes what isn't open"
    assert depth == 0
