"""The whole lesson as a new reader goes through it: every prediction, every task, every drill, to the last step."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from solving import STEPS, solution, tasks_of

from lessoncore.parameters import PARAMETERS, Count
from server import SiteServer
from step import expect_all_inside
from visit import Visiting

# At a desk and on a phone, each over http and from disk.
DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
WALKS = {
    ("chromium", "http"): DESK,
    ("firefox", "disk"): DESK,
    ("firefox", "http"): PHONE,
    ("chromium", "disk"): PHONE,
}


@pytest.mark.both
def test_from_the_start_page_to_the_last_step(
    visiting: Visiting, good_site: SiteServer, browser: Browser, place: str
) -> None:
    size = WALKS[browser.browser_type.name, place]
    page = visiting(good_site, viewport=size).open("index.html")
    page.get_by_role("link", name="Start with step 1").click()
    for path in STEPS:
        expect(page.locator(".lc-eyebrow")).to_have_attribute("data-step", str(int(path.stem[:2])))
        expect_all_inside(page)
        predict(page)
        for stage, task in tasks_of(path):
            do(page, task, solution(stage, task) or {})
        drill(page)
        if path is not STEPS[-1]:
            page.get_by_role("link", name="Next:").click()
    playground(page)


def playground(page: Page) -> None:
    """At the end with a case of one's own: it doesn't fit, and then it does."""
    form = page.get_by_role("figure", name="Your case")
    form.get_by_role("combobox", name="Model", exact=True).select_option("llama-3.1-70b")
    expect(page.locator(".lc-verdict")).to_contain_text("It doesn’t fit.", timeout=60_000)
    page.get_by_role("button", name="Do that").first.click()
    expect(page.locator(".lc-verdict")).to_contain_text("It fits.", timeout=60_000)


def predict(page: Page) -> None:
    for question in page.locator(".lc-predict").all():
        if question.get_by_role("radio").count():
            question.get_by_role("radio").first.check()
        question.get_by_text("See the answer").click()
        expect(question.locator(".lc-predict__answer > div")).to_contain_text("ou said", timeout=60_000)


def do(page: Page, task: dict[str, Any], changes: dict[str, Any]) -> None:
    for key, value in changes.items():
        box = page.locator(f"[data-parameter={key}]")
        if isinstance(PARAMETERS[key], Count):
            box.get_by_role("textbox").fill(PARAMETERS[key].text(value))
            box.get_by_role("textbox").press("Enter")
        else:
            box.get_by_role("combobox").select_option(value)
    item = page.locator(".lc-task", has=page.get_by_text(task["text"], exact=True))
    expect(item).to_have_class("lc-task is-done", timeout=60_000)
    expect(item.locator(".lc-task__done")).to_be_visible()
    page.get_by_role("button", name="Reset").click()


def drill(page: Page) -> None:
    for card in page.locator(".lc-drill").all():
        expect(card.get_by_text("Worked solution")).to_be_hidden()  # before the reader has tried
        card.get_by_role("textbox").fill(card.locator(".lc-drill__result b").text_content() or "")
        card.get_by_role("button", name="Check").click()
        expect(card.locator(".lc-drill__verdict")).to_contain_text("Right:", timeout=60_000)
        card.get_by_role("button", name="Next question").click()
        expect(card.locator(".lc-drill__place")).to_contain_text("Question 2", timeout=60_000)
