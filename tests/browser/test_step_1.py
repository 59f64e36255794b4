"""Step 1 as a reader meets it: complete at once, live soon, and linkable."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from server import SiteServer
from step import address_of, expect_tile, set_prompt, tile, wait_until_live
from visit import ALL_PAIRS, STEP_1, Visit, Visiting


@pytest.mark.pairs(*ALL_PAIRS)
def test_every_value_is_there_before_python_is(visit: Visit) -> None:
    page = visit.new_page()
    page.add_init_script("delete window.WebAssembly")  # Python never comes
    visit.open(STEP_1, page)
    assert tile(page, "Time to first token") == "55.9 ms"
    assert tile(page, "Time per token") == "6.10 ms"
    assert tile(page, "Whole answer") == "3.11 s"
    assert tile(page, "Memory used") == "16.4 GB"
    expect(page.locator(".lc-step__text")).to_contain_text(re.compile("it is 3.11\\ss, and 98% of that"))
    expect(page.locator(".lc-picture--wide")).to_contain_text("prefill · 55.9\xa0ms · compute-bound")


_FIRST_LOOK = """addEventListener('DOMContentLoaded', () => {
  const switches = [...document.querySelectorAll('[data-md-component=palette] label')]
  window.first = {
    dark: matchMedia('(prefers-color-scheme: dark)').matches,
    scheme: document.body.dataset.mdColorScheme,
    shown: switches.findIndex((one) => !one.hidden),
    theme: Boolean(window.document$),
  }
})"""
SCHEMES = ["default", "slate"]


@pytest.mark.parametrize("asked", ["light", "dark"])
def test_the_readers_colours_are_there_before_any_script_of_the_theme(
    visiting: Visiting, good_site: SiteServer, asked: str, browser: Browser
) -> None:
    visit = visiting(good_site, color_scheme=asked)
    page = visit.new_page()
    page.add_init_script(_FIRST_LOOK)
    visit.open(STEP_1, page)
    first = page.evaluate("window.first")
    if browser.browser_type.name == "chromium":  # a Firefox that playwright drives can't be told so from disk
        assert first["dark"] == (asked == "dark")
    own = int(first["dark"])
    assert first == {"dark": first["dark"], "scheme": SCHEMES[own], "shown": own, "theme": False}
    wait_until_live(page)
    assert page.evaluate("document.body.dataset.mdColorScheme") == SCHEMES[own]
    page.locator("[data-md-component=palette] label:not([hidden])").click()
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", SCHEMES[1 - own])
    page.reload()
    assert page.evaluate("window.first.scheme") == SCHEMES[1 - own]


@pytest.mark.both
def test_a_prompt_of_4000_tokens(visiting: Visiting, good_site: SiteServer) -> None:
    visit = visiting(good_site)
    page = visit.open(STEP_1)
    set_prompt(page, "4000")
    expect_tile(page, "Time to first token", "115.3 ms")
    expect(page.locator(".lc-step__text p", has_text="That pass takes")).to_contain_text("115.3\xa0ms")
    expect(page.locator(".lc-picture--wide")).to_contain_text("prefill · 115.3\xa0ms")
    expect(page.locator(".lc-said")).to_contain_text("Time to first token 115.3\xa0ms")
    expect(page.locator(".lc-step__text .lc-changed").first).to_be_attached()  # what has changed is marked
    expect(page.locator(".lc-step__text .lc-n", has_text="500").first).not_to_have_class(re.compile("lc-changed"))

    again = visiting(good_site).open(STEP_1 + "?" + page.url.partition("?")[2])  # a fresh window on the same address
    expect_tile(again, "Time to first token", "115.3 ms")
    expect(again.get_by_role("textbox", name="Prompt tokens")).to_have_value("4,000")

    page.go_back()
    expect_tile(page, "Time to first token", "55.9 ms")
    expect(page.get_by_role("textbox", name="Prompt tokens")).to_have_value("2,000")


_MARK_OVER_TIME = """place => {
  const [mark] = place.getAnimations()
  mark.pause()
  return [0, 600, 1100].map((ms) => { mark.currentTime = ms; return getComputedStyle(place).backgroundColor })
}"""


@pytest.mark.pairs("chromium-http")  # Firefox can't be told so over its own protocol
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_mark_fades_unless_the_reader_wants_less_motion(
    visiting: Visiting, good_site: SiteServer, motion: str
) -> None:
    page = visiting(good_site, reduced_motion=motion).open(STEP_1)
    set_prompt(page, "4000")
    mark = page.locator(".lc-step__text .lc-changed").first
    mark.wait_for(timeout=30_000)
    mark.evaluate(
        "place => { place.classList.remove('lc-changed'); place.offsetWidth; place.classList.add('lc-changed') }"
    )
    colours = mark.evaluate(_MARK_OVER_TIME)
    assert len(set(colours)) == (1 if motion == "reduce" else 3)


def test_the_slider_by_keyboard_and_reset(live_page: Page) -> None:
    page = live_page
    page.get_by_role("slider", name="Answer tokens").press("ArrowRight")
    expect(page.get_by_role("textbox", name="Answer tokens")).to_have_value("550")
    expect_tile(page, "Whole answer", "3.41 s")
    assert address_of(page).endswith("?output=550")
    page.get_by_role("button", name="Reset").click()
    expect_tile(page, "Whole answer", "3.11 s")
    expect(page.get_by_role("slider", name="Answer tokens")).to_have_attribute("aria-valuetext", "500")
    assert "?" not in page.url


@pytest.mark.both
def test_wrong_input_is_named_and_kept(live_page: Page) -> None:
    page = live_page
    set_prompt(page, "lots")
    message = page.locator("[data-parameter=prompt] .lc-control__error")
    expect(message).to_contain_text("'lots' isn't a number", timeout=60_000)
    expect(message).to_contain_text("from 1 to 10,485,760")
    expect(page.get_by_role("textbox", name="Prompt tokens")).to_have_value("lots")
    expect_tile(page, "Time to first token", "–")
    expect(page.locator(".lc-stage__picture")).to_have_text("Not computed: see what is said at Prompt tokens.")
    expect(page.locator(".lc-step__text p", has_text="That pass takes")).to_contain_text("That pass takes –.")
    set_prompt(page, "4k")
    expect_tile(page, "Time to first token", "115.3 ms")
    expect(message).to_be_hidden()
    expect(page.locator(".lc-picture--wide")).to_contain_text("prefill · 115.3\xa0ms")


def test_what_is_on_the_way_to_a_value_takes_no_number_away(live_page: Page) -> None:
    page = live_page
    prompt = page.get_by_role("textbox", name="Prompt tokens")
    prompt.fill("")
    expect(page.locator("[data-parameter=prompt] .lc-control__error")).to_be_visible(timeout=60_000)
    assert tile(page, "Time to first token") == "55.9 ms"
    prompt.press_sequentially("4000")
    expect_tile(page, "Time to first token", "115.3 ms")
    prompt.fill("")  # and left so
    expect_tile(page, "Time to first token", "–")


@pytest.mark.both
def test_a_prediction_a_task_and_a_derivation(live_page: Page) -> None:
    page = live_page
    page.get_by_role("slider", name="The prompt has four times").fill("60")
    page.get_by_text("See the answer").click()
    answer = page.locator(".lc-predict__answer")
    expect(answer).to_contain_text("You said 60%. It is 98%.", timeout=60_000)
    expect(answer).to_contain_text("side by side")

    task = page.locator(".lc-task", has_text="under one second")
    expect(task).to_contain_text("not done yet")
    field = page.get_by_role("textbox", name="Answer tokens")
    field.fill("100")
    field.press("Enter")
    expect(task).not_to_contain_text("not done yet")
    expect(task.locator(".lc-task__done")).to_be_visible()

    page.locator(".lc-step__text p", has_text="That pass takes").locator("a").click()
    dialog = page.get_by_role("dialog", name="Time to first token")
    expect(dialog).to_contain_text("33.17\xa0TFLOP1·60%·989.4\xa0TFLOP/s")  # a fraction
    expect(dialog).to_contain_text("NVIDIA H100 datasheet")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_the_film_plays_to_its_end(live_page: Page) -> None:
    page = live_page
    page.get_by_label("Speed").select_option("4×")
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".lc-player__clock")).to_have_text("3.11\xa0s of 3.11\xa0s", timeout=15_000)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.get_by_role("slider", name="Moment of the request").fill("0")
    expect(page.locator(".lc-picture--wide [data-caption]")).to_contain_text("waiting")


@pytest.mark.both
def test_without_scripts_the_page_reads_whole(page_without_scripts: Page) -> None:
    page = page_without_scripts
    text = page.locator("article").inner_text()
    for figure in ("55.9\xa0ms", "6.1\xa0ms", "3.11\xa0s", "98%", "16.06\xa0GB", "2,000"):
        assert figure in text
    assert "needs JavaScript" in text
    assert page.locator(".lc-controls").is_hidden()
    page.get_by_text("See the answer").click()
    expect(page.locator(".lc-predict__answer")).to_contain_text("It is 98%.")
    page.get_by_text("Every number of this page").click()
    page.locator(".lc-why summary").first.click()
    expect(page.locator(".lc-why").first).to_contain_text("33.17\xa0TFLOP")


def test_a_window_of_another_size_gets_the_picture_that_fits_it(live_page: Page) -> None:
    page = live_page
    set_prompt(page, "4000")
    expect_tile(page, "Time to first token", "115.3 ms")
    picture = page.locator(".lc-stage__picture .lc-picture")
    expect(picture).to_have_count(1)
    expect(picture).to_have_class("lc-picture lc-picture--wide")
    page.set_viewport_size({"width": 390, "height": 900})
    expect(picture).to_have_class("lc-picture lc-picture--narrow")
    expect(picture).to_be_visible()
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(picture).to_have_class("lc-picture lc-picture--wide")


@pytest.mark.both
def test_what_is_rehearsed_while_the_reader_reads_shows_nowhere(visit: Visit) -> None:
    page = visit.new_page()
    page.add_init_script(
        "const post = Worker.prototype.postMessage; window.asked = [];"
        "Worker.prototype.postMessage = function (message) {"
        "  if (message.type === 'ask') window.asked.push(JSON.parse(message.request).state.prompt);"
        "  return post.call(this, message);"
        "}"
    )
    address = visit.open(STEP_1, page).url
    page.wait_for_function("window.asked.filter(Boolean).length >= 12", timeout=60_000)
    wait_until_live(page)
    assert len(set(page.evaluate("window.asked"))) > 10, "a drag asks for many prompts"
    assert tile(page, "Time to first token") == "55.9 ms"
    assert page.get_by_role("textbox", name="Prompt tokens").input_value() == "2,000"
    assert page.url == address
