"""The guess before the answer: covered until it is made, kept afterwards, above the stage on a phone."""

import pytest
from playwright.sync_api import Page, expect

from server import SiteServer
from step import set_prompt, wait_until_live
from visit import Visit, Visiting

STEP_2 = "steps/02-flops-per-byte.html"
# What a reader sees of the stage's words: neither what is covered nor what a picture's table has folded away.
_SEEN = """() => {
  const words = []
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return words.push(node.data)
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches('title, desc, details:not([open]), script')) return
    const { display, opacity } = getComputedStyle(node)
    if (display === 'none' || opacity === '0') return
    const mark = getComputedStyle(node, '::after').content
    node.childNodes.forEach(walk)
    if (mark.startsWith('"?"')) words.push('?')
  }
  walk(document.querySelector('.lc-stage'))
  return words.join(' ').replace(/\\s+/g, ' ')
}"""
_FIRST_FRAME = """addEventListener('DOMContentLoaded', () => requestAnimationFrame(() => {
  window.first = document.querySelector('.lc-eyebrow').hasAttribute('data-known')
}))"""


def seen(page: Page) -> str:
    words: str = page.evaluate(_SEEN)
    return words


@pytest.mark.both
def test_what_is_asked_is_shown_once_it_is_guessed_and_stays_shown(visit: Visit) -> None:
    page = visit.new_page()
    page.add_init_script(_FIRST_FRAME)
    visit.open(STEP_2, page)
    assert "295" not in seen(page)
    assert "ridge: ?" in seen(page)
    wait_until_live(page)
    assert "295" not in seen(page)
    before = page.locator(".lc-tiles").bounding_box()
    page.get_by_role("slider", name="While the H100 fetches").fill("120")
    page.get_by_text("See the answer").click()
    expect(page.locator(".lc-predict__answer > div")).to_contain_text("You said 120", timeout=60_000)
    assert seen(page).count("295") == 2
    assert page.locator(".lc-tiles").bounding_box() == before  # nothing has moved

    page.reload()
    page.wait_for_function("'first' in window && window.Lesson?.page")
    assert page.evaluate("window.first")
    assert seen(page).count("295") == 2
    guess = page.get_by_role("slider", name="While the H100 fetches")
    expect(guess).to_have_value("120")
    expect(guess).to_be_disabled()
    expect(page.locator(".lc-predict__value")).to_have_text("120\xa0FLOP/B")
    page.get_by_text("See the answer").click()
    expect(page.locator(".lc-predict__answer > div")).to_contain_text("You said 120", timeout=60_000)


@pytest.mark.pairs("chromium-http", "firefox-http")  # where a step follows another without being loaded
def test_on_the_next_step_its_own_question_is_covered_until_a_control_is_touched(visit: Visit) -> None:
    page = visit.open("steps/03-drill-decode-speed-limit.html")
    wait_until_live(page)
    page.get_by_text("See the answer").click()
    page.get_by_role("link", name="Next: 4").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("20-token")
    assert "5.99" not in seen(page)
    set_prompt(page, "21")
    expect(page.locator(".lc-tile", has_text="Time to first token")).not_to_contain_text("?")
    page.get_by_role("button", name="Reset").click()
    expect(page.locator(".lc-tile", has_text="Time to first token")).to_contain_text("5.99")
    assert "5.99" in seen(page)
    page.get_by_role("link", name="Previous: 3").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("speed limit")
    assert "4.79" in seen(page)


def test_a_phone_shows_first_what_a_reader_should_see_first(visiting: Visiting, good_site: SiteServer) -> None:
    visit = visiting(good_site, viewport={"width": 390, "height": 844})
    page = visit.open(STEP_2)
    guess, stage = (page.locator(one).bounding_box() for one in (".lc-predict", ".lc-stage"))
    assert guess
    assert stage
    assert guess["y"] + guess["height"] <= stage["y"] < 844  # the question, then what answers it
    visit.open("index.html", page)
    expect(page.get_by_role("link", name="Start with step 1")).to_be_in_viewport(ratio=1)


def test_on_a_low_screen_the_controls_are_in_sight(visiting: Visiting, good_site: SiteServer) -> None:
    visit = visiting(good_site, viewport={"width": 1366, "height": 650})
    page = visit.new_page()
    for step in ("05-eight-conversations", "11-fitting-is-not-enough", "15-slo"):  # those with the tallest stages
        visit.open(f"steps/{step}.html", page)
        for control in page.locator(".lc-stage .lc-control").all():
            expect(control).to_be_in_viewport(ratio=1)
        assert page.locator(".lc-stage").evaluate("(one) => one.scrollHeight <= one.clientHeight + 1")
