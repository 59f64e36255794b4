"""Measurements as dots and in tables: each is there, stands where its numbers say, and leads where it should."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from html import unescape
from itertools import product
from typing import Any
from urllib.parse import parse_qsl

import pytest

from lessoncore import respond
from lessoncore.assumptions import CALIBRATED
from lessoncore.estimate import estimate
from lessoncore.evidence import EFFECTS, accuracy_of, rows
from lessoncore.evidence.chosen import FILTERS, Chosen, options, row_named
from lessoncore.evidence.effects import KNOWN
from lessoncore.evidence.quantities import MEASURES, measure
from lessoncore.evidence.rows import Row, all_rows, rows_of
from lessoncore.evidence.sets import SETS, error
from lessoncore.evidence.words import amount, in_playground, off
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS
from lessoncore.scenario import Scenario
from lessoncore.units import JOINER
from lessoncore.views.measured import errors
from lessoncore.views.measured_here import measured_here
from lessoncore.views.scatter import scatter

Dot = list[Any]  # x, y, id, two lines of words


@cache
def dots(**chosen: str) -> dict[str, list[Dot]]:
    """The dots of each plot, by the plot's name."""
    html = scatter(Chosen(**chosen), "key")
    areas = re.findall(r'aria-label="([^"]*): measurements"[^>]*data-dots="([^"]*)"', html)
    return {name: json.loads(unescape(given)) for name, given in areas}


def part(show: str, **inputs: str) -> str:
    spec = {"kind": "measurements", "name": "m", "show": show, "playground": "steps/18-playground.html"}
    request = {"id": 1, "inputs": {f"m.{key}": value for key, value in inputs.items()}, "parts": [spec]}
    reply = json.loads(respond(json.dumps(request)))
    return str(reply.get("error") or reply["parts"][0]["html"])


@pytest.mark.parametrize("by", SETS)
def test_every_clean_measurement_is_a_dot(by: str) -> None:
    drawn = [dot[2] for plot in dots(by=by).values() for dot in plot]
    assert len(drawn) == 288
    assert Counter(drawn) == Counter(row.id for row in all_rows())
    assert scatter(Chosen(by=by), "key").count("<circle cx") == 288


@pytest.mark.parametrize("by", SETS)
def test_a_dot_is_above_the_diagonal_when_more_is_predicted_than_was_measured(by: str) -> None:
    """On axes of the same range the diagonal leads from the lower left corner of the plot to the upper right one."""
    for plot in dots(by=by).values():
        for x, y, key, *_ in plot:
            row = row_named(key)
            above = (248 - y) / (248 - 56) - (x - _left(plot, by)) / (314 - _left(plot, by))
            more = (error(row, by) > 0) != measure(row).rate
            if abs(error(row, by)) > 0.03:
                assert (above > 0) == more, key


@cache
def _lefts(by: str) -> dict[str, float]:
    html = scatter(Chosen(by=by), "key")
    found = re.findall(r'<rect x="([\d.]+)"[^>]*class="lc-dots-area"[^>]*aria-label="([^"]*): meas', html)
    return {name: float(x) for x, name in found}


def _left(plot: list[Dot], by: str) -> float:
    return _lefts(by)[measure(row_named(plot[0][2])).label]


def test_the_axes_stay_when_another_set_predicts() -> None:
    places = [{dot[2]: dot[0] for plot in dots(by=by).values() for dot in plot} for by in SETS]
    assert places[0] == places[1] == places[2]


def test_a_dot_says_what_was_measured_and_how_far_off_the_prediction_is() -> None:
    [dot] = [dot for dot in dots()["Time to first token"] if dot[2] == "TR061"]
    assert dot[3] == "Llama 2 7B fp8, H100 SXM, TensorRT-LLM"
    assert dot[4] == "6.30\xa0ms, predicted 6.70\xa0ms: 6.4% too slow"


@pytest.mark.parametrize("name", FILTERS)
def test_each_option_of_a_filter_leaves_as_many_as_it_says(name: str) -> None:
    for value, (_, count) in options(name).items():
        found = Chosen(**{name: value}).rows()
        assert len(found) == count > 0
        assert sum(map(len, dots(**{name: value}).values())) == count


def test_filters_together_leave_what_passes_all_or_say_that_nothing_does() -> None:
    both = Chosen(effect="quantised", gpu="rtx-4090").rows()
    assert {row.id for row in both} == {row.id for row in rows_of("quantised")} & {
        row.id for row in all_rows() if row.fields["gpu"] == "RTX-4090"
    }
    assert "No measurement is about all of this" in scatter(Chosen(effect="training", gpu="l4"), "key")
    assert "No measurement is left" in part("summary", effect="training", gpu="l4")
    for effect, engine in product(KNOWN, options("engine")):
        assert part("summary", effect=effect, engine=engine)


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"by": "guessed"}, "unknown set of predictions 'guessed'"),
        ({"effect": "batchin"}, "unknown Effect 'batchin'. Did you mean 'batching'?"),
        ({"gpu": "<b>"}, "unknown GPU '<b>'"),
        ({"row": "XX999"}, "unknown measurement 'XX999'"),
    ],
)
def test_what_isnt_among_the_options_gets_a_sentence(inputs: dict[str, str], said: str) -> None:
    assert said in part("row", **inputs)


