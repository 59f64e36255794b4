"""One Python for the whole visit, over http: going to the next page and back doesn't start another."""

import pytest
from playwright.sync_api import expect

from conftest import STEP_1, Visit
from step import expect_tile, set_prompt, wait_until_live


def test_the_next_page_and_back_keep_python(visit: Visit, place: str) -> None:
    if place == "disk":
        pytest.skip("from disk every page is loaded anew: there is no navigation to keep anything over")
    page = visit.open(STEP_1)
    wait_until_live(page)
    page.get_by_role("link", name="Next: 2").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("FLOPs per byte")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("One request, two very different halves")
    set_prompt(page, "4000")
    expect_tile(page, "Time to first token", "115.3 ms")
    assert sum(path.endswith(".wasm") for path in visit.server.asked) == 1
