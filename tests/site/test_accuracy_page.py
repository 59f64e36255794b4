"""The accuracy page as it is built: complete before any script runs."""

import re
from pathlib import Path

import markdown
import pytest

import lessoncore
from lessoncore.evidence.rows import all_rows
from site_hooks.lesson_markdown import LessonExtension
from site_hooks.mistakes import LessonMistakes

PAGE = Path(lessoncore.__file__).parent.parent / "docs" / "accuracy.md"


def build(text: str) -> str:
    return markdown.markdown(text, extensions=[LessonExtension(file="accuracy.md"), "pymdownx.superfences", "toc"])


@pytest.fixture(scope="module")
def page() -> str:
    return build(PAGE.read_text().split("---\n", 2)[2])


def test_every_measurement_is_there_as_a_dot_and_in_the_table(page: str) -> None:
    assert page.count("<circle cx") == 288
    assert set(re.findall(r'<th scope="row"><a href="https://[^"]*">(\w+)</a>', page)) == {r.id for r in all_rows()}


def test_the_tables_of_errors_and_of_queues_are_filled(page: str) -> None:
    assert page.count('<span class="lc-errors__about">') == 16
    assert len(re.findall(r"<tr><th scope=\"row\">(?:SGLang|vLLM), \d+", page)) == 6
    assert len(re.findall(r"<tr><th scope=\"row\">\d+ users?<", page)) == 6


def test_no_number_of_an_error_is_typed(page: str) -> None:
    prose = re.sub(r"```.*?```|\{\{.*?\}\}", "", PAGE.read_text(), flags=re.DOTALL)
    assert re.findall(r"\d[\d.]*\s?%", prose) == ["10%"]  # the example that explains what an error is


def test_a_measurement_in_the_text_leads_to_its_dot() -> None:
    html = build('{{ measurement("TR052") }} and {{ measurement("TR052", say="this <one>") }}')
    assert re.search(
        r'<a class="lc-to-dot" data-live=\'[^\']*\' href="\?row=TR052#measurements">61% too fast</a>', html
    )
    assert '<a href="?row=TR052#measurements">this &lt;one&gt;</a>' in html
    for wrong in ('{{ measurement("TR999") }}', "{{ measurement() }}", '{{ measurement(7, say="x") }}'):
        with pytest.raises(LessonMistakes, match="measurement"):
            build(wrong)


def test_a_widget_of_some_measurements_starts_with_these() -> None:
    html = build("```widget\nkind: measurements\neffect: ttft_short\nby: textbook\n```\n")
    assert html.count("<circle cx") == 2 * 12  # a plot in both sizes
    assert '<option value="ttft_short" selected>' in html
    assert "data-address" not in html  # the address belongs to a page's own measurements
    with pytest.raises(LessonMistakes, match=r"one of decode_bs1, batching, .* is needed, but 'batchin'"):
        build("```widget\nkind: measurements\neffect: batchin\n```\n")
    with pytest.raises(LessonMistakes, match="address of a page of the site is needed"):
        build('```widget\nkind: measurements\nplayground: "https://else.where/"\n```\n')
