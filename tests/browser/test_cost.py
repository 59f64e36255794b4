"""What it costs: the price stands in the text, follows what is typed, and goes where nothing fits."""

from playwright.sync_api import expect

from step import address_of, expect_tile, type_into, wait_until_live
from visit import Visit


def test_a_reader_sets_the_price_beside_the_text(visit: Visit) -> None:
    page = visit.open("steps/07-batch-the-long-requests.html")
    wait_until_live(page)
    box = page.locator(".lc-cost")
    expect(box).to_contain_text("1.02\xa0USD")
    expect(box).to_contain_text("the middle of what clouds asked for in 2026-05")
    type_into(box, "price", "7")
    expect(box).to_contain_text("2.03\xa0USD", timeout=30_000)
    expect(box).to_contain_text("the price that you set")
    expect(page.locator(".lc-step__text")).to_contain_text("conversations cost 2.03\xa0USD")
    assert address_of(page).endswith("?price=7.00")


def test_what_does_not_fit_has_no_speed_and_the_text_stays_true(visit: Visit) -> None:
    page = visit.open("steps/07-batch-the-long-requests.html")
    wait_until_live(page)
    type_into(page.locator(".lc-stage"), "batch", "60")
    expect_tile(page, "Tokens a second", "–")
    expect(page.locator(".lc-tile", has_text="Time per token")).to_contain_text("doesn’t fit")
    expect(page.locator(".lc-cost")).to_contain_text("doesn’t fit")
    expect(page.locator(".lc-step__text")).to_contain_text("24 conversations with 16,000 prompt tokens each")
    expect(page.locator(".lc-step__text")).to_contain_text("3.7 times as long")


def test_a_format_that_a_step_does_not_list_can_still_be_linked_to(visit: Visit) -> None:
    page = visit.open("steps/08-fp8.html?weights=nvfp4")
    wait_until_live(page)
    weights = page.get_by_role("combobox", name="Weights")
    expect(weights).to_have_value("nvfp4")
    assert weights.locator("option:not([hidden])").all_inner_texts() == ["bf16", "fp8"]
    expect_tile(page, "Weights in memory", "4.517 GB")
