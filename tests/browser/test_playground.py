"""The playground as someone uses it who comes back with a case of their own."""

import json
import re
from typing import Any

import pytest
from collected_configs import CONFIGS, FILES
from playwright.sync_api import Locator, Page, expect

from conftest import Live, Visit, Visiting
from lessoncore import respond
from lessoncore.figures import figure
from lessoncore.page import Page as State
from server import SiteServer
from step import expect_all_inside, expect_tile, wait_until_live, wait_until_settled

PLAYGROUND = "steps/18-playground.html"
OWN: dict[str, Any] = {"weights": "stored"}
QWEN = "Qwen--Qwen3-32B.config.json"


def config(file: str) -> str:
    return (CONFIGS / file).read_text()


def shown(key: str, **state: str) -> str:
    """A figure as CPython shows it."""
    return str(figure(key).shown(State(OWN, state).estimate())).replace("\xa0", " ")


def field(page: Page) -> Locator:
    """The field for a config.json, unfolded."""
    fold = page.locator(".lc-group", has_text="Your config.json")
    if fold.get_attribute("open") is None:
        fold.locator("summary").click()
    return page.get_by_role("textbox", name="config.json")


def error(page: Page) -> Locator:
    return page.locator("[data-parameter=config] .lc-control__error")


def form(page: Page) -> Locator:
    """The form, without the tools below, whose fields have the same names."""
    return page.get_by_role("figure", name="Your case")


def choose(page: Page, label: str, option: str) -> None:
    form(page).get_by_role("combobox", name=label, exact=True).select_option(option)


@pytest.mark.both
def test_a_pasted_config_gives_its_model_and_the_link_reproduces_it(visiting: Visiting, good_site: SiteServer) -> None:
    visit = visiting(good_site)
    page = visit.open(PLAYGROUND)
    field(page).fill(config(QWEN))
    expect_tile(page, "Time to first token", shown("ttft", config=config(QWEN)))
    expect(page.locator(".lc-control__about")).to_contain_text("Read: qwen3, 32.8\xa0billion parameters, 64 layers")
    field(page).blur()
    expect(page).to_have_url(re.compile(r"\?config=z[\w-]+$"), timeout=60_000)
    assert field(page).input_value() == config(QWEN)
    choose(page, "GPU", "b200-sxm")
    expect_tile(page, "Time per token", shown("tpot", config=config(QWEN), gpu="b200-sxm"))
    wait_until_settled(page)

    again = visiting(good_site).open(PLAYGROUND + "?" + page.url.partition("?")[2])
    expect_tile(again, "Time per token", shown("tpot", config=config(QWEN), gpu="b200-sxm"))
    expect(again.locator(".lc-group__now", has_text="in use")).to_be_visible()
    assert json.loads(field(again).input_value())["hidden_size"] == 5120

    page.go_back()
    expect_tile(page, "Time per token", shown("tpot", config=config(QWEN)))
    page.go_back()
    expect_tile(page, "Time per token", "6.10 ms")
    assert field(page).input_value() == ""
    page.go_forward()
    expect_tile(page, "Time per token", shown("tpot", config=config(QWEN)))
    form(page).get_by_role("button", name="Reset").click()
    expect_tile(page, "Time per token", "6.10 ms")
    expect(page.locator(".lc-control__about")).to_be_empty()


def test_what_can_not_be_read_is_said_at_the_field_and_nothing_is_lost(live: Live, tmp_path: Any) -> None:
    page = live(PLAYGROUND)
    field(page).fill(config(QWEN))
    field(page).blur()
    expect(page).to_have_url(re.compile("config=z"), timeout=60_000)
    link = page.url
    for text, why in (
        (config("deepseek-ai--DeepSeek-V3.2.config.json"), "not supported, because its sparse attention"),
        ("{oops", "not valid JSON in line 1"),
        ("<img src=x onerror=alert(1)>", "not valid JSON in line 1"),
    ):
        field(page).fill(text)
        expect(error(page)).to_contain_text(why, timeout=60_000)
        assert field(page).input_value() == text
        expect_tile(page, "Time per token", shown("tpot", config=config(QWEN)))
        field(page).blur()
        wait_until_settled(page)
        assert page.url == link
    before = field(page).input_value()
    large = tmp_path / "config.json"
    large.write_text('{"a": "' + "x" * 10_000_000 + '"}')
    page.locator("[data-reads]").set_input_files(large)
    expect(error(page)).to_contain_text("up to 500,000 characters are read; this has more")
    assert field(page).input_value() == before
    page.locator("[data-parameter=config]").get_by_role("button", name="Clear").click()
    expect(error(page)).to_be_hidden()
    expect_tile(page, "Time per token", "6.10 ms")


