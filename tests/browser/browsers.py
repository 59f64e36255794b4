"""Which Chromium and Firefox the tests use, and how they start.

In this order: a browser that is there, playwright's own download, Debian's packages (when running as root).
`python tests/browser/browsers.py` gets what is missing and says what it found.
"""

import functools
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Error, Playwright, sync_playwright

SYSTEM_NAMES = {
    "chromium": ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    "firefox": ("firefox-esr", "firefox"),
}
DEBIAN_PACKAGES = {"chromium": "chromium", "firefox": "firefox-esr"}

# The last such switch counts, so it names what playwright turns off too, as far as it matters here. The popups of the
# address bar are pages of four hundred scripts, which every new window loads before anybody asks: half of a visit.
_CHROMIUM_WITHOUT = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
    *("AimEnabled", "DialMediaRouteProvider", "GlobalMediaControls", "HttpsUpgrades", "LensOverlay", "MediaRouter"),
    *("NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "Translate"),
)
CHROMIUM_ARGUMENTS = [
    f"--disable-features={','.join(_CHROMIUM_WITHOUT)}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-default-apps",
    "--disable-extensions",
]
FIREFOX_PREFERENCES: dict[str, str | float | bool] = {
    # Automation loosens what file:// pages may read; readers' browsers don't, so neither do ours
    "remote.prefs.recommended": False,
    "security.fileuri.strict_origin_policy": True,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.disabledForTesting": True,
}


@dataclass(frozen=True)
class Found:
    """A browser to test with: the machine's own, or playwright's if there is no path."""

    kind: str
    path: str | None

    def __str__(self) -> str:
        return f"{self.kind}: {self.path or 'as downloaded by playwright'}"


class NoBrowser(Exception):
    """None of the ways to get a browser worked."""


@functools.cache
def find_browsers() -> dict[str, Found]:
    """{"chromium": …, "firefox": …}, getting what is missing; says on stdout which they are."""
    with sync_playwright() as playwright:
        bundled = {kind: getattr(playwright, kind).executable_path for kind in SYSTEM_NAMES}
    found = {kind: find(kind, bundled[kind]) for kind in SYSTEM_NAMES}
    for browser in found.values():
        print(f"browser tests use {browser}", flush=True)
    return found


def find(kind: str, bundled: str) -> Found:
    return (
        on_this_machine(kind)
        or downloaded(kind, bundled)
        or (download(kind) and downloaded(kind, bundled))
        or (install_debian_package(kind) and on_this_machine(kind))
        or no_browser(kind)
    )


def on_this_machine(kind: str) -> Found | None:
    path = next(filter(None, map(shutil.which, SYSTEM_NAMES[kind])), None)
    return Found(kind, path) if path else None


def downloaded(kind: str, bundled: str) -> Found | None:
    return Found(kind, None) if Path(bundled).exists() else None


def download(kind: str) -> bool:
    print(f"{kind}: not on this machine, asking playwright to download it …", flush=True)
    command = [sys.executable, "-m", "playwright", "install", kind]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def install_debian_package(kind: str) -> bool:
    if os.name != "posix" or os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    package = DEBIAN_PACKAGES[kind]
    print(f"{kind}: no download to be had, installing Debian's {package} …", flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    commands = (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package],
    )
    return all(subprocess.run(c, env=quiet, stdout=subprocess.DEVNULL, check=False).returncode == 0 for c in commands)


def no_browser(kind: str) -> Found:
    raise NoBrowser(
        f"No {kind} for the browser tests: looked for {', '.join(SYSTEM_NAMES[kind])} on PATH, then tried "
        f"`playwright install {kind}` and, as root, Debian's {DEBIAN_PACKAGES[kind]}. Install one and run again."
    )


def launch_chromium(playwright: Playwright, *more: str) -> Browser:
    """Chromium, with ``more`` arguments."""
    path = find_browsers()["chromium"].path
    return playwright.chromium.launch(executable_path=path, args=[*CHROMIUM_ARGUMENTS, *more], headless=True)


def launch_firefox(playwright: Playwright, more: dict[str, str | float | bool] | None = None) -> Browser:
    """Firefox, with ``more`` preferences.

    The machine's own speaks to playwright through its standard remote protocol: channel moz-firefox.
    """
    path = find_browsers()["firefox"].path
    channel = "moz-firefox" if path else None
    return playwright.firefox.launch(
        channel=channel, executable_path=path, headless=True, firefox_user_prefs=FIREFOX_PREFERENCES | (more or {})
    )


def main() -> None:
    try:
        find_browsers()
        with sync_playwright() as playwright:
            for launch in (launch_chromium, launch_firefox):
                browser = launch(playwright)
                print(f"{browser.browser_type.name} {browser.version} starts", flush=True)
                browser.close()
    except (NoBrowser, Error) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
