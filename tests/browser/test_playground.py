"""The playground as someone uses it who comes back with a case of their own."""

import json
import re
from typing import Any

import pytest
from collected_configs import CONFIGS, FILES
from playwright.sync_api import Locator, Page, expect

from lessoncore import respond
from lessoncore.figures import figure
from lessoncore.page import Page as State
from server import SiteServer
from step import address_of, expect_all_inside, expect_tile, wait_until_live, wait_until_settled
from visit import Live, Visit, Visiting

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


def test_the_list_of_models_shows_what_is_served_and_choosing_one_counts(live: Live) -> None:
    page = live(PLAYGROUND)
    models = form(page).get_by_role("combobox", name="Model", exact=True)
    chosen = models.locator("option:checked")
    field(page).fill(config(QWEN))
    expect(chosen).to_have_text("qwen3, 32.8\xa0billion")
    field(page).blur()
    expect(page).to_have_url(re.compile("config=z"), timeout=60_000)
    page.get_by_role("button", name="Keep this set-up").click()
    choose(page, "Model", "llama-3.2-3b")
    expect_tile(page, "Time per token", shown("tpot", model="llama-3.2-3b"))
    assert "config=" not in address_of(page).replace("kept=", "")
    expect(page.locator(".lc-setups tr", has_text="Model").locator("td")).to_have_text(
        ["qwen3, 32.8\xa0billion", "Llama 3.2 3B"]
    )
    expect(models.locator("option", has_text="qwen3, 32.8")).to_have_count(0)
    assert field(page).input_value() == config(QWEN), "nothing is lost"
    page.get_by_role("button", name="Remove set-up 1").click()
    form(page).get_by_role("button", name="Use it again").click()
    expect(chosen).to_have_text("qwen3, 32.8\xa0billion", timeout=60_000)
    expect_tile(page, "Time per token", shown("tpot", config=config(QWEN)))
    field(page).fill("{oops")
    expect(chosen).to_have_text("your config.json")
    form(page).get_by_role("button", name="Clear").click()
    expect(chosen).to_have_text("Llama 3.2 3B")
    form(page).get_by_role("button", name="Reset").click()
    expect(chosen).to_have_text("Llama 3.1 8B")


def test_what_can_not_be_read_is_said_at_the_field_and_nothing_is_lost(live: Live, tmp_path: Any) -> None:
    page = live(PLAYGROUND)
    field(page).fill(config(QWEN))
    field(page).blur()
    expect(page).to_have_url(re.compile("config=z"), timeout=60_000)
    link = address_of(page)
    for text, why in (
        (config("deepseek-ai--DeepSeek-V3.2.config.json"), "not supported, because its sparse attention"),
        ("{oops", "not valid JSON in line 1"),
        ("<img src=x onerror=alert(1)>", "not valid JSON in line 1"),
    ):
        field(page).fill(text)
        expect(error(page)).to_contain_text(why, timeout=60_000)
        assert field(page).input_value() == text
        field(page).blur()
        expect_tile(page, "Time per token", "–")
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
    assert address_of(page).endswith("?model=llama-3.1-70b&gpus=2")
    page.go_back()
    expect(verdict).to_contain_text("It doesn’t fit.")


CLASH = "?model=llama-3.1-405b&gpus=8&maths=fp8&gpu=a100-80gb-sxm&prompt=3000"