_DROP = """([selector, text]) => {
  const dataTransfer = new DataTransfer()
  dataTransfer.items.add(new File([text], "config.json", {type: "application/json"}))
  for (const type of ["dragover", "drop"]) {
    const event = new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer})
    document.querySelector(selector).dispatchEvent(event)
    if (!event.defaultPrevented) throw new Error(`${type} would open the file`)
  }
}"""


def test_a_file_is_dropped_or_chosen(live: Live) -> None:
    page = live(PLAYGROUND)
    field(page)
    page.evaluate(_DROP, ["#lc-config", config("microsoft--phi-4.config.json")])
    expect_tile(page, "Time per token", shown("tpot", config=config("microsoft--phi-4.config.json")))
    page.locator("[data-reads]").set_input_files(CONFIGS / "openai--gpt-oss-120b.config.json")
    expect_tile(page, "Time per token", shown("tpot", config=config("openai--gpt-oss-120b.config.json")))
    assert field(page).input_value() == config("openai--gpt-oss-120b.config.json")


def test_every_collected_config_gives_the_same_reply_in_the_browser(live: Live) -> None:
    page = live(PLAYGROUND)
    parts = [
        {"kind": "number", "figure": key} for key in ("weight_bytes", "kv_per_token", "ttft", "tpot", "memory_used")
    ]
    for file in FILES:
        request = json.dumps({"scenario": OWN, "state": {"config": config(file)}, "parts": parts})
        reply = json.loads(page.evaluate("(request) => window.LessonRuntime.ask(request)", request))
        expected = json.loads(respond(request))
        address, other = (r["controls"]["config"].pop("address", None) for r in (reply, expected))
        assert reply == expected, file
        # Compressed by another build of zlib, it may be other letters for the same text.
        assert (address is None) == (other is None)
        if address:
            again = json.loads(respond(json.dumps({"scenario": OWN, "state": {"config": address}})))
            assert again["controls"]["config"]["text"] == expected["controls"]["config"]["text"]


def test_what_does_not_fit_says_so_and_a_button_makes_it_fit(live: Live) -> None:
    page = live(PLAYGROUND)
    choose(page, "Model", "llama-3.1-70b")
    verdict = page.locator(".lc-verdict")
    expect(verdict).to_contain_text("It doesn’t fit.", timeout=60_000)
    expect(page.locator(".lc-said")).to_contain_text("Time to first token", timeout=60_000)
    verdict.locator("li", has_text="It fits on 2 GPUs").get_by_role("button", name="Do that").click()
    expect(verdict).to_contain_text("It fits.")
    expect(page.locator(".lc-group__now", has_text="2\xa0GPUs")).to_be_visible()
    assert page.url.endswith("?model=llama-3.1-70b&gpus=2")
    page.go_back()
    expect(verdict).to_contain_text("It doesn’t fit.")


def test_set_ups_are_kept_compared_and_removed(visiting: Visiting, good_site: SiteServer) -> None:
    page = visiting(good_site).open(PLAYGROUND)
    keep = page.get_by_role("button", name="Keep this set-up")
    heads = page.locator(".lc-setups thead th:not(:first-child)")
    keep.click()
    expect(heads).to_have_text(["Set-up 1", "Now"], timeout=60_000)
    choose(page, "GPU", "b200-sxm")
    wait_until_settled(page)
    keep.click()
    expect(heads).to_have_text(["Set-up 1", "Set-up 2", "Now"])
    prompt = form(page).get_by_role("textbox", name="Prompt tokens")
    prompt.fill("4000")
    prompt.press("Enter")
    wait_until_settled(page)
    keep.click()
    expect(heads).to_have_text(["Set-up 1", "Set-up 2", "Set-up 3", "Now"])
    expect(keep).to_be_disabled()
    row = page.locator(".lc-setups tr", has_text="Time per token").locator("td")
    expect(row.nth(1)).to_contain_text("2.39 × faster")
    expect(row.nth(1)).to_contain_text("best")
    link = page.url

    again = visiting(good_site).open(PLAYGROUND + "?" + link.partition("?")[2])
    prompts = again.get_by_role("row").filter(has=again.get_by_role("rowheader", name="Prompt tokens", exact=True))
    expect(prompts.locator("td")).to_have_text(["2,000", "2,000", "4,000", "4,000"], timeout=60_000)
    page.get_by_role("button", name="Load set-up 1 into the form").click()
    expect_tile(page, "Time to first token", "55.9 ms")
    page.get_by_role("button", name="Remove set-up 3").click()
    expect(heads).to_have_text(["Set-up 1", "Set-up 2", "Now"])
    page.go_back()
    expect(heads).to_have_text(["Set-up 1", "Set-up 2", "Set-up 3", "Now"])
    form(page).get_by_role("button", name="Reset").click()
    expect(heads).to_have_text(["Set-up 1", "Set-up 2", "Set-up 3", "Now"])  # what was kept is the reader's


