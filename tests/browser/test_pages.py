"""Around the steps: the keyboard, paper, a phone's width, a wrong address, and a site that was built anew."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from server import SiteServer
from step import THEME
from visit import STEP_1, Visit, Visiting

SHEET = "steps/17-cheat-sheet.html"
PHONE = {"width": 390, "height": 844}
# What is wider than what it stands in, though it can be scrolled: a reader would have to.
WIDER = """(box) => [...document.querySelectorAll(box), ...document.querySelectorAll(box + " *")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline")
  .map((one) => one.outerHTML.slice(0, 120))"""


# The keyboard.


def test_keys_lead_from_step_to_step(visit: Visit) -> None:
    page = visit.open("index.html")
    expect(page.locator("kbd", has_text="n")).to_be_visible()
    title = page.get_by_role("heading", level=1)
    for key, heading in (
        ("n", "One request"),
        (".", "FLOPs per byte"),
        ("p", "One request"),
        (",", "What does a token"),
    ):
        page.wait_for_function(THEME)
        page.keyboard.press(key)
        expect(title).to_contain_text(heading)


def test_keys_do_nothing_where_a_reader_types(live_page: Page) -> None:
    page = live_page
    field = page.get_by_role("textbox", name="Prompt tokens")
    field.press("End")
    field.press(".")
    field.press("n")
    expect(field).to_have_value("2,000.n")
    expect(page.get_by_role("heading", level=1)).to_contain_text("One request")
    assert STEP_1 in page.url


@pytest.mark.parametrize("words", ["ridge point", "throw somebody's cache away"])
def test_search_finds_terms_and_prose(visit: Visit, words: str) -> None:
    page = visit.open(STEP_1)
    page.keyboard.press("/")
    page.get_by_role("textbox", name="Search").press_sequentially(words)
    found = page.locator(".md-search-result__item").filter(has=page.locator("mark"))
    where = "glossary.html" if words == "ridge point" else "07-batch-the-long-requests.html"
    expect(found.locator(f"a[href*='{where}']").first).to_be_visible(timeout=30_000)
    expect(page.locator(".md-search-result")).not_to_contain_text("data-live")


# Paper.


printed = pytest.mark.pairs("chromium-disk")  # playwright prints with Chromium only, and paper is the same everywhere


@pytest.fixture
def printing(visiting: Visiting, good_site: SiteServer) -> Visit:
    return visiting(good_site, color_scheme="dark")


def sheets(page: Page, size: str) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=size)))


@printed
@pytest.mark.parametrize("size", ["A4", "Letter"])
def test_the_cheat_sheet_prints_on_two_pages(printing: Visit, size: str) -> None:
    assert sheets(printing.open(SHEET), size) == 2


@printed
@pytest.mark.parametrize("step", ["01-two-phases", "07-batch-the-long-requests", "12-four-gpus-then-eight"])
def test_a_step_prints_on_two_or_three_pages(printing: Visit, step: str) -> None:
    assert sheets(printing.open(f"steps/{step}.html"), "A4") in (2, 3)


@printed
def test_paper_is_black_on_white_and_complete(printing: Visit) -> None:
    page = printing.open(SHEET)
    page.set_viewport_size({"width": 688, "height": 1000})  # A4 within its margins
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.querySelector('.md-typeset')).color") == "rgb(0, 0, 0)"
    grounds = (
        "[document.body, ...document.querySelectorAll('.lc-sheet *')].map((e) => getComputedStyle(e).backgroundColor)"
    )
    assert set(page.evaluate(grounds)) <= {"rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"}
    assert page.evaluate(WIDER, ".lc-sheet") == []
    assert page.evaluate(WIDER, ".lc-symbols") == []
    for words in ("Hours of a training run", "Promise percentiles", "shortest time per output token", "Takeaway"):
        expect(page.get_by_text(words).first).to_be_visible()
    expect(page.locator(".lc-whys")).to_be_hidden()


# A phone.


def test_the_cheat_sheet_is_read_on_a_phone_without_scrolling_sideways(
    visiting: Visiting, good_site: SiteServer
) -> None:
    page = visiting(good_site, viewport=PHONE).open(SHEET)
    expect(page.get_by_text("Ridge point", exact=True).first).to_be_visible()
    assert page.evaluate(WIDER, ".lc-sheet") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    rows = page.locator(".lc-sheet tbody tr")
    assert rows.count() >= 18
    assert all(rows.nth(n).get_by_role("link").last.is_visible() for n in range(rows.count()))


# A wrong address.


@pytest.mark.pairs("chromium-http", "firefox-http")  # on files the browser itself says so
def test_a_wrong_address_shows_the_way_back(visiting: Visiting, good_site: SiteServer) -> None:
    page = visiting(good_site, expect="404").open("steps/deep/19-nothing.html")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such page")
    page.get_by_role("link", name="To the start").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What does a token cost?")


# A site that was built anew.


@pytest.fixture
def rebuilt(good_site: SiteServer, tmp_path: Path) -> Iterator[Path]:
    """The same site with other names for all of our scripts and styles, as after a change of them."""
    folder = tmp_path / "rebuilt"
    shutil.copytree(good_site.folder, folder)
    renamed = {
        file.name: f"{file.name.split('.')[0]}.0123456789{file.suffix}" for file in (folder / "assets").glob("*.*.*")
    }
    for old, new in renamed.items():
        (folder / "assets" / old).rename(folder / "assets" / new)
    for page in folder.rglob("*.html"):
        text = page.read_text()
        for old, new in renamed.items():
            text = text.replace(old, new)
        page.write_text(text)
    before = good_site.folder
    yield folder
    good_site.folder = before


@pytest.mark.pairs("chromium-http")  # on disk a site that was built anew lies in the same folder: nothing is cached
def test_progress_survives_a_site_that_was_built_anew(visit: Visit, rebuilt: Path) -> None:
    page = visit.open(STEP_1)
    link = page.locator(".md-nav--primary .md-nav__link[data-progress]").first
    expect(link).to_have_attribute("data-progress", "seen")
    page.close()  # its reader comes back another day
    visit.server.folder = rebuilt
    again = visit.open("index.html")
    assert "0123456789" in again.content()
    expect(again.locator(".lc-resume__words")).to_have_text("1 of 18 steps seen, 0 done.")
    expect(again.locator(".lc-resume a")).to_have_text("Go on with step 1")
