"""From a step's Markdown to its page, without MkDocs: what readers get, and what authors are told."""

import re
from html.parser import HTMLParser

import markdown
import pytest

from site_hooks.lesson_markdown import LessonExtension
from site_hooks.mistakes import LessonMistakes

STAGE = """\
```widget
kind: stage
scenario: {gpu: h100-sxm, model: llama-3.1-8b, prompt: 2000, output: 500}
tiles: [ttft, tpot, total, memory_used]
picture: timeline
controls: [prompt, output]
```
"""
PAGE = f"# One request\n\n{STAGE}\nIt takes {{{{ ttft }}}} to read {{{{ prompt }}}} tokens.\n"


def build(text: str) -> str:
    return markdown.markdown(text, extensions=[LessonExtension(file="step.md"), "pymdownx.superfences", "toc"])


def mistakes_in(text: str) -> str:
    with pytest.raises(LessonMistakes) as caught:
        build(text)
    return str(caught.value)


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


def test_tiles_and_prose_are_filled_in() -> None:
    html = build(PAGE)
    assert "It takes 55.9\xa0ms to read 2,000 tokens." in re.sub(r"<[^>]*>", "", html)
    assert "Time per token 6.10 &nbsp;ms memory-bound" in text_of(html)
    assert "of 85.5\xa0GB, fits" in html


def test_a_number_with_another_scenario_and_form() -> None:
    numbers = ("ttft(prompt=4000)", "tpot(digits=2)", "ttft(prompt=32000, scale='ms')", "tpot(unit=False)")
    html = build(", ".join(f"{{{{ {number} }}}}" for number in numbers))
    shown = re.sub(r"<section.*", "", re.sub(r"</?(?:a|span)\b[^>]*>", "", html), flags=re.DOTALL)
    assert "115.3\xa0ms, 6.1\xa0ms, 1,318\xa0ms, 6.10" in shown


def test_a_formula_in_the_text() -> None:
    html = build('{{ formula("ridge") }}')
    assert "<mfrac><msub><mi>F</mi>" in html
    assert "has no formula" in mistakes_in('{{ formula("bandwidth") }}')


def test_how_far_off_the_model_is_in_the_text() -> None:
    html = build('{{ error("decode_bs1", "calibrated") }} of {{ error("decode_bs1", of="rows") }} measurements')
    assert "4.6% of 20 measurements" in re.sub(r"<[^>]*>", "", html)
    assert "unknown effect 'decode'. Did you mean 'decode_bs1'?" in mistakes_in('{{ error("decode") }}')
    assert "Known: decode_bs1, batching" in mistakes_in("{{ error() }}")


def test_a_pinned_number_stays_and_leads_to_a_derivation_that_stays() -> None:
    html = build(PAGE + "\n{{ tpot.pinned(batch=8, digits=2) }}\n")
    assert '<a class="lc-n lc-n--weights" href="#why-tpot-batch-8-pinned">6.9\xa0ms</a>' in html
    assert "Time per token (Requests at once: 8; as the text has it)" in html
    body = html.partition('id="why-tpot-batch-8-pinned"')[2].partition("</details>")[0]
    assert "data-live" not in body


def test_how_many_times_one_number_is_another() -> None:
    html = build("{{ tpot.pinned(batch=64) / tpot.pinned }} and {{ (decode / total)(scale='%') }}")
    assert "2.1 and 98%" in re.sub(r"<section.*", "", re.sub(r"</?(?:a|span|p)\b[^>]*>", "", html), flags=re.DOTALL)
    assert "can be divided by another figure only" in mistakes_in("{{ tpot / 2 }}")


def test_words_that_follow_a_condition() -> None:
    html = build('It is {{ when("ttft > 50 ms", "slow", "quick") }}.')
    assert ">slow</span>" in html
    assert "unknown figure 'ttf'" in mistakes_in('{{ when("ttf > 1 s", "a", "b") }}')
    assert "needs a condition and the words for both cases" in mistakes_in('{{ when("ttft") }}')


def test_a_formula_with_its_symbols_and_in_one_line() -> None:
    html = build('{{ formula("prefill_flops", plain=True, where=True) }}')
    assert "<msup>" in html
    assert "query heads" in html
    assert "unknown plain formula 'ttft'" in mistakes_in('{{ formula("ttft", plain=True) }}')


