"""What holds on every run: nobody is lost, nothing is used twice, no limit is passed, and Little's law."""

from math import isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lessoncore.errors import LessonError
from lessoncore.scenario import Scenario
from lessoncore.serving import (
    AtOnce,
    Bursty,
    ClosedLoop,
    Empirical,
    Fixed,
    Listed,
    Load,
    LogNormal,
    Poisson,
    Result,
    Server,
    simulate,
)
from lessoncore.serving.costs import PassCosts
from lessoncore.serving.requests import Request

settings.register_profile("queue", deadline=None, max_examples=40, derandomize=True)
settings.load_profile("queue")


@st.composite
def cases(draw: st.DrawFn) -> tuple[Server, Load]:
    """Any server and load, calm or overloaded, with much memory or little."""
    scenario = Scenario(
        gpu=draw(st.sampled_from(("h100-sxm", "a100-80gb-sxm"))),
        model=draw(st.sampled_from(("llama-3.1-8b", "gemma-2-9b", "gpt-oss-20b"))),
        cached=draw(st.sampled_from((0, 500))),
        replicas=draw(st.integers(1, 3)),
        assumptions=draw(st.sampled_from(("textbook", "calibrated"))),
    )
    chunked = draw(st.booleans())
    server = Server(
        scenario,
        batch_limit=draw(st.sampled_from((1, 8, 64, 256))),
        tokens_a_pass=draw(st.sampled_from((512, 2048, 8192))),
        chunked=chunked,
        reserves_answers=draw(st.booleans()),
        kv_bytes=draw(st.sampled_from((None, 2e9, 0.8e9))),
    )
    rate = draw(st.sampled_from((0.2, 3.0, 15.0, 100.0)))
    arrivals = draw(st.sampled_from((Poisson(rate), Bursty(rate), AtOnce(), ClosedLoop(20), ClosedLoop(5, 0.5))))
    lengths = draw(
        st.sampled_from(
            (Fixed(2000, 100), LogNormal(1000, 150), LogNormal(100, 300), Empirical(((10, 400), (4000, 20), (600, 1))))
        )
    )
    return server, Load(arrivals, lengths, requests=draw(st.sampled_from((60, 150))), seed=draw(st.integers(0, 999)))


def served(case: tuple[Server, Load]) -> Result:
    return simulate(*case)


@given(cases())
def test_every_request_ends_once_and_its_times_are_in_order(case: tuple[Server, Load]) -> None:
    server, load = case
    result = served(case)
    assert len(result.requests) == load.requests
    assert [request.index for request in result.requests] == list(range(load.requests))
    assert [(r.prompt, r.output) for r in result.requests] == load.pairs()
    for r in result.requests:
        if r.refused:
            assert r.finished_s == r.arrival_s
            continue
        assert r.arrival_s <= r.started_s < r.first_token_s < r.finished_s
        assert r.written == r.output
        assert 0 < r.prefill_s <= r.ttft_s * (1 + 1e-9)
        assert 0 < r.decode_s <= (r.finished_s - r.first_token_s) * (1 + 1e-9)
        assert r.admitted == 0
        assert r.joined == -1
        assert 0 <= r.replica < server.scenario.replicas
    if server.reserves_answers:
        assert result.preemptions == 0
    assert result.preemptions == sum(request.preemptions for request in result.requests)


@given(cases())
def test_no_limit_is_ever_passed(case: tuple[Server, Load]) -> None:
    server, load = case
    result = served(case)
    assert 0 < result.most_kv_bytes <= result.kv_room
    assert result.largest_batch <= server.batch_limit
    line = result.timeline
    assert max(line.kv_used) <= 1 + 1e-9
    assert max(line.busy) <= 1 + 1e-9
    assert max(line.batch) <= server.batch_limit * server.scenario.replicas + 1e-6
    assert min(*line.waiting, *line.batch, *line.busy, *line.kv_used) >= -1e-9
    if isinstance(load.arrivals, ClosedLoop):
        assert max(w + b for w, b in zip(line.waiting, line.batch, strict=True)) <= load.arrivals.users + 1e-6


def in_flight(requests: list[Request], t: float) -> int:
    return sum(r.arrival_s <= t < r.finished_s for r in requests)


@given(cases())
def test_littles_law(case: tuple[Server, Load]) -> None:
    """L = λ W, over the run from empty to empty: the first from the timeline, the others from the requests."""
    result = served(case)
    answered = [request for request in result.requests if not request.refused]
    line = result.timeline
    spans = [line.width_s] * (len(line.batch) - 1)
    spans.append(line.end_s - sum(spans))
    present = sum((w + b) * s for w, b, s in zip(line.waiting, line.batch, spans, strict=True)) / line.end_s
    rate = len(answered) / line.end_s
    time = sum(request.end_to_end_s for request in answered) / len(answered)
    assert isclose(present, rate * time, rel_tol=1e-9)
    assert isclose(result.mean_in_flight, rate * time, rel_tol=1e-9)
    batch = sum(b * s for b, s in zip(line.batch, spans, strict=True)) / line.end_s
    if not result.preemptions:
        assert isclose(batch, sum(r.finished_s - r.started_s for r in answered) / line.end_s, rel_tol=1e-9)


