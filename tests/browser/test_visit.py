"""Going on and coming back: over http with one Python for the whole visit, from disk with a fresh one a page."""

from playwright.sync_api import expect

from conftest import STEP_1, Visit
from step import expect_tile, set_prompt, wait_until_live


def test_to_the_next_page_and_back(visit: Visit, place: str) -> None:
    page = visit.open(STEP_1)
    wait_until_live(page)
    page.get_by_role("link", name="Next: 2").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("FLOPs per byte")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("One request, two very different halves")
    set_prompt(page, "4000")
    expect_tile(page, "Time to first token", "115.3 ms")
    if place == "http":
        assert sum(path.endswith(".wasm") for path in visit.server.asked) == 1
