"""The pages' spelling: British, by a Hunspell dictionary (with -ise) and the lesson's own short list of words."""

import gc
import re
import warnings
from functools import cache
from pathlib import Path
from typing import Protocol

import pytest
from built import Site
from prose import PAGES, ROOT, front_matter, paragraphs, texts_of_widgets

from lessoncore.catalogue import keys, label
from paths import NODE_MODULES

OWN_WORDS = Path(__file__).with_name("words.txt")
# A word by itself: no part of an address, of a file's name or of a power of ten.
_WORD = re.compile(r"(?<![\w/.@-])[^\W\d_¼½]+(?:['’][^\W\d_]+)*(?![\w²³⁰⁹]|\.\w|-\w+\.\w)")


class _Dictionary(Protocol):
    def lookup(self, word: str) -> bool: ...


@pytest.fixture(scope="module")
def dictionary() -> _Dictionary:
    from spylls.hunspell import Dictionary

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # spylls leaves its two files open until they are collected
        words: _Dictionary = Dictionary.from_files(str(NODE_MODULES / "dictionary-en-gb" / "index"))
        gc.collect()
    return words


def own_words() -> set[str]:
    lines = OWN_WORDS.read_text(encoding="utf-8").splitlines()
    return {word for line in lines for word in line.partition("#")[0].split()}


@cache
def names() -> set[str]:
    """The words in the names of GPUs and models."""
    labels = [label(kind, key) for kind in ("gpus", "models") for key in keys(kind)]
    return {word for one in labels for word in _WORD.findall(one.replace("-", " "))}


@cache
def known() -> set[str]:
    return own_words() | names()


def is_right(word: str, dictionary: _Dictionary) -> bool:
    stem = re.sub(r"['’]s$", "", word)
    return dictionary.lookup(word) or dictionary.lookup(stem) or bool({stem, stem.lower()} & known())


def written(path: Path) -> list[tuple[int, str]]:
    """All prose of a page with its lines: its text, its widgets' texts, its title and its description."""
    passages = [*paragraphs(path), *(passage for passage, _ in texts_of_widgets(path))]
    meta = front_matter(path)
    return [(p.line, p.text) for p in passages] + [(1, str(meta.get(key, ""))) for key in ("title", "description")]


@pytest.mark.parametrize("path", [*PAGES, ROOT / "README.md"], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_word_is_spelled_right(path: Path, dictionary: _Dictionary) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for line, text in written(path)
        for word in _WORD.findall(text)
        if not is_right(word, dictionary)
    ]
    assert wrong == [], "correct it, or add a word that is right to tests/site/words.txt"


def words_of(site: Site) -> set[tuple[str, str]]:
    """The words of the lesson's built pages, each with its page: what lessoncore writes is among them."""
    pages = [page for page in site.pages.values() if page.name.startswith(("index", "steps/", "glossary"))]
    return {
        (page.name, word)
        for page in pages
        for text in page.words
        if text.strip() != "Initializing search"  # the theme's own, hidden once it is there
        for word in _WORD.findall(text)
    }


@pytest.mark.slow
@pytest.mark.xdist_group("built site")
def test_labels_hints_and_pictures_are_spelled_right_too(site: Site, dictionary: _Dictionary) -> None:
    assert [f"{page}: {word}" for page, word in sorted(words_of(site)) if not is_right(word, dictionary)] == []


def test_american_spelling_and_slips_are_found(dictionary: _Dictionary) -> None:
    wrong = ("color", "optimizer", "quantization", "throughtput", "recieve", "memroy", "teh")
    assert [word for word in wrong if is_right(word, dictionary)] == []


@pytest.mark.slow
@pytest.mark.xdist_group("built site")
def test_the_own_list_holds_only_words_that_are_needed(site: Site, dictionary: _Dictionary) -> None:
    pages = [*PAGES, ROOT / "README.md"]
    used = {word for path in pages for _, text in written(path) for word in _WORD.findall(text)}
    used = {re.sub(r"['’]s$", "", word) for word in used | {word for _, word in words_of(site)}}
    used |= {word.lower() for word in used}
    assert sorted(word for word in own_words() if word not in used or dictionary.lookup(word)) == []
