"""The site as it is published: nothing leads nowhere or elsewhere, links have a face, search finds prose."""

import json
import re
import struct
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urljoin, urlsplit
from urllib.request import urlopen

import pytest
from built import Site

from server import SiteServer

# The site may have to be built for these: together in one worker, and left out of `make check`.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("built site")]

NOT_FOUND = "404.html"  # its addresses are whole: a server shows it anywhere


@pytest.mark.parametrize("place", ["http", "disk"])
def test_every_link_and_anchor_leads_somewhere(site: Site, place: str) -> None:
    root = site.url if place == "http" else f"{site.folder.as_uri()}/"
    wrong = [
        f"{page.name}: {problem}"
        for page in site.pages.values()
        if place == "http" or page.name != NOT_FOUND
        for address in page.addresses
        if (problem := site.what_is_wrong_with(page, address.url, root))
    ]
    assert len(site.pages) > 20
    assert wrong == []


def test_a_link_that_leads_nowhere_is_noticed(site: Site) -> None:
    page, root = site.pages["steps/01-two-phases.html"], f"{site.folder.as_uri()}/"
    for address, problem in (
        ("02-flop-per-byte.html", "no file steps/02-flop-per-byte.html"),
        ("#why-nothing", "no such place in steps/01-two-phases.html"),
        ("../glossary.html#symbol", "no such place in glossary.html"),
        ("../reference/", "no file reference/"),
        ("/index.html", "leaves the site's folder"),
        ("javascript:void(0)", "of an unknown kind"),
    ):
        assert problem in (site.what_is_wrong_with(page, address, root) or "")


def test_the_theme_leaves_the_tables_of_widgets_alone(site: Site) -> None:
    # It wraps each without a class in a box that scrolls and has no place in the order of Tab. Markdown's begin a line.
    wrapped = [page.name for page in site.pages.values() if re.search(r"\S<table>", page.source)]
    assert wrapped == []


def test_no_page_fetches_from_another_host(site: Site) -> None:
    fetched = {
        urljoin(site.url + page.name, address.url)
        for page in site.pages.values()
        for address in page.addresses
        if address.fetched
    }
    assert len(fetched) > 10
    assert {url for url in fetched if not url.startswith((site.url, "data:"))} == set()
    for style in site.folder.rglob("*.css"):
        found = re.findall(r"@import[^;]+|url\(\s*['\"]?(?!data:|#)([a-z]+:)?//[^)]*\)", style.read_text())
        assert found == [], style.name


def test_no_id_stands_twice_on_a_page(site: Site) -> None:
    for page in site.pages.values():
        assert [name for name in set(page.ids) if page.ids.count(name) > 1] == [], page.name


def test_every_page_has_a_face_where_its_link_is_shown(site: Site) -> None:
    for page in site.pages.values():
        assert page.titles[0].strip(), page.name
        assert page.meta["og:title"], page.name
        assert page.meta["og:description"] == page.meta["description"] != "", page.name
        assert page.meta["og:image:alt"], page.name
        picture = page.meta["og:image"]
        assert picture.startswith(site.url), "messengers follow whole addresses only"
        header = (site.folder / picture.removeprefix(site.url)).read_bytes()[:24]
        width, height = struct.unpack(">II", header[16:24])
        assert width >= 1200
        assert 1.5 <= width / height <= 2


def test_titles_and_descriptions_are_each_pages_own(site: Site) -> None:
    pages = [page for page in site.pages.values() if page.name != NOT_FOUND and "isn't written yet" not in page.source]
    for texts in ([page.titles[0] for page in pages], [page.meta["description"] for page in pages]):
        assert sorted(set(texts)) == sorted(texts)


def test_the_map_for_search_engines_names_pages_that_are_there(site: Site) -> None:
    named = re.findall(r"<loc>([^<]+)</loc>", (site.folder / "sitemap.xml").read_text())
    assert {url.removeprefix(site.url) or "index.html" for url in named} >= set(site.pages) - {NOT_FOUND}
    assert all(url.startswith(site.url) for url in named)


def test_a_server_shows_pages_and_for_a_wrong_address_the_way_back(site: Site) -> None:
    server = SiteServer(site.folder, urlsplit(site.url).path)
    try:
        for path in ("", "index.html", "steps/01-two-phases.html?prompt=4000", "reference/index.html"):
            assert "<h1" in read(server.url + path)[1]
        status, page = read(f"{server.url}steps/deep/19-nothing.html")
        assert status == 404
        assert "There is no such page" in page
        assert read(f"http://127.0.0.1:{server.server_port}/index.html")[0] == 404  # the site is below its folder only
    finally:
        server.close()


def read(url: str) -> tuple[int, str]:
    try:
        with urlopen(url, timeout=20) as reply:
            return reply.status, reply.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


# Guesses.


