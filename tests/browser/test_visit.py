"""Going on and coming back: over http with one Python for the whole visit, from disk with a fresh one a page."""

import pytest
from playwright.sync_api import expect

from step import expect_tile, set_prompt, wait_until_live
from visit import ALL_PAIRS, STEP_1, Visit


@pytest.mark.pairs(*ALL_PAIRS)
def test_to_the_next_page_and_back(visit: Visit, place: str) -> None:
    page = visit.open(STEP_1)
    wait_until_live(page)
    page.get_by_role("link", name="Next: 2").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("FLOPs per byte")
    if place == "http":
        page.evaluate("history.back()")  # playwright's own waits for a load that a kept page doesn't have
    else:
        page.get_by_role("link", name="Previous: 1").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("One request, two very different halves")
    set_prompt(page, "4000")
    expect_tile(page, "Time to first token", "115.3 ms")
    if place == "http":
        assert sum(path.endswith(".wasm") for path in visit.server.asked) == 1


def test_who_saves_data_gets_python_at_the_first_touch(visit: Visit) -> None:
    page = visit.new_page()
    page.add_init_script("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })")
    visit.open(STEP_1, page)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate("window.LessonRuntime.state") == "idle"
    assert not any("pyodide" in path for path in visit.server.asked)
    page.get_by_role("slider", name="Prompt tokens").focus()
    wait_until_live(page)


@pytest.mark.pairs(
    "chromium-http", "chromium-disk", "firefox-http"
)  # in Firefox every file on disk has a storage of its own
def test_progress_stays_after_a_return_and_can_be_forgotten(visit: Visit) -> None:
    page = visit.open(STEP_1 + "?output=100")
    wait_until_live(page)
    link = page.locator(".md-nav--primary .md-nav__link[data-progress]").first
    expect(link).to_have_attribute("data-progress", "seen")
    page.get_by_role("link", name="Next: 2").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("FLOPs per byte")
    again = visit.open("index.html")
    expect(again.locator(".lc-resume__words")).to_have_text("2 of 18 steps seen, 0 done.")
    expect(again.locator(".lc-resume a")).to_have_text("Go on with step 2")  # the last one, though nothing is done
    again.get_by_role("button", name="Forget my progress").click()
    expect(again.locator(".lc-resume")).to_be_hidden()


def test_where_storage_is_blocked_the_lesson_works_the_same(visit: Visit) -> None:
    page = visit.new_page()
    page.add_init_script(
        "const get = () => { throw new DOMException('blocked', 'SecurityError') };"
        "Object.defineProperty(window, 'localStorage', { get })"
    )
    visit.open(STEP_1, page)
    set_prompt(page, "4000")
    expect_tile(page, "Time to first token", "115.3 ms")


# A reader who is quicker than our scripts: does all this in the moment in which the page's elements come.
_QUICK = """new MutationObserver(() => {
  const guess = document.querySelector('.lc-predict details:not([open])')
  if (!guess || !document.querySelector('.lc-whys__all')) return
  guess.open = true
  const field = document.querySelector('[data-parameter=prompt] input[type=text]')
  field.value = '4000'
  field.dispatchEvent(new Event('input', { bubbles: true }))
}).observe(document, { childList: true, subtree: true })"""


@pytest.mark.both
def test_what_a_quick_reader_does_is_not_lost(visit: Visit) -> None:
    page = visit.new_page()
    page.add_init_script(_QUICK)
    visit.open(STEP_1, page)
    for heading in ("One request", "FLOPs per byte"):
        if heading == "FLOPs per byte":
            page.get_by_role("link", name="Next:").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text(heading)
        expect_tile(page, "Time to first token", "115.3 ms")
        expect(page.get_by_role("textbox", name="Prompt tokens")).to_have_value("4,000")
        expect(page.locator(".lc-predict__answer > div").first).to_contain_text("You said")
