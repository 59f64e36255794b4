"""When Python can't start or fails: the built values stay, one calm line says so, and a retry mends it."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from server import SiteServer
from sites import NEVER_ENDS, RAISES
from step import expect_status, expect_tile, set_prompt, tile, wait_until_live
from visit import STEP_1, Visiting


def expect_built_values(page: Page) -> None:
    assert tile(page, "Time to first token") == "55.9 ms"
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


@pytest.mark.both
def test_a_blocked_runtime(visiting: Visiting, good_site: SiteServer) -> None:
    visit = visiting(good_site, expect="")  # the browser itself reports what it couldn't load
    [pack] = good_site.folder.glob("assets/runtime/packs/pyodide.asm.wasm-*.js")
    hidden = pack.with_suffix(".hidden")
    good_site.blocked.add("pyodide.asm.wasm")
    pack.rename(hidden)
    try:
        page = visit.new_page()
        page.clock.install()
        visit.open(STEP_1, page)
        page.wait_for_function("window.LessonRuntime.state !== 'idle'")
        page.clock.run_for(20_000)  # Pyodide says nothing of a file that it couldn't get
        expect_status(page, "Python couldn’t start here")
        expect_built_values(page)
    finally:
        good_site.blocked.clear()
        hidden.rename(pack)
    set_prompt(page, "4000")
    expect_built_values(page)
    page.get_by_role("button", name="Try again").click()
    expect_tile(page, "Time to first token", "115.3 ms")
    expect_status(page, "Live")


@pytest.mark.pairs("chromium-http", "firefox-http")
def test_memory_that_is_missing(visiting: Visiting, good_site: SiteServer) -> None:
    visit = visiting(good_site, expect="")  # the browser itself reports what it couldn't load
    good_site.blocked.add("memory-")
    try:
        page = visit.open(STEP_1)
        expect_status(page, "Python couldn’t start here")
        expect_built_values(page)
    finally:
        good_site.blocked.clear()
    page.get_by_role("button", name="Try again").click()
    expect_status(page, "Live")


def test_no_webassembly(visiting: Visiting, good_site: SiteServer) -> None:
    visit = visiting(good_site)
    page = visit.new_page()
    page.add_init_script("delete window.WebAssembly")
    visit.open(STEP_1, page)
    expect_status(page, "Python couldn’t start here")
    expect_built_values(page)


@pytest.mark.both
def test_a_start_without_an_answer(visiting: Visiting, good_site: SiteServer, place: str) -> None:
    visit = visiting(good_site)
    page = visit.new_page()
    page.clock.install()
    if place == "http":
        good_site.release.clear()
        good_site.held.add("pyodide.asm.wasm")
    else:  # a worker that is never told to start
        page.add_init_script("window.Worker.prototype.postMessage = () => {}")
    visit.open(STEP_1, page)
    page.wait_for_function("window.LessonRuntime.state === 'starting'")
    page.clock.run_for(20_000)
    expect_status(page, "Python couldn’t start here")
    expect_built_values(page)
    good_site.held.clear()
    good_site.release.set()
    if place == "http":  # late is better than never
        expect_status(page, "Live")


def test_a_request_that_raises_and_one_that_never_ends(visiting: Visiting, broken_site: SiteServer) -> None:
    page = visiting(broken_site).open(STEP_1)
    wait_until_live(page)
    set_prompt(page, RAISES)
    expect_status(page, "couldn’t be calculated")
    expect_built_values(page)
    set_prompt(page, "4000")
    expect_tile(page, "Time to first token", "115.3 ms")
    expect(page.get_by_role("button", name="Try again")).to_be_hidden()

    set_prompt(page, NEVER_ENDS)
    expect_status(page, "took too long and was stopped")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    assert tile(page, "Time to first token") == "115.3 ms"
    set_prompt(page, "2000")  # starts another Python
    expect_tile(page, "Time to first token", "55.9 ms")
    set_prompt(page, "4000")
    expect_tile(page, "Time to first token", "115.3 ms")


def test_names_of_files_carry_their_content(good_site: SiteServer) -> None:
    page = (good_site.folder / STEP_1).read_text()
    for name in ("runtime", "film", "lesson"):
        [file] = (good_site.folder / "assets").glob(f"{name}.*.js")
        assert file.name in page
    assert not list(Path(good_site.folder / "assets").glob("worker*.js"))