def test_no_stage_tells_what_its_question_asks(site: Site) -> None:
    asked = {}
    for name, page in site.pages.items():
        answer = re.search(r'<details class="lc-predict__answer".*?<p>It is <b>(.*?)</b>', page.source, re.DOTALL)
        if not (name.startswith("steps/") and answer):
            continue
        stage = re.search(r'<figure class="lc-stage".*?</figure>', page.source, re.DOTALL)
        assert stage
        shown = re.sub(r'<span class="lc-asked">.*?</span></span>|<g class="lc-asked">.*?</g>', "", stage[0])
        shown = re.sub(r"<(title|desc|option)\b.*?</\1>", "", shown, flags=re.DOTALL)
        words = f" {re.sub(r'<[^>]*>', ' ', shown)} ".replace("&nbsp;", "\xa0")
        assert f" {answer[1]} " not in re.sub(r"\s*\xa0\s*", "\xa0", words), name
        asked[name] = "lc-asked" in stage[0]
    assert len(asked) == 16
    assert sum(asked.values()) >= 12  # elsewhere the stage has nothing that tells


# Search.


@pytest.fixture(scope="module")
def found(site: Site) -> list[dict[str, str]]:
    """What the search knows, the same over http and from disk."""
    index = json.loads((site.folder / "search" / "search_index.json").read_text())
    on_disk = (site.folder / "search" / "search_index.js").read_text()
    assert json.loads(on_disk.partition("=")[2].strip().rstrip(";")) == index
    entries: list[dict[str, str]] = index["docs"]
    return entries


def test_search_finds_every_page_once_by_its_title(site: Site, found: list[dict[str, str]]) -> None:
    for name in site.pages:
        if name.startswith("steps/"):
            assert len([entry for entry in found if entry["location"].startswith(name)]) <= 2, name
        if name != NOT_FOUND:
            assert any(entry["location"].startswith(name) and entry["title"] for entry in found), name


@pytest.mark.parametrize(
    ("words", "where"),
    [
        ("KV cache", "glossary.html"),
        ("ridge point", "glossary.html"),
        ("TTFT", "glossary.html"),
        ("KV cache", "steps/05-eight-conversations.html"),
        ("Each has a limit", "steps/02-flops-per-byte.html"),
        ("How much of the time goes into the answer", "steps/01-two-phases.html"),
        ("Load Llama 3.1 70B in bf16 onto one GPU", "steps/10-70b-on-one-gpu.html"),
        ("Rules of thumb", "steps/17-cheat-sheet.html"),
        ("55.9", "steps/01-two-phases.html"),
    ],
)
def test_search_finds_prose_questions_and_terms(found: list[dict[str, str]], words: str, where: str) -> None:
    places = [entry["location"] for entry in found if words.lower() in f"{entry['title']} {entry['text']}".lower()]
    assert where in {place.partition("#")[0] for place in places}


def test_search_knows_each_word_of_the_glossary_by_itself(site: Site, found: list[dict[str, str]]) -> None:
    own = {entry["title"]: entry for entry in found if entry["location"].startswith("glossary.html#term-")}
    assert {"KV cache", "knee", "chunked prefill", "goodput"} <= own.keys()
    assert own["goodput"]["text"] == "The part of the throughput that keeps the SLO."
    assert {entry["location"].partition("#")[2] for entry in own.values()} <= set(site.pages["glossary.html"].ids)
    assert not [entry for entry in found if "p50half of them" in entry["text"]]  # a table's cells


def test_search_puts_the_lesson_before_what_is_about_its_making(found: list[dict[str, Any]]) -> None:
    boosts = {entry["location"].partition("#")[0]: entry["boost"] for entry in found}
    about = [boosts[page] for page in ("reference/index.html", "gallery.html", "contributing.html")]
    assert boosts["steps/05-eight-conversations.html"] == boosts["glossary.html"] > 1000 * max(about)
    tags = {entry["location"]: entry.get("tags", []) for entry in found}
    assert "KV cache" in tags["steps/05-eight-conversations.html"]


def test_search_holds_no_code_of_widgets_and_no_formulas(found: list[dict[str, str]]) -> None:
    for entry in found:
        text = entry["text"].replace("\xa0", " ")
        soup = re.search(r"kind: \w|^scenario:|data-live|lc-\w|\bdef \w+\(|<math|<svg|Copy link|Reset|[η⌊∑]", text)
        in_reference = entry["location"].startswith("reference/")  # docstrings may write a formula in letters
        assert in_reference or not soup, f"{entry['location']}: …{text[max(0, soup.start() - 60) : soup.end() + 60]}…"
    lesson = [entry["text"] for entry in found if entry["location"].startswith(("steps/", "index"))]
    assert all(len(re.sub(r"<[^>]*>", "", text).split()) < 800 for text in lesson), "a page's prose and no more"