@given(cases())
def test_the_timeline_accounts_for_every_token(case: tuple[Server, Load]) -> None:
    server, _ = case
    result = served(case)
    answered = [request for request in result.requests if not request.refused]
    line = result.timeline
    spans = [line.width_s] * (len(line.batch) - 1)
    spans.append(line.end_s - sum(spans))
    written = sum(t * s for t, s in zip(line.tokens_per_s, spans, strict=True))
    read = sum(t * s for t, s in zip(line.prompt_tokens_per_s, spans, strict=True))
    assert isclose(written, sum(r.output for r in answered), rel_tol=1e-9)
    new = sum(r.prompt - min(server.scenario.cached, r.prompt - 1) for r in answered)
    if result.preemptions:
        assert read > new * (1 - 1e-9)
    else:
        assert isclose(read, new, rel_tol=1e-9)
    assert len(line.seconds) == len(line.batch) <= 256


@given(cases())
def test_the_same_seed_gives_the_same_result(case: tuple[Server, Load]) -> None:
    first, second = served(case), served(case)
    assert first.ttft == second.ttft
    assert first.timeline == second.timeline
    assert [r.finished_s for r in first.requests] == [r.finished_s for r in second.requests]


@given(cases())
def test_each_time_is_the_sum_of_waiting_and_computing(case: tuple[Server, Load]) -> None:
    result = served(case)
    for times in (result.ttft, result.tpot, result.end_to_end):
        assert times.requests == len(result.served) <= len(result.counted)
        for p in (times.p50, times.p90, times.p99):
            assert isclose(p.value_s, p.waiting_s + p.computing_s, rel_tol=1e-12)
            assert p.waiting_s >= 0
            assert p.computing_s > 0
            assert (p.low_s or 0) <= p.value_s <= (p.high_s or p.value_s)
        assert times.p50.value_s <= times.p90.value_s <= times.p99.value_s


def test_the_shared_prefix_takes_memory_once() -> None:
    scenario = Scenario(prompt=2000, cached=1500)
    kv = PassCosts(scenario).kv_bytes.at(1)
    server = Server(scenario, reserves_answers=True, kv_bytes=(1500 + 4 * 1000) * kv)
    result = simulate(server, Load(AtOnce(), Fixed(2000, 500), requests=20))
    assert result.largest_batch == 4  # 500 new tokens and 500 of the answer each, beside 1,500 for all
    assert result.kv_room == 4 * 1000 * kv


def test_a_request_that_can_never_fit_is_refused_and_the_others_are_served() -> None:
    server = Server(Scenario(), kv_bytes=PassCosts(Scenario()).kv_bytes.at(3000))
    result = simulate(server, Load(Poisson(1), Listed(((2000, 500), (2900, 101), (2900, 100))), requests=3, left_out=0))
    assert [request.refused for request in result.requests] == [False, True, False]
    assert result.refused == 1
    assert result.ttft.requests == 2


def test_nothing_fits() -> None:
    server = Server(Scenario(), kv_bytes=1e8)
    with pytest.raises(
        LessonError, match=r"one of 2,000 \+ 500 tokens needs 327\.7.MB of KV cache, but there is room for"
    ):
        simulate(server, Load(Poisson(1), Fixed(2000, 500), requests=10))


def test_the_weights_do_not_fit() -> None:
    with pytest.raises(LessonError, match=r"leave no memory for requests on 1 × H100 SXM: 66\.1.GB are missing"):
        simulate(Server(Scenario(model="llama-3.1-70b")), Load(Poisson(1), Fixed(2000, 500), requests=10))


def test_a_refused_request_breaks_the_slo_and_a_closed_loop_goes_on() -> None:
    from lessoncore.serving import Slo

    server = Server(Scenario(), kv_bytes=PassCosts(Scenario()).kv_bytes.at(3000))
    load = Load(ClosedLoop(2), Listed(((100, 10), (5000, 10)) * 10), requests=20, left_out=0)
    result = simulate(server, load)
    assert result.refused == 10
    goodput = result.goodput(Slo(ttft_s=10, tpot_s=1, share=0.6))
    assert (goodput.share, goodput.keeps) == (0.5, False)


def test_preempted_requests_are_computed_again_and_say_so() -> None:
    server = Server(Scenario(), kv_bytes=PassCosts(Scenario()).kv_bytes.at(12_000), watermark=0)
    result = simulate(server, Load(AtOnce(), Fixed(2000, 500), requests=12))
    assert result.preemptions > 0
    put_back = [request for request in result.requests if request.preemptions]
    assert sum(result.timeline.prompt_tokens_per_s) > 0
    # Who came first is never put back.
    assert result.requests[0].preemptions == 0
    assert all(request.decode_s > 0 and request.written == 500 for request in put_back)


def test_tokens_of_a_gpu_are_those_of_all_shared_among_them() -> None:
    server = Server(Scenario(model="llama-3.1-70b", gpus=4, replicas=2))
    result = simulate(server, Load(Poisson(2), Fixed(500, 100), requests=200))
    assert result.gpus == server.gpus == 8
    assert isclose(result.gpu_tokens_per_s, result.tokens_per_s / 8)
    assert isclose(result.tokens_per_s, 100 * result.arrivals_per_s, rel_tol=0.05)  # what comes is what is written
