"""The pages as their readers get them: easy to read, of a sensible length, and no figure typed for a computed one.

The bounds, and why. The lesson takes about 30 minutes to read, so the prose of a step is 150 to 350 words. It is
plain English: a reading ease of 70 or more on Flesch's scale ("fairly easy"), sentences of 16 words on average, and
none longer than 30. Pages for contributors may be a little harder.
"""

import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from prose import DOCS, PAGES, ROOT, STEPS, front_matter, paragraphs, texts_of_widgets

from site_hooks.source import EXPRESSION, Fence, blocks

README = ROOT / "README.md"
ACCURACY = DOCS / "accuracy.md"
LESSON = [DOCS / "index.md", *STEPS]
EVERYTHING = [*PAGES, README]
WORDS_OF_A_STEP = range(150, 351)
NOT_TAUGHT = {"17-cheat-sheet", "18-playground"}  # a sheet to print and a tool: they are short
WORDS_A_MINUTE = 220
LONGEST_SENTENCE, MEAN_SENTENCE = 30, 16
EASE_OF_THE_LESSON, EASE_OF_THE_REST = 70, 60

_MEASURES = r"(?:%|µs|ms|s|h|GB|GiB|TB|kB|MB|T?FLOP(?:/s|/B)?|tokens/s|USD(?:/h)?|dollars)"
_FIGURE = re.compile(rf"(?<![\w.])\d[\d,.]*\s?{_MEASURES}(?![\w/])")
_COUNT = re.compile(r"(?<![\w.])(\d[\d,]*)\s(?:tokens|users|conversations|GPUs|layers|times)\b")
# Figures that are meant to be typed, each with the reason.
_TYPED_ON_PURPOSE = {
    "7%": "how much larger a GiB is than a GB, a definition",
    "200 ms": "the glossary's example of a promise: somebody's choice, nobody's result",
    "0 tokens": "an example of a reader's mistake",
    "10%": "the accuracy page's example of what an error is",
}


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def sentences(path: Path) -> list[tuple[int, str]]:
    """The sentences of a page with the line of their paragraph; headings, cells and lone words are none."""
    found = []
    for passage in paragraphs(path):
        for text in re.split(r"(?<=[.!?])[\"”)]*\s+(?=[A-Z\"“(\d])", passage.text):
            if text.rstrip('"”)')[-1:] in ".!?:,;":
                found.append((passage.line, text))
    return found


def words(text: str) -> list[str]:
    return re.findall(r"[\w'’/.,-]*\w[\w'’/-]*", text)


def syllables(word: str) -> int:
    """Groups of vowels, without a silent e at the end. Abbreviations and numbers count as one.

    >>> [syllables(word) for word in "a GPU reads every byte it needed before".split()]
    [1, 1, 1, 3, 1, 1, 2, 2]
    """
    if word.isupper() or re.search(r"\d", word) or len(word) <= 3:
        return 1
    spoken = re.sub(r"[^laeiouy]es$|[^aeioutdy]ed$|[^laeiouy]e$", "", word.lower())
    return max(1, len(re.findall(r"[aeiouy]+", spoken)))


def reading_ease(texts: list[str]) -> float:
    """Flesch's reading ease: 60 to 70 is plain English, 70 to 80 fairly easy, above 80 easy."""
    spoken = [word for text in texts for word in words(text)]
    return 206.835 - 1.015 * len(spoken) / len(texts) - 84.6 * sum(map(syllables, spoken)) / len(spoken)


@pytest.mark.parametrize("path", EVERYTHING, ids=named)
def test_no_sentence_is_too_long(path: Path) -> None:
    long = [f"{named(path)}:{n}: {len(words(text))} words: {text}" for n, text in sentences(path)]
    assert [text for text in long if int(text.split(": ")[1].split()[0]) > LONGEST_SENTENCE] == []


@pytest.mark.parametrize("path", EVERYTHING, ids=named)
def test_a_page_reads_easily(path: Path) -> None:
    texts = [text for _, text in sentences(path)]
    assert reading_ease(texts) >= (EASE_OF_THE_LESSON if path in LESSON else EASE_OF_THE_REST)
    if path in LESSON:
        assert sum(len(words(text)) for text in texts) / len(texts) <= MEAN_SENTENCE