def test_every_number_leads_to_its_derivation() -> None:
    html = build(PAGE + "\n{{ ttft(prompt=4000) }}\n")
    links = set(re.findall(r'href="#([\w.-]+)"', html))
    assert {"why-ttft", "why-ttft-prompt-4000", "code-pass_time"} <= links
    assert links <= set(re.findall(r'id="([\w.-]+)"', html))


def test_headings_are_left_alone() -> None:
    assert '<h1 id="one-request">One request</h1>' in build(PAGE)


def test_code_is_left_alone() -> None:
    text = "`{{ ttft }}` and\n\n```\n{{ ttft }}\n```\n\n````\n```widget\nkind: nonsense\n```\n````\n"
    html = build(text)
    assert "55.9" not in html
    assert html.count("{{ ttft }}") == 2
    assert "kind: nonsense" in text_of(html)


class _Balance(HTMLParser):
    """Checks that every element is closed by its own end tag."""

    void = frozenset(("input", "br", "hr", "img", "meta", "link"))

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_html_is_well_formed_and_its_ids_are_unique() -> None:
    html = build(PAGE)
    balance = _Balance()
    balance.feed(html)
    assert balance.open == []
    ids = re.findall(r'\sid="([^"]+)"', html)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("wrong", "line", "problem", "help_"),
    [
        (PAGE.replace("kind: stage", "kind: stag"), 4, "unknown kind of widget 'stag'", "Did you mean 'stage'?"),
        (PAGE.replace("kind: stage\n", ""), 3, "unknown kind of widget 'None'", "kind: stage"),
        (PAGE.replace("picture:", "picure:"), 7, "unknown key 'picure'", "Did you mean 'picture'?"),
        (PAGE.replace("picture: timeline\n", ""), 3, "the key 'picture' is missing", "picture: timeline"),
        (PAGE.replace("[ttft, tpot, total, memory_used]", "ttft"), 6, "a list of 1 to 4 is needed", "tiles: [ttft"),
        (PAGE.replace("tiles: [ttft", "tiles: [tfft"), 6, "unknown figure 'tfft'", "Did you mean 'ttft'?"),
        (PAGE.replace("controls: [prompt", "controls: [promt"), 8, "unknown parameter 'promt'", "'prompt'?"),
        (PAGE.replace("prompt: 2000", "prompt: 0"), 5, "1 to 10,485,760 is possible, but 0 was given", "prompt: 2000"),
        (PAGE.replace("prompt: 2000", "prompt: many"), 5, "a whole number is needed, but 'many'", "prompt: 2000"),
        (PAGE.replace("h100-sxm", "h100"), 5, "unknown GPU 'h100'", "Did you mean 'h100-sxm'?"),
        (PAGE.replace("tiles: [", "tiles: [["), 7, "this isn't YAML", "kind: stage"),
        (PAGE.replace("picture:", "tiles: [ttft]\npicture:"), 3, "the key 'tiles' stands twice: in lines 6 and 7", ""),
        (PAGE.replace("```\n", "", 1), 3, "the widget's block isn't closed", "kind: stage"),
        (PAGE.replace("```widget", "  ```widget"), 3, "a widget must start at the margin", "kind: stage"),
        (PAGE.replace("{{ ttft }}", "{{ tftt }}"), 11, "unknown number 'tftt'", "Did you mean 'ttft'?"),
        (PAGE.replace("{{ ttft }}", "{{ ttft + }}"), 11, "can't be evaluated", "{{ ttft(prompt=4000"),
        (PAGE.replace("{{ ttft }}", "{{ 6.1 }}"), 11, "isn't a number of the lesson", "{{ ttft }}"),
        (PAGE.replace("{{ ttft }}", "{{ ttft(digit=2) }}"), 11, "unknown option 'digit'", "Did you mean 'digits'?"),
        (PAGE.replace("{{ ttft }}", "{{ ttft(scale='GB') }}"), 11, "'GB' is no scale of s", "h, s, ms"),
        (PAGE.replace("{{ ttft }}", "{{ ttft(prompt=-4) }}"), 11, "1 to 10,485,760 is possible, but -4", ""),
        (PAGE.replace("{{ ttft }}", "{{ ''.__class__ }}"), 11, "unknown number '__class__'", "{{ ttft }}"),
        (PAGE + STAGE, 12, "a page has one stage; the first is in line 3", ""),
        (PAGE.replace("# One request\n", "# One request\n\nFirst.\n"), 5, "right below the page's title", "# Title"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_what_would_be_right(
    wrong: str, line: int, problem: str, help_: str
) -> None:
    told = mistakes_in(wrong)
    assert f"step.md:{line}: " in told
    assert problem in told
    assert help_ in told


def test_numbers_in_a_widgets_texts() -> None:
    task = '```widget\nkind: tasks\ntasks:\n  - {text: "Beat {{ total }}.", when: {total: "< 1 s"}, done: Yes.}\n```\n'
    assert "Beat 3.11\xa0s." in build(PAGE + "\n" + task)
    assert "step.md:16: unknown number 'totl'" in mistakes_in(PAGE + "\n" + task.replace("total }}", "totl }}"))


def test_all_mistakes_of_a_page_at_once() -> None:
    wrong = (
        PAGE.replace("tiles: [ttft", "tiles: [tfft").replace("picture:", "picure:").replace("{{ prompt }}", "{{ p }}")
    )
    told = mistakes_in(wrong)
    assert told.startswith("4 mistakes in step.md")
    assert [int(n) for n in re.findall(r"^step\.md:(\d+):", told, re.MULTILINE)] == [3, 6, 7, 11]


def test_a_task_that_is_done_from_the_start_is_a_mistake() -> None:
    task = '```widget\nkind: tasks\ntasks:\n  - {text: Wait., when: {total: "< 1 h"}, done: Yes.}\n```\n'
    assert "step.md:15: tasks: task 1 is done before the reader has done anything" in mistakes_in(PAGE + "\n" + task)


@pytest.mark.parametrize(
    ("when", "problem"),
    [
        ('{totl: "< 1 s"}', "unknown figure 'totl'"),
        ('{total: "1 s"}', "'1 s' isn't a condition"),
        ('{total: "< ttf"}', "unknown figure 'ttf'. Did you mean 'ttft'?"),
        ('{kv: "= fp9"}', "unknown KV cache 'fp9'"),
        ('{kv: "> fp8"}', "can only be compared with ="),
        ('{total: "< 1 GB"}', "the unit can be h, s, ms, µs, but is GB"),
        ('{total: "< 1"}', "the unit can be h, s, ms, µs, but is missing"),
        ("{}", "a mapping of figures to conditions is needed"),
    ],
)
def test_a_wrong_condition(when: str, problem: str) -> None:
    task = f"```widget\nkind: tasks\ntasks:\n  - {{text: Try., when: {when}, done: Yes.}}\n```\n"
    assert problem in mistakes_in(task)


def test_a_prediction_whose_answer_is_off_the_slider_is_a_mistake() -> None:
    predict = (
        "```widget\nkind: predict\nquestion: How long?\nfigure: total\n"
        "slider: {min: 0, max: 2, start: 1, unit: s}\ngaps: [{when: less, say: No.}]\n```\n"
    )
    assert "the answer, 3.11\xa0s, lies outside min and max" in mistakes_in(predict)


def test_lines_count_in_the_file_even_below_front_matter() -> None:
    extension = LessonExtension(file="step.md", first_line=5)
    with pytest.raises(LessonMistakes, match=r"step\.md:7: unknown number 'x'"):
        markdown.markdown("a\n\n{{ x }}", extensions=[extension])


def test_without_searches_a_page_says_what_is_left_to_the_browser() -> None:
    stage = STAGE.replace("output: 500}", "output: 500, batch: 64, rate: 2}")
    step = f"# A server\n\n{stage}\n```widget\nkind: capacity\n```\n"
    whole, quick = (
        markdown.markdown(step, extensions=[LessonExtension(searches=searches)]) for searches in (True, False)
    )
    assert "data-unfinished" not in whole
    assert quick.count("data-unfinished") == 3  # the rate, the GPUs, and what a screen reader is told