def test_any_figure_over_any_parameter(visiting: Visiting, good_site: SiteServer) -> None:
    page = visiting(good_site).open(PLAYGROUND)
    page.get_by_role("combobox", name="Show").select_option("output_cost")
    sweep = page.locator(".lc-sweep")
    expect(sweep.locator(".lc-picture--wide title")).to_have_text(
        "A million answer tokens against requests at once", timeout=60_000
    )
    sweep.get_by_role("slider", name="Requests at once in the picture").press("ArrowRight")
    expect(form(page).get_by_role("textbox", name="Requests at once")).to_have_value("2")
    page.get_by_role("combobox", name="over").select_option("gpu")
    expect(sweep.locator("tbody tr")).not_to_have_count(0)
    sweep.get_by_role("button", name="Set GPU to H200 SXM").click()
    expect(form(page).get_by_role("combobox", name="GPU", exact=True)).to_have_value("h200-sxm")
    assert "curve_of=output_cost" in page.url
    assert "curve_over=gpu" in page.url
    again = visiting(good_site).open(PLAYGROUND + "?" + page.url.partition("?")[2])
    expect(again.locator(".lc-sweep .lc-bars__now")).to_contain_text("H200 SXM", timeout=60_000)
    page.get_by_role("combobox", name="over").select_option("model")
    expect(sweep.get_by_role("button", name="Set Model to Llama 3.1 70B")).to_be_visible(timeout=60_000)
    expect(sweep).not_to_contain_text("Reading the catalogue", timeout=60_000)


def test_a_wrong_value_in_a_folded_group_unfolds_it(visit: Visit) -> None:
    page = visit.open(PLAYGROUND + "?cached=5000&curve_over=nothing")
    message = page.locator("[data-parameter=cached] .lc-control__error")
    expect(message).to_contain_text("at most 1,999 can be cached, but 5,000 was given", timeout=60_000)
    expect(message).to_be_visible()
    expect(form(page).get_by_role("textbox", name="Cached prefix")).to_have_value("5000")
    expect(page.get_by_role("combobox", name="over")).to_have_value("batch")


def test_the_error_to_expect_follows_the_assumptions(live: Live) -> None:
    page = live(PLAYGROUND)
    expected = page.locator(".lc-expected dl > div", has_text="Time per token")
    expect(expected).to_contain_text("off by 8.8% in the median")
    page.locator(".lc-group", has_text="Assumptions").locator("summary").click()
    choose(page, "Assumptions", "calibrated")
    expect(expected).to_contain_text("off by 4.7% in the median", timeout=60_000)


def test_nothing_sticks_out(visiting: Visiting, good_site: SiteServer) -> None:
    page = visiting(good_site).open(PLAYGROUND + "?kept=s*s*gpu.b200-sxm*s*model.llama-3.1-405b&model=llama-3.1-70b")
    wait_until_live(page)
    page.evaluate("document.querySelectorAll('.lc-group').forEach((fold) => { fold.open = true })")
    for width in (1440, 1000, 768, 390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        expect_all_inside(page)


def test_a_number_field_shows_what_was_read_of_it(live: Live) -> None:
    page = live(PLAYGROUND)
    form = page.get_by_role("figure", name="Your case")
    form.locator("summary", has_text="Price").click()
    price = form.get_by_role("textbox", name="Price of a GPU hour")
    price.fill("1,99")
    price.press("Enter")
    expect(price).to_have_value("1.99")
    expect(page).to_have_url(re.compile(r"price=1\.99$"))
    prompt = form.get_by_role("textbox", name="Prompt tokens")
    for typed, said in (("2,5", "'2,5' isn't a whole number but 2.5"), ("12.000", "'12.000' can be 12 or 12,000")):
        prompt.fill(typed)
        prompt.press("Enter")
        expect(form.locator("#lc-prompt-error")).to_contain_text(said)
        expect(prompt).to_have_value(typed)
    prompt.fill("12 000")
    prompt.press("Enter")
    expect(prompt).to_have_value("12,000")
    expect(form.locator("#lc-prompt-error")).to_be_hidden()
    assert "prompt=12000" in page.url
