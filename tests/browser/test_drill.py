"""A drill, as a reader works at it: by keyboard alone, without losing what was typed, without scripts."""

import re

import pytest
from playwright.sync_api import expect

from server import SiteServer
from step import wait_until_live
from visit import Live, Visit, Visiting

STEP_3 = "steps/03-drill-decode-speed-limit.html"


@pytest.mark.both
def test_by_keyboard_from_a_wrong_answer_to_a_streak(live: Live) -> None:
    page = live(STEP_3)
    field = page.get_by_label("Your answer, in ms")
    field.focus()
    page.keyboard.type("6,8")
    page.keyboard.press("Enter")
    verdict = page.get_by_role("status").filter(has_text="Not yet")
    expect(verdict).to_contain_text("2.0 times too small. That looks as if each weight were one byte")
    expect(field).to_be_focused()
    expect(field).to_have_value("6,8")
    page.keyboard.press("Control+a")
    page.keyboard.type("13.65 ms")
    page.keyboard.press("Enter")
    expect(page.locator(".lc-drill__said--right")).to_contain_text("Right: 13.65\xa0ms.")

    questions = {page.locator(".lc-drill__text").inner_text()}
    for n in (2, 3):
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name="Next question")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator(".lc-drill__score")).to_contain_text(f"Question {n} of 5")
        expect(field).to_be_focused()
        expect(field).to_have_value("")
        expect(page.locator(".lc-drill__verdict")).to_have_text("")
        questions.add(page.locator(".lc-drill__text").inner_text())
        solution = page.evaluate(
            "async (inputs) => (await LessonRuntime.ask(JSON.stringify({inputs, parts: [{...JSON.parse("
            "document.querySelector('.lc-drill__solution').dataset.live)}]})))",
            page.evaluate("window.Lesson.page.inputs"),
        )
        right = re.search(r"The answer: <b>([^<]*)</b>", solution)
        assert right
        field.fill(right[1])
        page.keyboard.press("Enter")
        expect(page.locator(".lc-drill__said--right")).to_be_visible()
    expect(page.locator(".lc-drill__score")).to_have_text("Question 3 of 5 · 2 right in a row")
    assert len(questions) == 3


def test_what_was_typed_and_asked_stays_when_the_reader_comes_back(visit: Visit) -> None:
    page = visit.open(STEP_3)
    wait_until_live(page)
    page.get_by_role("button", name="Next question").click()
    expect(page.locator(".lc-drill__score")).to_contain_text("Question 2 of 5")
    question = page.locator(".lc-drill__text").inner_text()
    page.get_by_label("Your answer").fill("1 h")
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".lc-drill__said--wrong")).to_be_visible()
    page.get_by_role("link", name="Next: 4").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("20-token")
    page.get_by_role("link", name="Previous: 3").click()
    expect(page.locator(".lc-drill__said--wrong")).to_be_visible(timeout=60_000)
    expect(page.locator(".lc-drill__text")).to_have_text(question)
    expect(page.get_by_label("Your answer")).to_have_value("1 h")


@pytest.mark.pairs("chromium-http")  # Firefox can't be told so over its own protocol; the page is the same
def test_without_scripts_there_is_a_question_and_its_solution(visiting: Visiting, good_site: SiteServer) -> None:
    page = visiting(good_site, java_script_enabled=False).open(STEP_3)
    expect(page.locator(".lc-drill__text")).to_contain_text("Qwen3 32B in bf16, one H200 SXM")
    expect(page.get_by_label("Your answer")).to_be_hidden()
    page.get_by_text("Worked solution").click()
    expect(page.locator(".lc-drill__result")).to_have_text("The answer: 13.65\xa0ms")


def test_a_choice_keeps_the_guess_beside_the_answer(live: Live) -> None:
    page = live("gallery.html")
    guess = page.locator(".lc-predict", has_text="The prompt grows")
    guess.get_by_label("Four times the time.").check()
    guess.get_by_text("See the answer").click()
    expect(guess.locator(".lc-predict__answer")).to_contain_text("You said: Four times the time. Only attention")
    expect(guess.locator(".lc-predict__answer")).to_contain_text("It is: A little more than twice the time.")
    expect(guess.get_by_label("Four times the time.")).to_be_checked()
    expect(guess.get_by_label("Four times the time.")).to_be_disabled()


def test_a_drill_goes_on_beside_a_control_that_holds_nonsense(live: Live) -> None:
    page = live("steps/13-drill-weights-per-gpu.html")
    field = page.locator("[data-parameter=gpus] input[type=text]")
    field.fill("a few")
    field.press("Enter")
    expect(page.locator("[data-parameter=gpus] .lc-control__error")).to_contain_text("isn't a number")
    drill = page.locator(".lc-drill").first
    drill.get_by_label("Your answer").fill("1")
    drill.get_by_role("button", name="Check").click()
    expect(drill.locator(".lc-drill__verdict")).to_contain_text("Not yet")
    expect(field).to_have_value("a few")
