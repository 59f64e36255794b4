"""The highest rate that keeps the promise, and users in, GPUs out, as a page shows them."""

import json
from typing import Any

import pytest
from going_on import answered
from picture_checks import check

from lessoncore import respond
from lessoncore.assumptions import TEXTBOOK
from lessoncore.page import Page
from lessoncore.parts import fill
from lessoncore.scenario import Scenario
from lessoncore.serving import simulate
from lessoncore.serving.capacity import finding_gpus, finding_rate
from lessoncore.serving.served import SLO, load_of, most_requests_per_s, server_of

STEP: dict[str, Any] = {"batch": 64, "rate": 3.0}
RATE = {"kind": "capacity", "name": "capacity", "show": "rate"}
GPUS = {"kind": "capacity", "name": "capacity", "show": "gpus"}


def shown(spec: dict[str, Any], inputs: dict[str, str] | None = None, **changes: Any) -> str:
    """What a part shows at last, asked for again and again."""
    request = {"scenario": STEP | changes, "inputs": inputs or {}, "parts": [spec]}
    html: str = answered(request, respond)["parts"][0]["html"]
    return html.replace("\xa0", " ")


def test_the_rate_that_is_shown_keeps_the_promise_and_a_little_more_breaks_it() -> None:
    scenario = Scenario(**STEP | {"batch": 61})
    *_, last = finding_rate(scenario, TEXTBOOK)
    found = last.search
    assert found.highest
    assert found.breaks
    assert f"{found.highest:.2f} requests/s" in shown(RATE, batch=61)
    for rate, keeps in ((found.highest, True), (found.breaks, False)):
        assert simulate(server_of(scenario), load_of(scenario).at(rate)).goodput(SLO).keeps == keeps


@pytest.mark.slow
def test_many_copies_are_searched_with_some_of_them() -> None:
    *_, eight = finding_rate(Scenario(**STEP | {"replicas": 8}), TEXTBOOK)
    *_, many = finding_rate(Scenario(**STEP | {"replicas": 80}), TEXTBOOK)
    assert (eight.requests, eight.scale, many.requests, many.scale) == (3840, 1.0, 3840, 10.0)
    assert eight.search.highest == many.search.highest


@pytest.mark.slow
def test_users_in_gpus_out() -> None:
    *_, last = finding_gpus(Scenario(**STEP), 200 / 25, TEXTBOOK)
    best = last.search.best
    assert best
    assert last.groups == 1
    html = shown(GPUS, {"capacity.users": "200", "capacity.every": "25"})
    assert f"{best.total} GPUs" in html
    assert "8 requests/s in all" in html.replace("8.00", "8")


@pytest.mark.slow
def test_ten_times_the_users_need_no_more_than_ten_times_the_gpus() -> None:
    few, many = (list(finding_gpus(Scenario(**STEP), rate, TEXTBOOK))[-1] for rate in (12.0, 120.0))
    assert few.search.best
    assert many.search.best
    assert many.groups > 1
    total = many.search.best.total * many.groups
    assert total <= 10 * few.search.best.total
    most = most_requests_per_s(Scenario(**STEP), TEXTBOOK)
    assert total * most > 120, "no GPU is given more than it can finish"


@pytest.mark.parametrize(
    ("inputs", "field", "said"),
    [
        ({"capacity.users": "many"}, "users", "A whole number from 1 to 1,000,000 is needed, but 'many' was given."),
        ({"capacity.every": "0"}, "every", "A number from 1 to 86,400 is needed"),
    ],
)
def test_a_mistake_is_said_at_its_field(inputs: dict[str, str], field: str, said: str) -> None:
    html = shown({**GPUS, "show": "error", "field": field}, inputs).replace("&#x27;", "'")
    assert said in html
    assert "below the fields" in shown(GPUS, inputs)


@pytest.mark.slow
def test_what_no_number_of_gpus_can_keep() -> None:
    assert "No number of GPUs keeps the promise" in shown(GPUS, prompt=120_000, output=100)
    assert "Even a request that has the server to itself" in shown(RATE, prompt=120_000, output=100)
    assert "no memory for requests" in shown(RATE, model="llama-3.1-70b")


def test_a_search_shows_how_far_it_is_and_what_it_knows() -> None:
    request = json.dumps({"scenario": STEP | {"batch": 59}, "parts": [RATE]})
    progress, said = [], []
    while (part := json.loads(respond(request))["parts"][0]).get("again"):
        progress.append(int(part["html"].partition('value="')[2].partition('"')[0]))
        said.append(part["html"])
    assert len(progress) > 2  # how many there are depends on the machine
    assert any("Between" in html and "so far" in html for html in said)
    assert "progress" not in part["html"]


def test_of_several_long_calculations_one_goes_on_in_a_reply() -> None:
    request = {"scenario": STEP | {"batch": 57}, "parts": [RATE, GPUS]}
    for _ in range(3):
        first, second = json.loads(respond(json.dumps(request)))["parts"]
        assert first["again"]
        assert "Searching" in second["html"], "it waits for the first"


def test_another_slider_begins_another_search_and_the_first_is_kept() -> None:
    own = {"scenario": STEP | {"batch": 55}, "parts": [RATE]}
    found = answered(own, respond)["parts"][0]["html"]
    moved = json.loads(respond(json.dumps({**own, "state": {"batch": "54"}})))["parts"][0]
    assert moved["again"]
    assert json.loads(respond(json.dumps(own)))["parts"][0] == {"html": found}


def test_the_curve_grows_from_low_loads_to_high_ones_on_axes_that_wait() -> None:
    page = {"scenario": STEP | {"batch": 53}, "state": {}}
    spec = {"kind": "picture", "picture": "queue", "drag": True}
    rows, axes = [], set()
    while True:
        (part,) = json.loads(respond(json.dumps({**page, "parts": [spec]})))["parts"]
        check(part["html"])
        rows.append(part["html"].count('<th scope="row">'))
        if not part.get("again"):
            break
        axes.add(part["html"].count("lc-grid"))
    assert rows[0] == 1, "at first only the present load is known"
    assert rows == sorted(rows)
    assert rows[-1] == 9
    assert part["html"] == fill(spec, Page(page["scenario"])).html


def test_a_number_that_takes_long_is_open_until_it_is_known() -> None:
    parts = [
        {"kind": "number", "figure": "offline_gpu_tokens_per_s"},
        {"kind": "tiles", "figures": ["served_gpu_tokens_per_s"]},
    ]
    request = {"scenario": STEP | {"batch": 51}, "parts": parts}
    number, tile = json.loads(respond(json.dumps(request)))["parts"]
    assert number == {"html": "…", "again": True}
    assert "tokens/s" in tile["html"].replace("offline", "")
    number, tile = answered(request, respond)["parts"]
    assert number["html"].endswith("tokens/s")
    assert number["html"] == "2,854\xa0tokens/s"
    assert "offline about 2,900\xa0tokens/s" in tile["html"]
