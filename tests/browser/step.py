"""What a reader does and sees on a step's page."""

from playwright.sync_api import Locator, Page, expect

THEME = "!!window.document$"  # the theme's script listens
SETTLED = "!window.Lesson.page.changedSince && !window.Lesson.page.unwritten && !document.querySelector('[data-stale]')"
STARTED = "document.documentElement.dataset.live === '1'"
LIVE = f"{STARTED} && {SETTLED} && {THEME}"
HIGHEST_RATE = '.lc-capacity [data-live*=\'"show":"rate"\']'  # step 15's, which a search finds


def wait_until_live(page: Page) -> None:
    """Wait until Python has computed the page once, parts that come later too, and the theme's script has followed."""
    page.wait_for_function(LIVE, timeout=60_000)


def wait_until_settled(page: Page) -> None:
    """Wait until all that is shown follows what was set last."""
    page.wait_for_function(SETTLED, timeout=60_000)


def address_of(page: Page) -> str:
    """The page's address, once it says what was set last."""
    wait_until_settled(page)
    return page.url


def wait_until_finished(page: Page) -> None:
    """Wait until nothing is being searched any more: what is found is drawn by itself."""
    page.wait_for_function("!window.Lesson.page.goesOn", timeout=60_000)


def wait_until_still(page: Page) -> None:
    """Wait until nothing moves and no colour changes any more."""
    page.wait_for_function("document.getAnimations().every((one) => one.playState !== 'running')")


def reset(page: Page) -> None:
    """Press the page's own Reset and that of its code, if it has them, and wait until all is as its author wrote it."""
    code = page.locator(".lc-editor").get_by_role("button", name="Reset")
    if code.count():
        code.click()
    if page.locator(".lc-reset").count():
        page.locator(".lc-reset").first.click()
    page.evaluate("scrollTo(0, 0)")
    wait_until_settled(page)


def tile(page: Page, name: str) -> str:
    """The value in a tile."""
    return page.locator(".lc-tile", has_text=name).locator(".lc-tile__value").inner_text().replace("\xa0", " ")


def expect_tile(page: Page, name: str, value: str) -> None:
    """Wait until a tile shows a value."""
    where = page.locator(".lc-tile", has_text=name).locator(".lc-tile__value")
    expect(where).to_have_text(value, timeout=30_000, use_inner_text=True)


def type_into(stage: Page | Locator, name: str, value: str) -> None:
    """Type into a field of the stage, where a page has several of this one, and press Enter."""
    field = stage.locator(f"[data-parameter={name}] input[type=text]")
    field.fill(value)
    field.press("Enter")


def set_prompt(page: Page, value: str) -> None:
    """Type a number of prompt tokens and press Enter."""
    field = page.get_by_role("textbox", name="Prompt tokens")
    field.fill(value)
    field.press("Enter")


_STICKING_OUT = """() => {
  const out = [...document.querySelectorAll(".lc-stage, .lc-drill, .lc-predict")].flatMap(box => {
    const edge = box.getBoundingClientRect()
    return [...box.querySelectorAll("input, select, button, output")].filter(one => {
      const { left, right, width } = one.getBoundingClientRect()
      return width && (left < edge.left - 1 || right > edge.right + 1)
    }).map(one => one.outerHTML.slice(0, 90))
  })
  const { scrollWidth, clientWidth } = document.documentElement
  return scrollWidth > clientWidth ? [...out, `the page is ${scrollWidth} px wide, its window ${clientWidth}`] : out
}"""


def expect_all_inside(page: Page) -> None:
    """No control sticks out of its box and the page doesn't scroll sideways.

    In a window that was just made wider, the theme's search field still slides in from the side for a moment.
    """
    wait_until_still(page)
    found = page.evaluate(_STICKING_OUT)
    assert not found, found


def expect_status(page: Page, words: str) -> None:
    """Wait until the stage's line says something."""
    expect(page.locator(".lc-status__text")).to_contain_text(words, timeout=40_000)
