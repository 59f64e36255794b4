"""A reader's own load: what is read from the form, what is said of mistakes, and what comes out."""

import json
from typing import Any

import pytest
from going_on import answered
from hypothesis import given, settings
from hypothesis import strategies as st

from lessoncore import respond
from lessoncore.assumptions import TEXTBOOK
from lessoncore.scenario import Scenario
from lessoncore.serving import (
    AtOnce,
    Bursty,
    ClosedLoop,
    Empirical,
    Fixed,
    Load,
    LogNormal,
    Poisson,
    Server,
    Slo,
    simulate,
)
from lessoncore.serving.own_load import (
    CHOICES,
    ENTRIES,
    MOST_CHARACTERS,
    MOST_REQUESTS,
    TEXTS,
    Asked,
    defaults,
    read,
)
from lessoncore.serving.own_load import simulate_own as simulating_own
from lessoncore.serving.summary import Summary, summary

OWN = Scenario(batch=64, rate=3.0)
TYPED = st.sampled_from(["", "\0", "<b>2</b>", "NaN", "Infinity", "1e308", "-1", "9" * 10_000, "a" * 10_000]) | st.text(
    max_size=40
)
TRACE = "arrival_s,prompt_tokens,output_tokens\n0,2000,500\n0.4,350,120\n1.5,30,10\n"


def asked(**fields: str) -> Asked:
    found, problems = read(fields, OWN, OWN)
    assert problems == {}
    assert found
    return found


def problems(**fields: str) -> dict[str, str]:
    found, wrong = read(fields, OWN, OWN)
    assert found is None
    return wrong


def test_at_first_it_is_the_load_of_the_page() -> None:
    first = asked()
    assert first.load == Load(Poisson(3.0), LogNormal(2000, 500), requests=480, seed=1)
    assert first.slo == Slo(0.5, 0.025, 0.99)
    ((_, server),) = first.servers
    assert (server.chunked, server.batch_limit, server.tokens_a_pass) == (True, 64, 8192)


@pytest.mark.parametrize(
    ("fields", "arrivals", "lengths"),
    [
        ({"arrivals": "bursts", "rate": "2.5", "variation": "4"}, Bursty(2.5, 4.0), LogNormal(2000, 500)),
        ({"arrivals": "once", "lengths": "fixed", "prompt": "1,000"}, AtOnce(), Fixed(1000, 500)),
        ({"arrivals": "users", "users": "20", "think": "1.5"}, ClosedLoop(20, 1.5), LogNormal(2000, 500)),
        ({"spread": "0.5", "output": "1k"}, Poisson(3.0), LogNormal(2000, 1000, 0.5, 0.5)),
    ],
)
def test_what_is_chosen_is_what_arrives(fields: dict[str, str], arrivals: Any, lengths: Any) -> None:
    load = asked(**fields).load
    assert (load.arrivals, load.lengths) == (arrivals, lengths)


def test_a_trace_has_requests_and_lengths_of_its_own() -> None:
    load = asked(arrivals="trace", trace=TRACE, rate="nonsense", prompt="nonsense", requests="nonsense").load
    assert (load.times(), load.pairs()) == ([0.0, 0.4, 1.5], [(2000, 500), (350, 120), (30, 10)])


def test_lengths_as_they_were_seen_come_with_any_arrivals() -> None:
    seen = "prompt_tokens,output_tokens\n2000,500\n30,10\n"
    load = asked(lengths="seen", seen=seen, arrivals="bursts", rate="2", prompt="nonsense", spread="nonsense").load
    assert load == Load(Bursty(2.0, 3.0), Empirical(((2000, 500), (30, 10))), requests=480, seed=1)
    *_, last = simulating_own(asked(lengths="seen", seen=seen), TEXTBOOK)
    assert last.summaries[0].ttft.p50.value_s > 0
    assert asked(arrivals="trace", trace=TRACE, lengths="seen", seen="nonsense").load.requests == 3, "not asked"


def test_a_cached_prefix_and_prefill_first() -> None:
    compared = asked(prefill="both", cached="1500", budget="4096")
    assert [server.chunked for _, server in compared.servers] == [True, False]
    assert {(s.scenario.cached, s.tokens_a_pass) for _, s in compared.servers} == {(1500, 4096)}
    *_, last = simulating_own(compared, TEXTBOOK)
    *_, plain = simulating_own(asked(budget="4096"), TEXTBOOK)
    assert last.summaries[0].ttft.p50.value_s < plain.summaries[0].ttft.p50.value_s, "the prefix isn't read again"
    chunked, first = last.summaries
    assert first.tpot.p99.waiting_s > chunked.tpot.p99.waiting_s, "answers pause while prompts are read"


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({"rate": "0,5,5"}, "rate", "A number from 0.01 to 1,000 is needed, but '0,5,5' was given."),
        ({"rate": "1.000"}, "rate", "but '1.000' can be 1 or 1,000"),
        ({"prompt": "2,5"}, "prompt", "A whole number from 1 to 131,072 is needed, but '2,5' was given."),
        ({"rate": "0"}, "rate", "A number from 0.01 to 1,000 is needed"),
        ({"requests": "5001"}, "requests", "A whole number from 20 to 5,000 is needed, but '5001' was given."),
        ({"prompt": "1.5"}, "prompt", "A whole number from 1 to 131,072"),
        ({"tpot": ""}, "tpot", "but '' was given"),
        ({"arrivals": "users", "users": "400"}, "requests", "at least 1,200 requests are needed"),
        ({"budget": "50"}, "budget", "at least as many tokens as the batch limit, 64, but 50 was given"),
        ({"arrivals": "never"}, "arrivals", "One of random, bursts, once, users, trace is needed"),
        ({"arrivals": "trace"}, "trace", "has no requests"),
        ({"lengths": "seen"}, "seen", "The list of lengths has no requests"),
        ({"lengths": "seen", "seen": "2000,500\n1,0", "spread": "?"}, "seen", "Line 2 of the list of lengths, '1,0'"),
        ({"arrivals": "trace", "trace": TRACE + "2,0,5"}, "trace", "Line 5 of the trace, '2,0,5': prompt tokens"),
        ({"arrivals": "trace", "trace": "0,1,1\n" * 5001}, "trace", "has 5,001 requests; at most 5,000"),
    ],
)
def test_a_mistake_is_said_at_its_field(fields: dict[str, str], field: str, said: str) -> None:
    wrong = problems(**fields)
    assert list(wrong) == [field]
    assert said in wrong[field]


