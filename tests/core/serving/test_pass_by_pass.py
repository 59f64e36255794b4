"""The simulation of events gives what going through every single pass gives."""

from math import isclose

import pytest
from any_scenario import ASSUMPTIONS
from hypothesis import given, settings
from hypothesis import strategies as st
from pass_by_pass import Copy, pass_by_pass

from lessoncore.assumptions import TEXTBOOK, Assumptions
from lessoncore.scenario import Scenario
from lessoncore.serving import AtOnce, Bursty, ClosedLoop, Fixed, Listed, Load, Poisson, Recorded, Server, simulate
from lessoncore.serving.costs import PassCosts

_MODELS = ("llama-3.2-1b", "gemma-3-27b", "gpt-oss-20b", "qwen3.5-35b-a3b")  # plain, windows, experts, fixed states


@st.composite
def cases(draw: st.DrawFn) -> tuple[Server, Load, Assumptions, float]:
    """A server, a load and so little memory that it often runs out."""
    cached = draw(st.sampled_from((0, 0, 40)))
    scenario = Scenario(
        model=draw(st.sampled_from(_MODELS)),
        weights="stored",
        prompt=cached + 1,
        cached=cached,
        replicas=draw(st.sampled_from((1, 1, 2, 3))),
    )
    count = draw(st.integers(1, 25))
    lengths = st.tuples(st.integers(1, 300), st.integers(1, 60))
    near_window = st.tuples(st.integers(100, 140), st.integers(1, 60))
    over_window = st.tuples(st.integers(980, 1030), st.integers(1, 60))
    pairs = draw(st.lists(st.one_of(lengths, near_window, over_window), min_size=count, max_size=count))
    costs = PassCosts(scenario)
    alone = max(costs.kv_bytes.at(prompt + output) for prompt, output in pairs)
    chunked = draw(st.booleans())
    limit = draw(st.sampled_from((1, 2, 5, 64)))
    room = alone * draw(st.sampled_from((1.0, 1.3, 2.5, 100.0)))
    server = Server(
        scenario,
        batch_limit=limit,
        tokens_a_pass=draw(st.sampled_from((64, 200, 8192))),
        chunked=chunked,
        reserves_answers=draw(st.booleans()),
        watermark=draw(st.sampled_from((0.0, 0.01, 0.2))),
        kv_bytes=room + (costs.kv_bytes.at(cached) if cached else 0.0),
    )
    gap = draw(st.sampled_from((0.002, 0.02, 0.2)))
    arrivals = draw(
        st.sampled_from(
            (
                AtOnce(),
                Poisson(1 / gap),
                Bursty(1 / gap),
                ClosedLoop(3),
                ClosedLoop(3, think_s=gap),
                Recorded(tuple(gap * (k // 3) for k in range(count))),
            )
        )
    )
    requests = max(count, 7) if isinstance(arrivals, ClosedLoop) else count
    pairs = (pairs * 7)[:requests]
    load = Load(arrivals, Listed(tuple(pairs)), requests=requests, seed=draw(st.integers(0, 99)), left_out=0)
    return server, load, draw(ASSUMPTIONS), room


def assert_same(server: Server, load: Load, taken: Assumptions, room: float) -> int:
    result = simulate(server, load, taken)
    slowly = pass_by_pass(server, load, taken, room)
    for request, job in zip(result.requests, slowly, strict=True):
        assert request.preemptions == job.preemptions
        fast = (
            request.arrival_s,
            request.started_s,
            request.first_token_s,
            request.finished_s,
            request.prefill_s,
            request.decode_s,
        )
        assert all(isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) for a, b in zip(fast, job.times(), strict=True))
    return result.preemptions


@pytest.mark.slow
@given(cases())
@settings(max_examples=150)
def test_events_give_what_single_passes_give(case: tuple[Server, Load, Assumptions, float]) -> None:
    assert_same(*case)


@pytest.mark.parametrize("chunked", [False, True], ids=["prefill first", "chunked"])
@pytest.mark.parametrize("watermark", [0.0, 0.05])
def test_so_it_does_where_memory_runs_out_again_and_again(chunked: bool, watermark: float) -> None:
    scenario = Scenario(model="llama-3.2-1b")
    room = PassCosts(scenario).kv_bytes.at(900)
    server = Server(scenario, batch_limit=16, tokens_a_pass=256, chunked=chunked, watermark=watermark, kv_bytes=room)
    load = Load(Poisson(150), Listed(tuple((60 + 7 * k % 90, 30 + 11 * k % 120) for k in range(60))), requests=60)
    assert assert_same(server, load, TEXTBOOK, room) > 10


def test_a_window_beside_a_shared_prefix_fills_later() -> None:
    """What a request keeps of its own stops growing only when its own tokens fill the window."""
    scenario = Scenario(model="gpt-oss-20b", weights="stored", prompt=61, cached=60)
    kv = PassCosts(scenario).kv_bytes
    room = 6.2 * kv.at(150)
    server = Server(scenario, batch_limit=16, watermark=0, kv_bytes=room + kv.at(60))
    load = Load(AtOnce(), Listed(tuple((90 + k, 120) for k in range(20))), requests=20)
    assert assert_same(server, load, TEXTBOOK, room) > 5


def test_the_slow_way_counts_memory_itself() -> None:
    scenario = Scenario(gpu="gb200", model="llama-3.1-70b", gpus=16)  # eight heads on sixteen GPUs: two copies
    copy = Copy(Server(scenario), PassCosts(scenario), 1e12)
    assert copy.bytes(1000) == 2 * 1000 * 327_680
    assert PassCosts(scenario).kv_bytes.at(1000) == copy.bytes(1000)


def test_a_burst_on_two_copies() -> None:
    server = Server(Scenario(model="llama-3.2-1b", replicas=2), batch_limit=4)
    room = PassCosts(server.scenario).kv_room
    load = Load(AtOnce(), Fixed(100, 20), requests=21)
    assert_same(server, load, TEXTBOOK, room)
    assert sorted(r.replica for r in simulate(server, load).requests) == [0] * 11 + [1] * 10
