"""The picture of step 1 in the README: `python tests/benchmark/screenshot.py` takes it anew."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "browser"), str(ROOT / "build")]

from playwright.sync_api import sync_playwright  # noqa: E402

from browsers import find_browsers, launch_chromium  # noqa: E402
from make_site import BuildFailed, build_site, site_url  # noqa: E402
from paths import SITE  # noqa: E402
from step import wait_until_live  # noqa: E402

PICTURE = ROOT / "docs" / "assets" / "images" / "step-1.png"


def main() -> None:
    find_browsers()
    try:
        build_site(site_url())
    except BuildFailed as error:
        sys.exit(str(error))
    with sync_playwright() as playwright:
        page = launch_chromium(playwright).new_page(viewport={"width": 1440, "height": 780})
        page.goto((SITE / "steps" / "01-two-phases.html").as_uri())
        wait_until_live(page)
        page.wait_for_timeout(2000)  # what marks changed numbers fades
        PICTURE.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=PICTURE)
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