def test_all_mistakes_are_said_at_once() -> None:
    assert list(problems(arrivals="trace", trace="x", ttft="soon", cached="-1")) == ["cached", "ttft", "trace"]


def test_ten_megabytes_are_answered_with_a_sentence() -> None:
    wrong = problems(arrivals="trace", trace="0.5,2000,500\n" * 800_000)
    assert f"longer than {MOST_CHARACTERS:,} characters; at most {MOST_REQUESTS:,} requests" in wrong["trace"]


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(list(defaults(OWN))), TYPED | st.text("0123456789.,-e \n", max_size=30)))
def test_anything_typed_is_a_load_or_a_sentence(fields: dict[str, str]) -> None:
    found, wrong = read(fields, OWN, OWN)
    assert (found is None) == bool(wrong)
    assert wrong.keys() <= defaults(OWN).keys()
    assert all(sentence.strip().endswith(".") or "For example" in sentence for sentence in wrong.values())
    assert all(len(sentence) < 600 for sentence in wrong.values())


def test_every_field_has_something_in_it_at_first() -> None:
    assert defaults(OWN).keys() == {*CHOICES, *ENTRIES, *TEXTS}


SPEC: dict[str, Any] = {"kind": "load", "name": "load", "show": "results"}


def shown(inputs: dict[str, str], **spec: Any) -> str:
    request = {
        "scenario": {"batch": 64, "rate": 3.0},
        "inputs": {f"load.{key}": value for key, value in inputs.items()},
        "parts": [{**SPEC, **spec}],
    }
    html: str = answered(request, respond)["parts"][0]["html"]
    return html.replace("\xa0", " ")


def test_in_portions_it_is_what_a_simulation_to_the_end_gives() -> None:
    load = Load(Bursty(5.0, 4.0), LogNormal(800, 200), requests=1500, seed=1)
    server = Server(Scenario(), batch_limit=64, tokens_a_pass=8192, chunked=True)
    result = simulate(server, load)
    fields = {"arrivals": "bursts", "rate": "5", "variation": "4", "prompt": "800", "output": "200"}
    *_, last = simulating_own(asked(**fields, requests="1500"), TEXTBOOK)
    (found,) = last.summaries
    assert (last.share, found) == (1.0, summary(result, Slo(0.5, 0.025)))
    html = shown({**fields, "requests": "1500"})
    assert f"<b>{1000 * result.ttft.p99.value_s:,.1f} ms</b>" in html
    assert "1,200 of 1,500 requests" in html


def test_a_long_simulation_shows_how_far_it_is() -> None:
    inputs = {"load.requests": "4000", "load.rate": "2.75"}
    request = json.dumps({"scenario": {"batch": 64}, "inputs": inputs, "parts": [SPEC]})
    shares = []
    while (part := json.loads(respond(request))["parts"][0]).get("again"):
        shares.append(int(part["html"].partition('value="')[2].partition('"')[0]))
        assert "Simulating 4,000 requests" in part["html"]
    assert len(shares) > 2
    assert shares == sorted(shares)
    assert "lc-results__table" in part["html"]


def test_what_the_table_shows_adds_up() -> None:
    s: Summary = list(simulating_own(asked(rate="6"), TEXTBOOK))[-1].summaries[0]
    for latency in (s.ttft, s.tpot, s.end_to_end):
        assert latency.p50.value_s <= latency.p90.value_s <= latency.p99.value_s
        for p in (latency.p50, latency.p90, latency.p99):
            assert p.waiting_s + p.computing_s == pytest.approx(p.value_s)
    assert 0 < s.kv_mean < s.kv_most <= 1
    assert s.mean_batch < s.largest_batch <= 64
    assert s.goodput.requests_per_s <= s.arrivals_per_s
    assert s.gpu_tokens_per_s * s.gpus == pytest.approx(s.tokens_per_s)


def test_results_and_mistakes_as_a_reader_sees_them() -> None:
    assert shown({"prefill": "both", "requests": "100"}).count("lc-results__table") == 2
    assert "see what is said below the fields" in shown({"rate": "<b>"})
    assert "but &#x27;&lt;b&gt;&#x27; was given" in shown({"rate": "<b>"}, show="error", field="rate")


def test_requests_that_no_memory_holds_are_named() -> None:
    request = {
        "scenario": {"model": "llama-3.1-70b", "weights": "fp8", "prompt": 500},
        "inputs": {"load.prompt": "16000", "load.lengths": "fixed"},
        "parts": [SPEC],
    }
    html = answered(request, respond)["parts"][0]["html"]
    assert "No request that counts fits: one of 16,000 + 500 tokens needs" in html
