"""`make serve`: a save shows in the open browser; a mistake too, over the last good page, until the next save."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright, expect

from browsers import launch_chromium
from paths import NODE_MODULES, ROOT, VENV
from step import HIGHEST_RATE

SOURCES = ("build", "docs", "lessoncore", "site_hooks", "mkdocs.yml", "pyproject.toml", "LICENSE", "requirements.txt")
# A save shows in two or three seconds on a machine with nothing else to do. Here other tests' work may be going on, and
# one save may wait for the build of the one before it.
WITHIN = 15_000  # milliseconds


@pytest.fixture(scope="module", autouse=True)
def _interrupts_reach_the_server() -> Iterator[None]:
    """A process started in a background shell ignores Ctrl-C, and hands that down to those it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("preview")
    ignored = shutil.ignore_patterns("__pycache__", "node_modules")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, copy)
    (copy / "build" / "node_modules").symlink_to(NODE_MODULES)
    (copy / ".venv").symlink_to(VENV)
    return copy


def start(project: Path, port: int) -> "tuple[subprocess.Popen[str], str]":
    """Start serving; returns the server and what it said, once it has said its address."""
    server = subprocess.Popen(
        [sys.executable, "-u", "build/serve.py"],
        cwd=project,
        env={name: value for name, value in os.environ.items() if name != "SITE_URL"} | {"PORT": str(port)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    said = []
    for line in server.stdout:
        said.append(line)
        if line.startswith("Serving on "):
            return server, "".join(said)
    raise AssertionError("".join(said))


def stop(server: "subprocess.Popen[str]") -> None:
    with server:
        server.send_signal(signal.SIGINT)
        assert server.wait(10) == 0, "Ctrl-C must end it cleanly"


@pytest.fixture(scope="module")
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@pytest.fixture(scope="module")
def first_run(project: Path, port: int) -> str:
    """What a first run said, which served and was ended."""
    server, said = start(project, port)
    stop(server)
    return said


@pytest.fixture(scope="module")
def second_run(first_run: str, project: Path, port: int) -> Iterator[str]:
    """What a second run said, which goes on."""
    server, said = start(project, port)
    yield said
    stop(server)


def test_a_second_run_serves_what_is_built(first_run: str, second_run: str) -> None:
    assert "building" in first_run
    assert "building" not in second_run


@pytest.fixture(scope="module")
def served(second_run: str) -> str:
    return str(re.findall(r"Serving on (http\S+)", second_run)[0])


@pytest.fixture(scope="module")
def page(playwright: Playwright, served: str) -> Iterator[Page]:
    browser = launch_chromium(playwright)
    page = browser.new_page()
    page.goto(f"{served}contributing.html")
    yield page
    browser.close()


Edit = Callable[[str, str], str]


@pytest.fixture
def append(project: Path) -> Iterator[Edit]:
    """Append text to a source; the test's end takes it back."""
    originals: dict[Path, str] = {}

    def append_to(name: str, text: str) -> str:
        path = project / name
        originals.setdefault(path, path.read_text())
        path.write_text(originals[path] + text)
        return originals[path]

    yield append_to
    for path, original in originals.items():
        path.write_text(original)


def test_a_saved_page_shows(page: Page, append: Edit) -> None:
    append("docs/contributing.md", "\n\nA wombat wrote this.\n")
    page.get_by_text("A wombat wrote this.").wait_for(timeout=WITHIN)


def test_a_saved_module_of_lessoncore_shows_in_the_page_and_in_its_python(page: Page, append: Edit) -> None:
    runtime = page.locator("#lc-runtime").text_content()
    append("lessoncore/__init__.py", '\nraise RuntimeError("a quokka was here")\n')
    alert = page.get_by_role("alert").filter(has_text="a quokka was here")
    alert.wait_for(timeout=WITHIN)
    append("lessoncore/__init__.py", "\nEDITED = True\n")
    alert.wait_for(timeout=WITHIN, state="detached")
    assert page.locator("#lc-runtime").text_content() != runtime


def test_a_mistake_is_shown_over_the_last_good_page_until_it_is_mended(page: Page, project: Path, append: Edit) -> None:
    original = append("docs/contributing.md", "\n\n[nowhere](no-such-page.md)\n")
    alert = page.get_by_role("alert").filter(has_text="no-such-page.md")
    alert.wait_for(timeout=WITHIN)
    assert page.locator("h1").is_visible()
    (project / "docs" / "contributing.md").write_text(original)
    alert.wait_for(timeout=WITHIN, state="detached")


def test_a_search_that_the_preview_leaves_out_is_made_in_the_page(page: Page, served: str) -> None:
    page.goto(f"{served}steps/15-slo.html")
    found = page.locator(HIGHEST_RATE)
    expect(found).to_contain_text("Searching")
    expect(found).to_contain_text("breaks it first", timeout=60_000)