@pytest.mark.parametrize("path", STEPS, ids=named)
def test_a_step_is_neither_thin_nor_long(path: Path) -> None:
    length = sum(len(words(text)) for _, text in sentences(path))
    assert length in WORDS_OF_A_STEP or (path.stem in NOT_TAUGHT and length < WORDS_OF_A_STEP.stop)


@pytest.mark.parametrize("path", EVERYTHING, ids=named)
def test_no_figure_is_typed(path: Path) -> None:
    assert [figure for figure in typed_in(path) if figure not in _TYPED_ON_PURPOSE] == []


def test_the_list_of_figures_that_are_meant_to_be_typed_holds_no_others() -> None:
    assert set(_TYPED_ON_PURPOSE) <= {figure for path in EVERYTHING for figure in typed_in(path)}


@pytest.mark.parametrize("path", EVERYTHING, ids=named)
def test_no_figure_is_typed_in_a_widget_but_a_tasks_own_goal(path: Path) -> None:
    for passage, beside in texts_of_widgets(path):
        when = beside.get("when")
        goals = {
            re.sub(r"[,\s]", "", figure) for figure in _FIGURE.findall(str(when) if isinstance(when, dict) else "")
        }
        typed = {re.sub(r"[,\s]", "", figure) for figure in figures_in(passage.text, given_in(path))}
        assert typed <= goals, f"{named(path)}:{passage.line}: {passage.text}"


def typed_in(path: Path) -> list[str]:
    """Numbers with a unit, and counts that no scenario gives; on the accuracy page they are those of measurements."""
    given = None if path == ACCURACY else given_in(path)
    return [match for passage in paragraphs(path, number="N") for match in figures_in(passage.text, given)]


def figures_in(text: str, given: set[int] | None) -> list[str]:
    """Numbers with a unit, and counts other than the given ones; without those no counts."""
    counts = [m[0] for m in _COUNT.finditer(text) if given is not None and int(m[1].replace(",", "")) not in given]
    return _FIGURE.findall(text) + counts


@cache
def given_in(path: Path) -> set[int]:
    """The whole numbers that a page's scenarios give: stage, expressions and tasks; and prompt and answer together."""
    text = path.read_text(encoding="utf-8")
    fences = [b for b in blocks(text.split("\n")) if isinstance(b, Fence) and b.info == "widget"]
    yaml = "\n".join(line for fence in fences for line in fence.body)
    settings = re.sub(r"(?m)^.*\b(?:question|text|say|done|caption|label):[^{]*$", "", yaml)
    sources = [settings, *EXPRESSION.findall(text)]
    given = {int(n) for source in sources for n in re.findall(r"\b\d+\b", source)}
    prompts = {int(n) for source in sources for n in re.findall(r"\bprompt\W+(\d+)", source)}
    outputs = {int(n) for source in sources for n in re.findall(r"\boutput\W+(\d+)", source)} or {500}
    return given | {prompt + output for prompt in prompts | {2000} for output in outputs}


def test_the_start_page_says_how_long_the_lesson_takes_to_read() -> None:
    """Texts of widgets included, at a pace that suits a technical text."""
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    sections = re.findall(r"\(steps/(\d\d)-.*?\*(\d+) minutes", text)
    firsts = [int(first) for first, _ in sections]
    said = [int(minutes) for _, minutes in sections]
    read = [
        sum(_words_in(path) for path in STEPS if first <= int(path.stem[:2]) < after) / WORDS_A_MINUTE
        for first, after in pairwise([*firsts, 19])
    ]
    assert said == [pytest.approx(minutes, abs=0.8) for minutes in read]
    assert f"about {sum(said)} minutes to read" in text


def _words_in(path: Path) -> int:
    texts = [text for _, text in sentences(path)] + [passage.text for passage, _ in texts_of_widgets(path)]
    return sum(len(words(text)) for text in texts)


@pytest.mark.parametrize("path", STEPS, ids=named)
def test_a_step_says_what_it_is(path: Path) -> None:
    meta = front_matter(path)
    assert meta["step"] == int(path.stem[:2])
    assert f"# {meta['title']}" in path.read_text()


def test_every_page_has_a_description_of_its_own() -> None:
    """Search engines and messengers show one or two lines: 50 to 160 characters."""
    written = [path for path in PAGES if "*This step isn't written yet.*" not in path.read_text()]
    described = {path: str(front_matter(path).get("description", "")) for path in written}
    assert {named(path): len(d) for path, d in described.items() if not 50 <= len(d) <= 160} == {}
    assert len(set(described.values())) == len(written)
