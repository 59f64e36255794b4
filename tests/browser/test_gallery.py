"""Every widget at once: the gallery follows its stage, on a screen of any width."""

import json

import pytest
from playwright.sync_api import expect

from step import expect_all_inside, type_into, wait_until_settled
from visit import Live

SHOWN = """() => [...document.querySelectorAll('.lc-page [data-live]')].map(
  (place) => [place.dataset.live, place.innerText, place.querySelectorAll('.lc-picture').length]
)"""
MOVED = {"picture", "tiles", "comparison", "sweep", "results", "figures"}


@pytest.mark.both
def test_every_widget_follows_the_stage(live: Live) -> None:
    page = live("gallery.html")
    before = page.evaluate(SHOWN)
    type_into(page.locator(".lc-stage").first, "prompt", "9000")
    wait_until_settled(page)
    expect(page.locator(".lc-status__text").first).to_contain_text("Live")
    after = page.evaluate(SHOWN)
    assert [spec for spec, *_ in after] == [spec for spec, *_ in before], "no widget is gone"
    moved = [one for one, other in zip(after, before, strict=True) if json.loads(one[0])["kind"] in MOVED]
    assert len(moved) > len(MOVED)
    assert [one[0] for one in moved if one in before] == [], "what depends on the prompt shows the new one"
    assert [spec for spec, _, drawn in moved if drawn > 1] == [], "each picture is drawn once"
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        wait_until_settled(page)
        expect_all_inside(page)
