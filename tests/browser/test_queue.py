"""Step 15 as a reader uses it: searches that go on beside the sliders, and a load of one's own."""

import re

import pytest
from playwright.sync_api import Page, expect

from lessoncore.estimate import estimate
from lessoncore.figures import FIGURES
from lessoncore.scenario import Scenario
from step import HIGHEST_RATE, STARTED, expect_tile, type_into, wait_until_live
from visit import Live, Visit

STEP_15 = "steps/15-slo.html"
GPUS = '.lc-capacity [data-live*=\'"show":"gpus"\']'
RESULTS = ".lc-load__results"


def open_form(page: Page) -> None:
    fold = page.locator("details", has=page.locator("summary", has_text=re.compile("^Your own load$")))
    if fold.get_attribute("open") is None:
        fold.locator("summary").first.click()


def test_the_page_is_complete_before_python_and_stays_so_when_it_comes(visit: Visit) -> None:
    page = visit.open(STEP_15)
    found = page.locator(HIGHEST_RATE).inner_text()
    assert "requests/s" in found
    page.evaluate(
        """(where) => { window.gone = []; new MutationObserver(() => {
          const said = document.querySelector(where).innerText + document.querySelector('.lc-stage__picture').innerText
          if (said.includes('…')) window.gone.push(said)
        }).observe(document.body, {subtree: true, childList: true}) }""",
        HIGHEST_RATE,
    )
    page.wait_for_function(STARTED, timeout=60_000)
    users = page.get_by_label("Users", exact=True).first
    users.fill("240")
    users.press("Enter")  # which has nothing to do with the rate and the picture
    for where in (HIGHEST_RATE, GPUS, ".lc-stage__picture"):  # until everything has been computed again
        page.wait_for_function(
            "(where) => document.querySelector(where).lastHtml !== undefined", arg=where, timeout=60_000
        )
    assert page.locator(HIGHEST_RATE).inner_text() == found
    assert page.evaluate("window.gone") == [], "nothing that was built is taken away"


@pytest.mark.both
def test_a_slider_answers_while_the_search_goes_on_and_the_search_begins_anew(live: Live) -> None:
    page = live(STEP_15)
    type_into(page, "replicas", "6")
    expect(page.locator(f"{HIGHEST_RATE} progress")).to_be_visible()
    expect(page.locator(HIGHEST_RATE)).to_contain_text(re.compile(r"\d+ rates? tried"))
    type_into(page, "rate", "9")
    e = estimate(Scenario(batch=64, rate=9.0, replicas=6))
    expect_tile(page, "TTFT, p50", str(FIGURES["ttft_p50"].shown(e)).replace("\xa0", " "))
    expect(page.locator(f"{HIGHEST_RATE} progress")).to_be_visible()
    type_into(page, "replicas", "2")  # it is a search for something else now
    expect(page.locator(HIGHEST_RATE)).to_contain_text("breaks it first", timeout=60_000)
    expect(page.locator(HIGHEST_RATE)).to_contain_text("simulations of 960 requests")
    expect(page.locator(f"{HIGHEST_RATE} progress")).to_have_count(0)


def test_users_in_gpus_out_by_keyboard(live: Live) -> None:
    page = live(STEP_15)
    users = page.get_by_label("Users", exact=True).first
    users.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("240")
    page.keyboard.press("Enter")
    expect(page.locator(GPUS)).to_contain_text("That is 8 requests/s in all", timeout=60_000)
    expect(page.locator(GPUS)).to_contain_text(re.compile(r"\d GPUs"))
    expect(page.locator(".lc-capacity .lc-said")).to_have_text(re.compile("Found: . GPUs"))
    users.fill("nobody")
    users.press("Enter")
    expect(page.locator(".lc-capacity")).to_contain_text("A whole number from 1 to 1,000,000 is needed")
    expect(users).to_have_value("nobody")
    expect(users).to_have_attribute("aria-invalid", "true")
    users.fill("30")
    users.press("Enter")
    expect(page.locator(".lc-capacity [aria-invalid]")).to_have_count(0)