@pytest.mark.both
def test_what_does_not_go_together_shows_no_other_cases_numbers(visiting: Visiting, good_site: SiteServer) -> None:
    page = visiting(good_site).open(PLAYGROUND + CLASH.replace("&gpu=a100-80gb-sxm", ""))
    wait_until_live(page)
    choose(page, "GPU", "a100-80gb-sxm")
    line = page.locator("[data-parameter=gpu] .lc-control__error")
    expect(line).to_contain_text("A100 80 GB SXM has no fp8 arithmetic", timeout=60_000)
    expect_not_computed(page)
    choose(page, "Model", "llama-3.1-8b")  # has nothing to do with it
    wait_until_settled(page)
    expect(line).to_be_visible()
    expect_not_computed(page)

    again = visiting(good_site).open(PLAYGROUND + "?" + page.url.partition("?")[2])
    wait_until_live(again)
    expect_not_computed(again)
    expect(form(again).get_by_role("combobox", name="GPU", exact=True)).to_have_value("a100-80gb-sxm")
    expect(form(again).get_by_role("textbox", name="Prompt tokens")).to_have_value("3,000")
    remedy = form(again).get_by_role("button", name="Use bf16 maths")
    remedy.click()
    expect(again.locator(".lc-verdict")).to_contain_text("It fits.")
    expect_tile(again, "Time per token", shown("tpot", gpu="a100-80gb-sxm", gpus="8", prompt="3000"))
    expect(again.locator(".lc-picture--wide").first).to_be_visible()
    assert "maths" not in again.url
    assert again.evaluate("document.activeElement.id") == "lc-maths"
    again.go_back()
    expect_not_computed(again)


def expect_not_computed(page: Page) -> None:
    expect(page.locator(".lc-verdict")).to_contain_text("Not computed.", timeout=60_000)
    for number in page.locator(".lc-tiles .lc-tile__value").all():
        expect(number).to_have_text("–")
    expect(page.get_by_role("button", name="Keep this set-up")).to_be_disabled()
    expect(page.locator(".lc-answers svg")).to_have_count(0)
    fold = page.locator(".lc-export .lc-fold", has=page.locator("summary:text-is('JSON')"))
    if fold.get_attribute("open") is None:
        fold.locator("summary").click()
    expect(fold).to_contain_text("There is no file of this.")


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
    link = address_of(page)

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
    assert "curve_of=output_cost" in address_of(page)
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


@pytest.mark.pairs("chromium-http")  # Firefox can't be told so over its own protocol; the page is the same
def test_without_scripts_the_case_and_the_claim_are_said(visiting: Visiting, good_site: SiteServer) -> None:
    page = visiting(good_site, java_script_enabled=False).open(PLAYGROUND)
    said = page.locator(".lc-still--values > div")
    values = {"GPU": "H100 SXM", "Model": "Llama 3.1 8B", "Prompt tokens": "2,000", "Answer tokens": "500"}
    values |= {"Requests at once": "1", "GPUs": "1", "Weights": "as its checkpoint", "Assumptions": "textbook"}
    values |= {"Price of a GPU hour": "3.50\xa0USD/h, from the catalogue"}
    for name, value in values.items():
        row = said.filter(has=page.locator(f"dt:text-is('{name}')"))
        expect(row).to_be_visible()
        expect(row.locator("dd")).to_have_text(value)
    expect(page.locator(".lc-claim blockquote")).to_have_text(
        "Llama 3.1 70B on 4x H100 SXM: 250 tok/s per user, fp8, batch 1"
    )
    expect(page.locator(".lc-stage")).to_contain_text("Everything here is computed for the example above.")
    expect(page.locator(".lc-claim blockquote")).to_be_visible()
    expect_all_inside(page)


@pytest.mark.parametrize("now", ["model=llama-3.1-70b", "gpu=b200-sxm"], ids=["doesn't fit", "best"])
def test_nothing_sticks_out(visiting: Visiting, good_site: SiteServer, now: str) -> None:
    page = visiting(good_site).open(PLAYGROUND + f"?kept=s*s*gpu.h200-sxm*s*model.llama-3.1-405b&{now}")
    wait_until_live(page)
    page.evaluate("document.querySelectorAll('.lc-group').forEach((fold) => { fold.open = true })")
    for width in (1440, 1000, 768, 390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        expect_all_inside(page)
    page.evaluate("document.querySelector('.lc-setups').parentElement.scrollLeft = 150")
    head = page.locator(".lc-setups tbody th").first.bounding_box()
    table = page.locator(".lc-compare .lc-scroll").bounding_box()
    assert head
    assert table
    assert head["x"] == table["x"], "what a row is about stays in sight"


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
    assert "prompt=12000" in address_of(page)
