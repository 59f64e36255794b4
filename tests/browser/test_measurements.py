"""The accuracy page in a reader's hands: filters, dots by pointer and by key, and the way into the playground."""

from typing import Any
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Page, expect

from lessoncore.evidence.chosen import Chosen
from step import expect_all_inside, wait_until_live
from visit import Live, Visit

PAGE = "accuracy.html"
DOTS = "[...document.querySelectorAll('[data-dots]')].flatMap((area) => JSON.parse(area.dataset.dots)).length"


def plot(page: Page, name: str) -> Any:
    return page.get_by_role("slider", name=f"{name}: measurements").locator("visible=true")


def test_filters_leave_fewer_dots_and_the_address_remembers_them(visit: Visit) -> None:
    page = visit.open(PAGE)
    wait_until_live(page)
    assert page.evaluate(DOTS) == 288
    page.get_by_role("combobox", name="GPU").select_option("h200-sxm")
    expect(page.locator(".lc-measurements__summary p")).to_have_text("37 measurements")
    assert page.evaluate(DOTS) == len(Chosen(gpu="h200-sxm").rows()) == 37
    page.get_by_role("combobox", name="Effect").select_option("ttft_short")
    expect(page.locator(".lc-measurements__summary p")).to_have_text("4 measurements")
    calibrated = plot(page, "Time to first token").get_attribute("data-dots")
    page.get_by_label("Textbook").check()
    expect(page.locator(".lc-measurements__by")).to_contain_text("Textbook")
    assert plot(page, "Time to first token").get_attribute("data-dots") != calibrated
    given = dict(parse_qsl(page.url.partition("?")[2]))
    assert given == {"by": "textbook", "effect": "ttft_short", "gpu": "h200-sxm"}

    again = visit.open(page.url.removeprefix(visit.root))
    expect(again.locator(".lc-measurements__summary p")).to_have_text("4 measurements", timeout=60_000)
    expect(again.get_by_label("Textbook")).to_be_checked()
    expect(again.get_by_role("combobox", name="Effect")).to_have_value("ttft_short")


@pytest.mark.both
def test_dots_are_read_and_picked_by_key(live: Live) -> None:
    page = live(PAGE)
    area = plot(page, "Time to first token")
    area.focus()
    page.keyboard.press("End")
    told = page.locator(".lc-measurements__row")
    expect(told.locator(".lc-measured__name")).to_have_text("Llama 3.1 8B bf16, RTX 6000 Ada")
    assert "too fast" in (area.get_attribute("aria-valuetext") or "")
    page.keyboard.press("ArrowLeft")
    expect(told.locator(".lc-measured__name")).not_to_have_text("Llama 3.1 8B bf16, RTX 6000 Ada")
    expect(area).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(told.get_by_role("link", name="FreedomIntelligence/AccelMark")).to_be_visible()
    page.keyboard.press("Escape")
    expect(told).to_be_empty()


def test_a_dot_below_the_pointer_is_read_and_a_click_keeps_it(live: Live) -> None:
    page = live(PAGE)
    area = plot(page, "Time to first token")
    area.scroll_into_view_if_needed()
    x, y = area.evaluate(
        """(area) => {
          const [x, y] = JSON.parse(area.dataset.dots).find(([, , id]) => id === "AM158")
          const at = new DOMPoint(x, y).matrixTransform(area.getScreenCTM())
          return [at.x, at.y]
        }"""
    )
    page.mouse.move(x, y)
    words = page.locator("svg.lc-reading .lc-readout")
    expect(words.first).to_have_text("Llama 3.1 8B bf16, RTX 6000 Ada, vLLM")
    expect(page.locator(".lc-measurements__row")).to_be_empty()
    page.mouse.click(x, y)
    expect(page.locator(".lc-measured__name")).to_have_text("Llama 3.1 8B bf16, RTX 6000 Ada")
    page.mouse.move(2, 2)
    expect(words.first).to_have_text("Llama 3.1 8B bf16, RTX 6000 Ada, vLLM")
    page.get_by_role("button", name="Close this measurement").click()
    expect(page.locator(".lc-measurements__row")).to_be_empty()
    expect(page.locator("svg.lc-reading")).to_have_count(0)