def test_a_load_of_ones_own(live: Live) -> None:
    page = live(STEP_15)
    open_form(page)
    form = page.locator(".lc-load")
    expect(form.get_by_label("Burstiness")).to_be_hidden()
    form.get_by_label("Requests arrive").select_option("bursts")
    form.get_by_label("Prompts are read").select_option("both")
    form.get_by_label("Burstiness").fill("4,5")
    form.get_by_role("button", name="Simulate").click()
    expect(page.locator(f"{RESULTS} table")).to_have_count(2, timeout=60_000)
    expect(form.get_by_label("Burstiness")).to_have_value("4.5")  # as it was read
    before = page.locator(RESULTS).inner_text()
    type_into(page, "batch", "16")  # the server is that of the stage
    expect(page.locator(RESULTS)).not_to_have_text(before, use_inner_text=True)
    expect(page.locator(f"{RESULTS} progress")).to_have_count(0, timeout=60_000)
    expect(page.locator(RESULTS)).to_contain_text("at most 16 on a copy")


def test_a_pasted_trace_with_a_mistake_is_kept_and_the_line_is_named(live: Live) -> None:
    page = live(STEP_15)
    open_form(page)
    form = page.locator(".lc-load")
    form.get_by_label("Requests arrive").select_option("trace")
    expect(form.get_by_label("Requests simulated")).to_be_hidden()
    trace = "arrival_s,prompt_tokens,output_tokens\n0,2000,500\n0.4,350,0\n"
    form.get_by_label(re.compile("The trace")).fill(trace)
    form.get_by_role("button", name="Simulate").click()
    expect(form).to_contain_text("Line 3 of the trace, '0.4,350,0': output tokens: a whole number from 1 to 16,384")
    expect(form.get_by_label(re.compile("The trace"))).to_have_value(trace)
    page.reload()
    wait_until_live(page)
    open_form(page)
    expect(form.get_by_label(re.compile("The trace"))).to_have_value(trace)
    form.get_by_label(re.compile("The trace")).fill(trace.replace(",0\n", ",9\n"))
    form.get_by_role("button", name="Simulate").click()
    expect(page.locator(RESULTS)).to_contain_text("2 of 2 requests", timeout=60_000)


def test_lengths_that_were_seen_are_drawn_from(live: Live) -> None:
    page = live(STEP_15)
    open_form(page)
    form = page.locator(".lc-load")
    form.get_by_label("Requests arrive").select_option("random")
    form.get_by_label("Lengths", exact=True).select_option("seen")
    for name in ("Prompt tokens, mean", "Answer tokens, mean", "Spread of lengths", re.compile("The trace")):
        expect(form.get_by_label(name)).to_be_hidden()
    form.get_by_label(re.compile("The lengths")).fill("2000;500\n350;120\n")
    form.get_by_role("button", name="Simulate").click()
    expect(page.locator(RESULTS)).to_contain_text("of 480 requests", timeout=60_000)
    form.get_by_label("Requests arrive").select_option("trace")
    expect(form.get_by_label(re.compile("The lengths"))).to_be_hidden()


def test_ten_megabytes_are_refused_and_the_page_goes_on(live: Live) -> None:
    page = live(STEP_15)
    open_form(page)
    form = page.locator(".lc-load")
    form.get_by_label("Requests arrive").select_option("trace")
    area = form.get_by_label(re.compile("The trace"))
    area.fill("0,2000,500")
    area.evaluate(
        """(area) => {
          const data = '0.5,2000,500\\n'.repeat(800000), clipboardData = new DataTransfer()
          clipboardData.setData('text/plain', data) // Firefox takes the text itself
          const how = {bubbles: true, cancelable: true}
          area.dispatchEvent(new ClipboardEvent('paste', {clipboardData, data, dataType: 'text/plain', ...how}))
        }"""
    )
    expect(form).to_contain_text("longer than 200,000 characters; at most 5,000 requests are possible")
    expect(area).to_have_value("0,2000,500")  # what was there stays
    type_into(page, "rate", "1")
    expect(page.locator(".lc-tile", has_text="TTFT, p99")).not_to_contain_text("446.5")