def test_a_picked_dot_tells_conditions_source_and_the_way_into_the_playground() -> None:
    told = part("row", row="AM017")
    for words in ("2.99\xa0s", "3.1% too fast", "28,650 in, 256 out", "SGLang", "FreedomIntelligence/AccelMark"):
        assert words in told
    assert 'href="https://github.com/FreedomIntelligence/AccelMark/' in told
    link = re.search(r'href="steps/18-playground\.html\?([^"]*)"', told)
    assert link
    assert dict(parse_qsl(unescape(link[1]))) == {
        "gpu": "a100-40gb-sxm",
        "model": "llama-3.1-8b",
        "prompt": "28650",
        "output": "256",
        "assumptions": "calibrated",
        "measured": "AM017",
    }
    assert part("row") == ""


def test_a_measurement_that_the_playground_cant_show_says_why() -> None:
    assert "The Apple M2 Ultra, 76 cores isn’t in the lesson’s catalogue" in part("row", row="LC133")
    assert "it doesn’t train them" in part("row", row="TT001")
    assert "int4, group 32 (4.5 bits) in place of Q4_K_M (4.9 bits)" in part("row", row="LC011")


def linked(by: str) -> Iterator[tuple[Row, str, str]]:
    """The measurements that have a link into the playground, with its query and what is said beside it."""
    for row in all_rows():
        query, note = in_playground(row, by)
        assert query or note
        if query:
            yield row, query, note


@pytest.mark.parametrize("by", ["textbook", "calibrated"])
def test_the_playground_shows_what_the_dot_says(by: str) -> None:
    """Every link holds parameters that it takes; where nothing is replaced there, its figure is the prediction."""
    same = 0
    for row, query, note in linked(by):
        scenario = Scenario().but(
            **{key: PARAMETERS[key].parse(text) for key, text in parse_qsl(query) if key != "measured"}
        )
        e = estimate(scenario)
        if "in place of" in note:
            continue
        metric = row.fields["metric"]
        if metric == "TTFT":
            assert e.ttft_s.value == pytest.approx(row.measured_s * (1 + error(row, by)))
            same += 1
        elif metric.startswith("output_throughput"):
            assert 1 / e.throughput.value == pytest.approx(row.measured_s * (1 + error(row, by)))
            same += 1
        elif metric == "decode_throughput":
            assert e.tpot_s.value == pytest.approx(row.measured_s * (1 + error(row, by)), rel=0.01)
            same += 1
    assert same > 90


def here(row: Row, by: str, **changes: str) -> str:
    """What the playground says of a measurement when its link is followed."""
    query = dict(parse_qsl(in_playground(row, by)[0]))
    page = Page({}, {key: text for key, text in query.items() if key in PARAMETERS} | changes, {"measured": row.id})
    return unescape(re.sub("<[^>]+>", "", measured_here(page)))


@pytest.mark.parametrize("by", ["textbook", "calibrated"])
def test_a_link_shows_the_figure_of_its_dot_beside_what_was_measured(by: str) -> None:
    shown = 0
    for row, _, note in linked(by):
        of = measure(row)
        words = here(row, by)
        assert f"measured {amount(of.value(row.measured_s), of)}" in words
        assert f"row {row.id}" in words
        if "in place of" not in note:
            assert f"predicted {amount(of.value(row.measured_s * (1 + error(row, by))), of)}" in words
            assert off(error(row, by), of) in words
            shown += 1
    assert shown > 150


def test_the_throughput_of_tm017_is_that_of_the_dot() -> None:
    words = here(row_named("TM017"), "calibrated").replace(JOINER, " ")
    assert "Tokens a second, prefill included: predicted 3,488 tokens/s (calibrated)" in words
    assert "The case was changed" not in words
    assert "The case was changed since" in here(row_named("TM017"), "calibrated", prompt="77")


def test_rows_under_load_lead_nowhere_and_say_why() -> None:
    told = part("row", row="AM011")
    assert "The playground has no queue. Step 15 simulates one" in told
    assert "18-playground" not in told


def test_a_measurement_that_there_is_not_gets_a_sentence() -> None:
    said = measured_here(Page(inputs={"measured": "<b>"}))
    assert "unknown measurement" in said
    assert "&lt;b&gt;" in said
    assert "<b>" not in said
    assert "it doesn’t train them" in measured_here(Page(inputs={"measured": "TT001"}))


def test_the_table_holds_every_measurement_with_its_source() -> None:
    table = part("table")
    assert table.count("<tr>") == 1 + 288
    assert table.count('<th scope="row"><a href="https://') == 288
    assert part("table", effect="ttft_short").count("<tr>") == 1 + 12


def test_the_table_of_errors_has_the_numbers_of_make_accuracy() -> None:
    lines = dict(re.findall(r'<th scope="row">([^<]*)<span class="lc-errors__about">.*?</th>(.*?)</tr>', errors()))
    assert len(lines) == len(KNOWN) + 2  # all that are fitted to, and every row
    for key, effect in EFFECTS.items():
        found = accuracy_of(key, CALIBRATED)
        cells = re.sub(r"<[^>]+>", " ", lines[effect.label]).split()
        assert int(cells[0]) == found.count
        assert cells[4] == (f"{found.median:.1%}" if found.median < 0.0995 else f"{found.median:.0%}")
    assert re.sub(r"<[^>]+>", " ", lines["TTFT under load"]).split()[-1] == "–"


def test_cross_validated_errors_are_kept_for_the_rows_that_are_fitted_to() -> None:
    assert all(error(row, "cross-validated") != error(row, "calibrated") for row in rows()[::10])
    for row in all_rows():
        if row not in rows():
            assert error(row, "cross-validated") == error(row, "calibrated")


def test_errors_in_words() -> None:
    time, rate, memory = (MEASURES[key] for key in ("ttft", "throughput", "memory"))
    assert [off(0.1, time), off(-0.1, rate), off(0.1, memory)] == ["10% too slow", "10% too fast", "10% too much"]
    assert off(14.1, time) == "15 times too slow"