def test_a_link_opens_the_playground_with_the_measured_set_up(visit: Visit) -> None:
    page = visit.open(f"{PAGE}?row=AM017")
    expect(page.locator(".lc-measured__name")).to_have_text("Llama 3.1 8B bf16, A100 40 GB SXM", timeout=60_000)
    page.get_by_role("link", name="Open it in the playground").click()
    page.wait_for_url("**/18-playground.html?**")
    for pair in ("gpu=a100-40gb-sxm", "model=llama-3.1-8b", "prompt=28650", "output=256", "assumptions=calibrated"):
        assert pair in page.url
    expect(page.get_by_role("heading", level=1)).to_contain_text("layground")
    here = page.locator(".lc-measured-here")
    expect(here).to_contain_text("Time to first token: predicted", timeout=60_000)
    expect(here).to_contain_text("row AM017")
    here.get_by_role("button", name="Close the measurement").click()
    expect(here).to_be_hidden()
    assert "measured" not in page.url


def test_what_a_dot_compares_is_seen_in_the_playground(live: Live) -> None:
    page = live("steps/18-playground.html?gpu=h100-sxm&measured=TM017")
    here = page.locator(".lc-measured-here")
    expect(here).to_contain_text("Tokens a second, prefill included: predicted", timeout=60_000)
    expect(here).to_contain_text("The case was changed since")
    here.get_by_role("link", name="Set it back").click()
    expect(here).not_to_contain_text("The case was changed since")
    expect(here).to_contain_text("measured 3,450\xa0tokens/s")


def test_a_sentence_leads_to_its_dot(live: Live) -> None:
    page = live(PAGE)
    page.get_by_role("link", name="RTX 6000 Ada").click()
    expect(page.locator(".lc-measured__name")).to_have_text("Llama 3.1 8B bf16, RTX 6000 Ada", timeout=60_000)


def test_an_address_that_nobody_chose_is_left_aside(visit: Visit) -> None:
    page = visit.open(f"{PAGE}?gpu=abacus&effect=batching&by=%3Cb%3E")
    expect(page.locator(".lc-measurements__summary p")).to_have_text("30 measurements", timeout=60_000)
    expect(page.get_by_role("combobox", name="GPU")).to_have_value("")
    expect(page.get_by_label("Calibrated", exact=True)).to_be_checked()


def test_on_a_phone_a_tapped_dot_stays_in_view_with_what_is_told_of_it(visiting: Any, good_site: Any) -> None:
    page = visiting(good_site, viewport={"width": 390, "height": 844}).open(PAGE)
    wait_until_live(page)
    expect_all_inside(page)
    area = plot(page, "Tokens a second, all requests")
    area.focus()
    page.keyboard.press("Home")
    told = page.locator(".lc-measurements__row")
    expect(told.locator(".lc-measured__name")).to_be_visible()
    page.wait_for_function(
        """() => {
          const plot = document.querySelector("svg.lc-reading").getBoundingClientRect()
          const told = document.querySelector(".lc-measurements__row").getBoundingClientRect()
          return plot.top >= 48 && plot.bottom <= told.top && told.bottom <= innerHeight
        }"""
    )
    expect_all_inside(page)


@pytest.mark.pairs("chromium-http")  # Firefox can't be told so over its own protocol; the page is the same
def test_without_scripts_all_is_there(visiting: Any, good_site: Any) -> None:
    page = visiting(good_site, java_script_enabled=False).open(PAGE)
    expect(page.locator(".lc-dots circle")).to_have_count(288)
    expect(page.locator(".lc-measurements select").first).to_be_hidden()
    page.get_by_text("All of these measurements as a table").click()
    expect(page.locator(".lc-measurements__table tbody tr")).to_have_count(288)
    expect(page.locator(".lc-errors").first).to_contain_text("decode at batch 1")
