"""What a reader takes hold of in a picture: the dot on the roofline, the plot of a curve."""

import pytest
from playwright.sync_api import Locator, Page, expect

from server import SiteServer
from step import address_of, expect_tile, wait_until_live
from visit import Live, Visiting

ROOFLINE, CURVE = "steps/02-flops-per-byte.html", "steps/14-a-16000-token-prompt.html"


def dot(page: Page) -> Locator:
    return page.locator("[data-drag=prompt]:visible")


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def prompt(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Prompt tokens")


@pytest.mark.both
def test_a_dot_dragged_by_the_pointer_sets_the_prompt(live: Live) -> None:
    page = live(ROOFLINE)
    x, y = middle(dot(page))
    start = str(dot(page).get_attribute("transform"))
    page.mouse.move(x, y)
    page.mouse.down()
    for n in range(1, 21):  # the picture is replaced on the way
        page.mouse.move(x - 15 * n, y + 5 * n)
    expect(page.locator(".lc-tile", has_text="Time to first token")).to_contain_text("memory-bound")
    expect(prompt(page)).not_to_have_value("2,000")
    assert "?" not in page.url, "the address is written when the dot is let go"
    page.mouse.up()
    expect(dot(page)).to_be_focused()
    shown = prompt(page).input_value()
    assert address_of(page).endswith(f"?prompt={shown}")
    expect(dot(page)).to_have_attribute("aria-valuenow", shown)
    expect(page.locator("[data-parameter=prompt] input[type=range]")).to_have_attribute("aria-valuetext", shown)
    assert abs(middle(dot(page))[0] - (x - 300)) < 6, "the dot is where the pointer is"
    page.mouse.move(x, y)
    page.go_back()
    expect_tile(page, "Time to first token", "55.9 ms")
    expect(dot(page)).to_have_attribute("aria-valuenow", "2000")
    expect(dot(page)).to_have_attribute("transform", start)


def test_a_dot_moved_by_keys_keeps_the_focus(live: Live) -> None:
    page = live(ROOFLINE)
    dot(page).focus()
    for key, value in (("ArrowRight", "2,100"), ("ArrowDown", "2,000"), ("PageDown", "1,000"), ("End", "131,072")):
        page.keyboard.press(key)
        expect(prompt(page)).to_have_value(value)
        expect(dot(page)).to_have_attribute("aria-valuenow", value.replace(",", ""))
        expect(dot(page)).to_be_focused()
    assert address_of(page).endswith("?prompt=131072")
    page.keyboard.press("Home")
    expect(dot(page)).to_have_attribute("aria-valuetext", "1\xa0token: 1.00\xa0FLOP/B, memory-bound")


def test_a_key_that_is_held_goes_on_from_what_it_asked_for(live: Live) -> None:
    page = live(ROOFLINE)
    dot(page).focus()
    for _ in range(5):
        page.keyboard.down("ArrowRight")
    assert "?" not in page.url
    page.keyboard.up("ArrowRight")
    expect(prompt(page)).to_have_value("2,500")
    assert address_of(page).endswith("?prompt=2500")


@pytest.mark.pairs("chromium-http")  # only its protocol moves a finger
def test_a_finger_drags_the_dot_on_a_phone(visiting: Visiting, good_site: SiteServer) -> None:
    visit = visiting(good_site, viewport={"width": 390, "height": 844}, has_touch=True)
    page = visit.open(ROOFLINE)
    wait_until_live(page)
    dot(page).scroll_into_view_if_needed()
    x, y = middle(dot(page))
    scrolled = page.evaluate("scrollY")
    finger = page.context.new_cdp_session(page)
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for n in range(1, 11):
        at = [{"x": x - 10 * n, "y": y + 8 * n}]
        finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": at})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.locator(".lc-tile", has_text="Time to first token")).to_contain_text("memory-bound")
    assert "?prompt=" in address_of(page)
    assert abs(middle(dot(page))[0] - (x - 100)) < 6
    assert page.evaluate("scrollY") == scrolled, "the finger drags, it doesn't scroll"


def test_a_curve_is_read_by_pointer_and_by_keys(live: Live) -> None:
    page = live(CURVE)
    area = page.locator("[data-readout]:visible")
    lines = page.locator(".lc-picture--wide .lc-readout")
    expect(lines).to_have_text(["16,000\xa0tokens", "432.9\xa0ms", "113.0\xa0ms", "545.9\xa0ms"])
    box = area.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + 20)
    expect(lines).to_have_text(["8,000\xa0tokens", "216.4\xa0ms", "28.3\xa0ms", "244.7\xa0ms"])
    expect(page.locator(".lc-picture--wide .lc-readout-line")).to_have_css("visibility", "visible")
    page.mouse.move(10, 10)
    expect(lines.first).to_have_text("16,000\xa0tokens")

    area.focus()
    page.keyboard.press("End")
    expect(lines.last).to_have_text("1,318\xa0ms")
    expect(area).to_have_attribute("aria-valuetext", "32,000\xa0tokens, 865.7\xa0ms, 452.2\xa0ms, 1,318\xa0ms")
    page.keyboard.press("ArrowLeft")
    expect(lines.first).to_have_text("31,000\xa0tokens")
    page.keyboard.press("Escape")
    expect(lines.first).to_have_text("16,000\xa0tokens")


def test_the_table_stays_open_while_the_dot_moves(live: Live) -> None:
    page = live(CURVE)
    page.get_by_text("The picture as a table").click()
    dot(page).press("ArrowRight")
    expect(prompt(page)).to_have_value("17,000")
    expect(page.locator(".lc-data table")).to_be_visible()
