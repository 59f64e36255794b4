"""What axe-core finds (nothing), that every control has a label, and that the Tab key reaches everything."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from paths import BUILD
from step import wait_until_finished, wait_until_live, wait_until_settled, wait_until_still
from visit import STEP_1

AXE = BUILD / "node_modules" / "axe-core" / "axe.min.js"
PAGES = {
    "step 1": STEP_1,
    "gallery": "gallery.html",
    "drill": "steps/13-drill-weights-per-gpu.html",
    "playground": "steps/18-playground.html?kept=s*s*gpu.l4&batch=64",
    "accuracy": "accuracy.html?row=AM017",
    "queue": "steps/15-slo.html",
    "cheat sheet": "steps/17-cheat-sheet.html",
}
BOTH_SCHEMES = ("step 1", "gallery", "accuracy")  # every widget, and the prose around it
# The same elements everywhere: only how a browser itself behaves can differ, which one page shows.
HOW_OFTEN = {where: pytest.mark.pairs("chromium-http") for where in PAGES} | {"step 1": pytest.mark.both}
# Without preload: from disk axe may not read style sheets, and only one rule (locked orientation) asks for them.
RUN = """async (what) => (await axe.run({
  resultTypes: ['violations'], preload: false, ...what === 'contrast' && {runOnly: ['color-contrast']},
})).violations"""
# Reachable by Tab: visible, not in a closed fold, and of a group of radio buttons the checked one or the first.
REACHABLE = """() => {
  const all = [...document.querySelectorAll(
    'article :is(a[href], button, input, select, textarea, summary, [tabindex="0"])'
  )].filter((one) => {
    const fold = (one.matches('summary') ? one.parentElement : one).parentElement.closest('details:not([open])')
    const group = one.closest('[role=radiogroup]')
    const first = one.type !== 'radio' || one === (group.querySelector(':checked') ?? group.querySelector('input'))
    return !fold && first && !one.disabled && one.type !== 'hidden' && one.checkVisibility({visibilityProperty: true})
  })
  window.reached = []
  const article = document.querySelector('article')
  article.tabIndex = -1
  article.focus()
  document.addEventListener('focusin', (event) => window.reached.push(all.indexOf(event.target)))
  return all.length
}"""
NAMELESS = """() => [...document.querySelectorAll(
    'article :is(input:not([type=hidden]), select, textarea, button)'
  )].filter(
    (one) => !one.getAttribute('aria-label') && !one.getAttribute('aria-labelledby') && !one.labels?.length
      && !(one.matches('button') && one.textContent.trim())
  ).map((one) => one.outerHTML.slice(0, 200))"""


def told(violations: list[dict[str, Any]]) -> list[str]:
    return [
        f"{v['impact']}: {v['id']}: {node['html'][:160]} {node.get('failureSummary', '')[:300]}"
        for v in violations
        for node in v["nodes"][:6]
    ]


def open_everything(page: Page) -> None:
    """As a reader leaves it: folds open, a wrong answer checked, a guess made."""
    for summary in page.locator("article .lc-predict__answer > summary").all():
        summary.click()
    for drill in page.locator(".lc-drill").all():
        drill.get_by_label("Your answer").fill("1")
        drill.get_by_role("button", name="Check").click()
        drill.locator(".lc-drill__said").wait_for()
        drill.locator(".lc-drill__answer > summary").click()
    page.evaluate("document.querySelectorAll('article details').forEach((fold) => { fold.open = true })")
    page.evaluate("document.activeElement.blur()")
    page.mouse.move(2, 2)
    # The theme shows a word's definition outside all landmarks, and a moment longer than the word is pointed at.
    expect(page.locator(".md-tooltip2")).to_have_count(0)
    wait_until_still(page)


@pytest.mark.parametrize("where", [pytest.param(where, marks=HOW_OFTEN[where]) for where in PAGES])
def test_axe_finds_nothing_and_tab_reaches_everything(visiting: Any, good_site: Any, where: str) -> None:
    # As tall as the tallest stage: one that scrolls is a stop of its own in Firefox.
    page = visiting(good_site, viewport={"width": 1440, "height": 1300}).open(PAGES[where])
    wait_until_live(page)
    reach_everything(page)
    open_everything(page)
    wait_until_settled(page)  # what was folded is computed now
    wait_until_still(page)
    page.evaluate(AXE.read_text() + "; undefined")
    assert told(page.evaluate(RUN, "every rule")) == []
    assert page.evaluate(NAMELESS) == []
    if where not in BOTH_SCHEMES:
        return
    before = page.locator("body").get_attribute("data-md-color-scheme")
    page.locator("[data-md-component=palette] label:not([hidden])").click()
    expect(page.locator("body")).not_to_have_attribute("data-md-color-scheme", str(before))
    wait_until_still(page)
    assert told(page.evaluate(RUN, "contrast")) == []  # all that the other scheme changes


def reach_everything(page: Page) -> None:
    wait_until_finished(page)
    count = page.evaluate(REACHABLE)
    for _ in range(count):
        page.keyboard.press("Tab")
    assert page.evaluate("window.reached") == list(range(count))
