"""The playground's tools, as a reader works with them: a search, a claim, files, and assumptions in Python."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from step import STARTED, address_of, expect_tile, tile, wait_until_live, wait_until_settled
from visit import Live, Visit

PLAYGROUND = "steps/18-playground.html"


# What would it take?


def test_a_search_shows_its_progress_its_answer_and_sets_the_page(visit: Visit) -> None:
    page = visit.open(PLAYGROUND)
    wait_until_live(page)
    tool = page.locator(".lc-target")
    tool.get_by_label("Time to first token").fill("0.1 s")
    tool.get_by_label("Time per token").fill("")
    tool.get_by_label("Users at once").fill("")
    tool.get_by_label("Weights").select_option("16")
    tool.get_by_role("button", name="Find").click()
    expect(tool.locator(".lc-target__status")).to_contain_text("meet TTFT ≤\xa0100\xa0ms.", timeout=15_000)
    expect(tool.locator(".lc-target__best")).to_contain_text("1 × MI300X, bf16, 1.50 to 6\xa0USD/h")
    tool.get_by_text("don’t meet it, and why").click()
    expect(tool.locator(".lc-target__failures")).to_contain_text("TTFT")
    tool.locator(".lc-target__best").get_by_role("link", name="Set the page to it").click()
    expect_tile(page, "Time per token", "3.86\xa0ms")
    assert "gpu=mi300x" in address_of(page)
    expect(tool.locator(".lc-target__best")).to_contain_text("the page is set to it")

    page.reload()  # the address says it too
    wait_until_live(page)
    expect_tile(page, "Time per token", "3.86\xa0ms")
    page.go_back()
    expect_tile(page, "Time per token", "6.10\xa0ms")


def test_a_target_that_cannot_be_read_is_told_and_stays(live: Live) -> None:
    page = live(PLAYGROUND)
    tool = page.locator(".lc-target")
    tool.get_by_label("Time per token").fill("20 GB")
    tool.get_by_role("button", name="Find").click()
    expect(tool.locator(".lc-target__status")).to_contain_text("“GB” is the unit of a size")
    expect(tool.get_by_label("Time per token")).to_have_value("20 GB")
    expect(tool.get_by_label("Time per token")).to_have_attribute("aria-invalid", "true")
    tool.get_by_label("Time per token").fill("0.0001 ms")
    tool.get_by_role("button", name="Find").click()
    expect(tool.locator(".lc-target__status")).to_contain_text("Nothing in the catalogue meets", timeout=15_000)
    expect(tool.locator("[aria-invalid]")).to_have_count(0)


def test_a_price_that_a_reader_types_counts_and_stays_in_the_address(visit: Visit) -> None:
    page = visit.open(PLAYGROUND)
    wait_until_live(page)
    tool = page.locator(".lc-target")
    tool.get_by_text("for 21 of 27 GPUs no source is known").click()
    tool.get_by_label("L40S").fill("0,05")
    tool.get_by_role("button", name="Find").click()
    expect(tool.locator(".lc-target__best")).to_contain_text("× L40S", timeout=15_000)
    expect(tool.get_by_label("L40S")).to_have_value("0.05")
    address = page.url
    assert address.endswith("?target.price.l40s=0.05")
    page.evaluate("sessionStorage.clear()")
    page.reload()
    wait_until_live(page)
    expect(tool.locator(".lc-target__best")).to_contain_text("× L40S", timeout=15_000)


def test_a_copied_link_shows_the_same_target_and_claim(visit: Visit) -> None:
    page = visit.open(PLAYGROUND)
    wait_until_live(page)
    assert "?" not in page.url
    target, claim = page.locator(".lc-target"), page.locator(".lc-claim")
    target.get_by_label("Users at once").fill("12.000")
    target.get_by_label("Users at once").press("Enter")
    expect(target.locator(".lc-target__status")).to_contain_text("'12.000' can be 12 or 12,000")
    expect(target.get_by_label("Users at once")).to_have_value("12.000")
    target.get_by_label("Users at once").fill("12 000")
    target.get_by_label("Users at once").press("Enter")
    expect(target.get_by_label("Users at once")).to_have_value("12,000")
    expect(target.locator(".lc-target__status")).to_contain_text("12,000 users at once", timeout=30_000)
    claim.get_by_label("The claim").fill("Llama 3 70B at 3000 tok/s on one H100, batch 1")
    claim.get_by_role("button", name="Read the claim").click()
    expect(claim.locator(".lc-claim__verdict")).to_contain_text("even on any H100 and with 4 bits a weight")
    claim.get_by_label("Number and unit").fill("20 tok/s")
    claim.get_by_label("Weights and maths").select_option("fp8")
    claim.get_by_role("button", name="Check with these").click()
    expect(claim.locator(".lc-claim__verdict")).to_contain_text("Possible.")
    address = page.url
    assert "claim.gpus" not in address  # as it was read

    page.evaluate("sessionStorage.clear()")
    page.goto("about:blank")
    page.goto(address)
    wait_until_live(page)
    expect(claim.locator(".lc-claim__verdict")).to_contain_text("Possible.")
    expect(claim.get_by_label("Number and unit")).to_have_value("20 tok/s")
    expect(claim.get_by_label("The claim")).to_have_value("Llama 3 70B at 3000 tok/s on one H100, batch 1")
    expect(target.get_by_label("Users at once")).to_have_value("12,000")
    expect(target.locator(".lc-target__status")).to_contain_text("12,000 users at once", timeout=30_000)
    assert page.url == address


# The lie detector.


def test_a_claim_is_understood_asked_about_and_judged(live: Live) -> None:
    page = live(PLAYGROUND)
    tool = page.locator(".lc-claim")
    expect(tool.locator(".lc-claim__verdict")).to_contain_text("It breaks a ceiling: memory bandwidth.")
    tool.get_by_label("The claim").fill("TTFT 20 ms for 8k prompt on A100")
    tool.get_by_role("button", name="Read the claim").click()
    verdict = tool.locator(".lc-claim__verdict")
    expect(verdict).to_contain_text("Please add below: the model.")
    expect(tool.get_by_label("Prompt tokens")).to_have_value("8000")
    expect(tool.get_by_label("GPU", exact=True)).to_have_value("")
    tool.get_by_label("Model").select_option("llama-3.1-8b")
    tool.get_by_label("GPU", exact=True).select_option("a100-80gb-sxm")
    tool.get_by_label("Weights and maths").select_option("bf16")
    tool.get_by_label("GPUs for one copy").fill("1")
    tool.get_by_label("GPUs for one copy").press("Enter")
    expect(verdict).to_contain_text("It breaks a ceiling: compute.")
    expect(verdict).to_contain_text("20.6 times too fast")
    expect(tool.get_by_label("GPUs for one copy")).to_have_value("1")
    tool.get_by_role("link", name="Set the page to it").click()
    form = page.get_by_role("figure", name="Your case")
    expect(form.get_by_role("combobox", name="GPU", exact=True)).to_have_value("a100-80gb-sxm")
    expect(form.get_by_role("textbox", name="Prompt tokens")).to_have_value("8,000")


# Files.


def can_tell_downloads(page: Page) -> bool:
    """Whether playwright hears of a download; over Firefox's own protocol it doesn't, though the file is saved."""
    assert page.context.browser
    return page.context.browser.browser_type.name == "chromium"


def saved(page: Page, tool_name: str) -> str:
    fold = page.locator(".lc-export .lc-fold", has=page.locator(f"summary:text-is('{tool_name}')"))
    if fold.get_attribute("open") is None:
        unfolded(page, fold)
    if not can_tell_downloads(page):
        fold.get_by_role("button", name="Copy").click()
        return fold.locator("code").inner_text()
    with page.expect_download() as download:
        fold.get_by_role("button", name="Save as file").click()
    return Path(download.value.path()).read_text(encoding="utf-8")


def test_exports_follow_the_page_and_give_the_same_numbers(visit: Visit, tmp_path: Path) -> None:
    page = visit.open(f"{PLAYGROUND}?prompt=4000&gpu=h200-sxm")
    wait_until_live(page)
    expect_tile(page, "Time to first token", "115.3\xa0ms")
    wait_until_live(page)  # what an export holds follows the tiles
    content = json.loads(saved(page, "JSON"))
    assert (content["scenario"]["prompt"], content["scenario"]["gpu"]) == (4000, "h200-sxm")
    snippet = tmp_path / "snippet.py"
    snippet.write_text(saved(page, "Python"), encoding="utf-8")
    link = page.locator(".lc-export__wheel a")
    wheel = visit.folder / "assets" / str(link.get_attribute("href")).rpartition("/")[2]
    if can_tell_downloads(page) and not visit.from_disk:
        with page.expect_download() as download:
            link.click()
        assert Path(download.value.path()).read_bytes() == wheel.read_bytes()
    code = f"import sys; sys.path.insert(0, {str(wheel)!r}); exec(open({str(snippet)!r}, encoding='utf-8').read())"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path, timeout=60
    )
    printed = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines()}
    figures = content["figures"]
    assert printed == {key: str(figures[key]["value"]) for key in figures}


def test_an_export_read_in_sets_the_page_and_rubbish_is_told(visit: Visit, tmp_path: Path) -> None:
    page = visit.open(f"{PLAYGROUND}?prompt=4000&weights=fp8&maths=fp8")
    wait_until_live(page)
    expect_tile(page, "Time to first token", "57.6\xa0ms")
    wait_until_live(page)
    kept = saved(page, "JSON")
    page.get_by_role("button", name="Reset").first.click()
    expect_tile(page, "Time to first token", "55.9\xa0ms")
    page.get_by_text("Read a JSON export in").click()
    tool = page.locator(".lc-export")
    tool.get_by_label("Paste it here, or choose a file").fill(kept.replace('"version": 1', '"version": 7'))
    tool.get_by_role("button", name="Read it").click()
    expect(tool.locator(".lc-export__read")).to_contain_text("version 1 of the format is read here, but the file has 7")
    expect_tile(page, "Time to first token", "55.9\xa0ms")
    file = tmp_path / "token-cost.json"
    file.write_text(kept, encoding="utf-8")
    tool.get_by_label("A JSON export").set_input_files(file)
    expect(tool.locator(".lc-export__read")).to_contain_text("Read. The page was set to the")
    expect_tile(page, "Time to first token", "57.6\xa0ms")
    assert "prompt=4000" in address_of(page)
    assert "weights=fp8" in page.url


# Assumptions in Python.


def write(page: Page, code: str) -> None:
    page.get_by_label("Python code of the assumptions").fill(code)


@pytest.mark.both
def test_code_changes_every_figure_until_it_is_reset(live: Live) -> None:
    page = live(PLAYGROUND)
    area = page.get_by_label("Python code of the assumptions")
    verdict = page.locator(".lc-editor__verdict")
    write(
        page,
        "memory_efficiency = 0.4\ndef own_term_s(p):\n    return 1e-3 if p.phase == 'decode' else 0\n"
        "print('<b>hi</b>')",
    )
    expect_tile(page, "Time per token", "6.10\xa0ms")  # not before Run
    area.press("Control+Enter")
    expect(verdict).to_contain_text("In force on this page.")
    expect(verdict).to_contain_text(
        "memory_efficiency 0.8 → 0.4; own_term_s adds 0\xa0s to the prefill pass and 1.00\xa0ms"
    )
    expect(verdict.locator("code")).to_have_text("<b>hi</b>\n")
    expect_tile(page, "Time per token", "13.2\xa0ms")
    expect(page.locator(".lc-tiles__own")).to_be_visible()
    page.get_by_role("textbox", name="Requests at once").first.fill("8")
    page.get_by_role("textbox", name="Requests at once").first.press("Enter")
    expect_tile(page, "Time per token", "14.7\xa0ms")

    wait_until_settled(page)
    page.reload()  # what was typed is there, but isn't in force until Run is pressed again
    wait_until_live(page)
    expect(area).to_have_value(re.compile("memory_efficiency = 0.4"))
    expect_tile(page, "Time per token", "6.87\xa0ms")
    page.get_by_role("button", name="Run").click()
    expect_tile(page, "Time per token", "14.7\xa0ms")
    page.locator(".lc-editor").get_by_role("button", name="Reset").click()
    expect_tile(page, "Time per token", "6.87\xa0ms")
    expect(area).to_have_value(re.compile("memory_efficiency = 0.8"))
    expect(page.locator(".lc-tiles__own")).to_have_count(0)


def test_code_that_is_run_before_a_simulation_is_finished_counts_for_it_too(visit: Visit) -> None:
    page = visit.open("gallery.html")
    page.wait_for_function(STARTED, timeout=60_000)
    queue = '[data-live*=\'"picture":"queue"\'] .lc-picture--wide'
    before = page.locator(queue).first.inner_html()
    write(page, "memory_efficiency = 0.2")
    page.get_by_role("button", name="Run").click()
    expect(page.locator(".lc-editor__verdict")).to_contain_text("In force on this page.")
    changed = "([queue, before]) => document.querySelector(queue).innerHTML !== before"
    page.wait_for_function(changed, arg=[queue, before], timeout=60_000)


def test_an_error_names_its_line_and_tab_leaves_the_editor(live: Live) -> None:
    page = live(PLAYGROUND)
    area = page.get_by_label("Python code of the assumptions")
    write(page, "memory_efficiency = 0.9\n\nmemory_eficiency = 0.5\n")
    page.get_by_role("button", name="Run").click()
    verdict = page.locator(".lc-editor__verdict")
    expect(verdict).to_contain_text("Line 3: 'memory_eficiency' isn't an assumption. Did you mean 'memory_efficiency'?")
    expect(page.locator(".lc-editor__lines .is-wrong")).to_have_text("3")
    expect(area).to_have_attribute("aria-invalid", "true")
    expect_tile(page, "Time per token", "6.10\xa0ms")
    area.focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Run")).to_be_focused()


def test_an_endless_loop_is_stopped_and_not_run_again(live: Live) -> None:
    page = live(PLAYGROUND)
    area = page.get_by_label("Python code of the assumptions")
    write(page, "while True:\n    pass")
    page.get_by_role("button", name="Run").click()
    verdict = page.locator(".lc-editor__verdict")
    expect(page.get_by_text("Running…")).to_be_visible()
    expect(verdict).to_be_hidden()  # it is about what was run before
    expect(verdict).to_contain_text("Stopped.", timeout=60_000)
    expect(page.get_by_text("Running…")).to_be_hidden()
    expect(area).to_have_value("while True:\n    pass")
    page.get_by_role("textbox", name="Prompt tokens").first.fill("4000")
    page.get_by_role("textbox", name="Prompt tokens").first.press("Enter")
    expect_tile(page, "Time to first token", "115.3\xa0ms")
    assert tile(page, "Time per token") == "6.20 ms"


def test_a_reader_stops_what_runs(live: Live) -> None:
    page = live(PLAYGROUND)
    write(page, "oops = 1")
    page.get_by_role("button", name="Run").click()
    expect(page.locator(".lc-editor__lines .is-wrong")).to_have_text("1")
    write(page, "oops = 1\nwhile True:\n    pass")
    page.get_by_role("button", name="Run").click()
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".lc-editor__verdict")).to_contain_text("Stopped. You stopped it", timeout=60_000)
    expect(page.locator(".lc-editor__lines .is-wrong")).to_have_count(0)
    expect_tile(page, "Time per token", "6.10\xa0ms")


@pytest.mark.both
def test_what_is_unfolded_after_a_run_follows_it_and_after_a_reset_too(live: Live) -> None:
    page = live(PLAYGROUND)

    def expect_everywhere(tpot: str, tpot_s: str, code: bool) -> None:
        content = json.loads(unfolded(page, page.locator(".lc-export .lc-fold").first).locator("code").inner_text())
        assert ("code" in content) == code
        assert str(content["figures"]["tpot"]["value"]).startswith(tpot_s)
        more = unfolded(page, page.locator(".lc-answers__more"))
        expect(more).to_contain_text("50%" if code else "80%")
        whys = unfolded(page, page.locator(".lc-whys__all"))
        expect(whys).to_contain_text(f"{tpot}\xa0ms")
        for fold in (page.locator(".lc-export .lc-fold").first, more, whys):
            fold.locator("summary").first.click()

    write(page, "memory_efficiency = 0.5")
    page.get_by_role("button", name="Run").click()
    expect_tile(page, "Time per token", "9.76\xa0ms")
    expect_everywhere("9.76", "0.0097", code=True)
    page.locator(".lc-editor").get_by_role("button", name="Reset").click()
    expect_tile(page, "Time per token", "6.10\xa0ms")
    expect_everywhere("6.10", "0.0061", code=False)


def unfolded(page: Page, fold: Locator) -> Locator:
    """A fold that is opened, when what is in it follows."""
    fold.evaluate(
        "(fold) => { fold.told = new Promise((tell) => fold.addEventListener('toggle', tell, {once: true})); }"
    )
    fold.locator("summary").first.click()
    fold.evaluate("(fold) => fold.told.then(() => true)")  # a browser tells the page a moment after the click
    wait_until_settled(page)
    return fold


@pytest.mark.parametrize("width", [1440, 1100, 768, 390])
def test_tiles_stay_side_by_side_with_own_code(live: Live, width: int) -> None:
    page = live(PLAYGROUND)
    page.set_viewport_size({"width": width, "height": 900})
    before = [box.bounding_box() for box in page.locator(".lc-tiles--many .lc-tile").all()]
    write(page, "memory_efficiency = 0.5")
    page.get_by_role("button", name="Run").click()
    expect(page.locator(".lc-tiles__own")).to_be_visible()
    after = [box.bounding_box() for box in page.locator(".lc-tiles--many .lc-tile").all()]
    assert [(box["x"], box["width"]) for box in after if box] == [(box["x"], box["width"]) for box in before if box]


def test_code_in_an_address_is_nothing(visit: Visit) -> None:
    page = visit.open(f"{PLAYGROUND}?code.run=memory_efficiency%3D0.1&code=memory_efficiency%3D0.1")
    wait_until_live(page)
    expect(page.locator(".lc-editor__verdict")).to_contain_text("Not in force.")
    expect_tile(page, "Time per token", "6.10\xa0ms")
