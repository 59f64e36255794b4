"""What is asked of a server: draws have the means they should, traces are read or explained."""

import math
from math import isclose
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessoncore.errors import LessonError
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
    Recorded,
    Server,
    Slo,
    parse_lengths,
    parse_trace,
)
from lessoncore.serving.draws import exponential, natural_log, normal
from lessoncore.serving.lengths import pairs


@given(st.floats(1e-300, 1e300))
def test_our_logarithm(x: float) -> None:
    assert isclose(natural_log(x), math.log(x), rel_tol=4e-15, abs_tol=4e-16)


@given(st.floats(-690, 690))
def test_our_exponential(x: float) -> None:
    assert isclose(exponential(x), math.exp(x), rel_tol=2e-13)


def moments(values: list[float]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    return mean, math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))


def test_normal_draws() -> None:
    random = Random(5)
    mean, deviation = moments([normal(random) for _ in range(20_000)])
    assert abs(mean) < 0.02
    assert isclose(deviation, 1, rel_tol=0.02)


@pytest.mark.parametrize(("arrivals", "variation"), [(Poisson(4.0), 1.0), (Bursty(4.0), 3.0), (Bursty(4.0, 1.0), 1.0)])
def test_gaps_have_the_mean_and_the_variation_that_they_should(arrivals: Poisson | Bursty, variation: float) -> None:
    times = arrivals.times(40_000, Random(7))
    mean, deviation = moments([b - a for a, b in zip([0.0, *times], times, strict=False)])
    assert isclose(mean, 0.25, rel_tol=0.04)
    assert isclose(deviation / mean, variation, rel_tol=0.04)


def test_log_normal_lengths_have_the_mean_and_the_variation_that_they_should() -> None:
    lengths = LogNormal(prompt=2000, output=500, prompt_variation=0.5, output_variation=1.0)
    drawn = pairs(lengths, 20_000, Random(3))
    for values, mean, variation in zip(zip(*drawn, strict=True), (2000, 500), (0.5, 1.0), strict=True):
        m, deviation = moments(list(map(float, values)))
        assert isclose(m, mean, rel_tol=0.02)
        assert isclose(deviation / m, variation, rel_tol=0.05)


def test_lengths_are_cut_and_never_below_one() -> None:
    drawn = pairs(LogNormal(2, 300, 3.0, 1.0, longest_prompt=50, longest_output=512), 3000, Random(1))
    assert {min(p for p, _ in drawn), max(p for p, _ in drawn), max(o for _, o in drawn)} == {1, 50, 512}


def test_empirical_lengths_keep_a_prompt_with_its_answer() -> None:
    drawn = pairs(Empirical(((10, 1), (20, 2))), 1000, Random(1))
    assert set(drawn) == {(10, 1), (20, 2)}
    assert 400 < drawn.count((10, 1)) < 600


def test_the_same_requests_come_at_any_rate() -> None:
    load = Load(Poisson(2.0), LogNormal(2000, 500), requests=50, seed=9)
    faster = load.at(4.0)
    assert faster.pairs() == load.pairs()
    assert all(isclose(2 * a, b, rel_tol=1e-12) for a, b in zip(faster.times(), load.times(), strict=True))
    other = Load(Poisson(2.0), LogNormal(2000, 500), requests=50, seed=10)
    assert other.pairs() != load.pairs()
    assert other.times() != load.times()


def test_what_percentiles_leave_out() -> None:
    fixed = Fixed(2000, 500)
    assert Load(Poisson(1), fixed, requests=1000).edge == 100
    assert Load(AtOnce(), fixed, requests=1000).edge == 0
    assert Load(Recorded((0.0, 1.0)), fixed, requests=2).edge == 0
    assert Load(ClosedLoop(250), fixed, requests=1000).edge == 250  # the first round of every user
    assert Load(ClosedLoop(10), fixed, requests=1000).edge == 100


def test_a_trace() -> None:
    text = "arrival_s,prompt_tokens,output_tokens\n\n12.5,2000,500\n 10 , 350 , 120 \n11;7;1\n"
    load = parse_trace(text)
    assert load.times() == [0.0, 1.0, 2.5]
    assert load.pairs() == [(350, 120), (7, 1), (2000, 500)]
    assert load.requests == 3
    assert isclose(load.rate or 0, 0.8)


def test_the_names_of_a_trace_say_which_column_is_which() -> None:
    load = parse_trace("\ufeffoutput_tokens,user,Timestamp,prompt_tokens\n500,ann,10.5,2000\n120,bob,10,350\n")
    assert (load.times(), load.pairs()) == ([0.0, 0.5], [(350, 120), (2000, 500)])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no requests. For example:"),
        ("arrival,prompt,output", "has no requests"),
        ("a,b,c\n0,100,10", "Line 1 of the trace, 'a,b,c', has no numbers, and the names in it don't say which"),
        ("time,output,prompt\n0,100", "Line 2 of the trace, '0,100': the first line names more columns than the 2"),
        ("0,5;2000;500", "Line 1 of the trace, '0,5;2000;500': three values are needed, but there are 4"),
        ("0,2,000,500", "three values are needed, but there are 4"),
        ("9" * 8_000_001, "longer than 8,000,000 characters; at most 200,000 requests"),
        ("0,1,1\n" * 200_001, "has 200,001 requests; at most 200,000 are possible. Paste a part of it."),
        ("0,100", "Line 1 of the trace, '0,100': three values are needed, but there are 2"),
        ("0,100,10\nlater,100,10", "Line 2 of the trace, 'later,100,10': a number of seconds and two whole numbers"),
        ("0,100.5,10", "two whole numbers of tokens"),
        ("-1,100,10", "Line 1 of the trace, '-1,100,10': arrival, in seconds: a number from 0 to 1e+09"),
        ("nan,100,10", "arrival, in seconds"),
        ("0,0,10", "prompt tokens: a whole number from 1 to 131,072 is needed, but 0 was given"),
        ("0,100,99999", "output tokens: a whole number from 1 to 16,384 is needed, but 99999 was given"),
    ],
)
def test_a_trace_that_cannot_be_read_says_where_and_why(text: str, said: str) -> None:
    with pytest.raises(LessonError) as error:
        parse_trace(text)
    assert said in str(error.value)


def test_lengths_as_they_were_seen() -> None:
    seen = parse_lengths("2000,500\n350;120\n\n7\t1\n")
    assert seen == Empirical(((2000, 500), (350, 120), (7, 1)))
    assert parse_lengths("arrival_s,prompt_tokens,output_tokens\n0.5,2000,500\n0.1,350,120") == Empirical(
        ((2000, 500), (350, 120))
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The list of lengths has no requests. For example:\nprompt_tokens,output_tokens\n2000,500"),
        ("0.5,2000,500", "Line 1 of the list of lengths, '0.5,2000,500': two values are needed, but there are 3"),
        ("2000,500\n350,many", "Line 2 of the list of lengths, '350,many': two whole numbers of tokens are needed"),
        ("2000,0", "Line 1 of the list of lengths, '2000,0': output tokens: a whole number from 1 to 16,384"),
        ("in,out\n1,1", "names in it don't say which column is which. Leave it out, or name the columns prompt_tokens"),
        ("1,1\n" * 200_001, "has 200,001 requests; at most 200,000 are possible"),
    ],
)
def test_lengths_that_cannot_be_read_say_where_and_why(text: str, said: str) -> None:
    with pytest.raises(LessonError) as error:
        parse_lengths(text)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Poisson(0), "Rate"),
        (lambda: Poisson(math.nan), "Rate"),
        (lambda: Bursty(1, 0.5), "Variation of the gaps"),
        (lambda: ClosedLoop(0), "Users"),
        (lambda: ClosedLoop(1, -1), "Time to think"),
        (lambda: Recorded((1.0, 0.5)), "ascending"),
        (lambda: Recorded(()), "at least one request"),
        (lambda: Recorded((1.0, 1.0)).at(2), "no rate to change"),
        (lambda: Fixed(0, 1), "prompt tokens"),
        (lambda: LogNormal(0.5, 1), "Mean length"),
        (lambda: LogNormal(5, 1, -1), "Variation of lengths"),
        (lambda: Empirical(()), "at least one pair"),
        (lambda: Empirical(((1, 1), (1, 0))), "pair 2, output tokens"),
        (lambda: Load(Poisson(1), Fixed(1, 1), requests=0), "Requests"),
        (lambda: Load(Poisson(1), Fixed(1, 1), seed=-1), "Seed"),
        (lambda: Load(Poisson(1), Fixed(1, 1), left_out=0.5), "Share to leave out"),
        (lambda: Load(ClosedLoop(100), Fixed(1, 1), requests=299), "at least 300 requests are needed"),
        (lambda: Load(AtOnce(), Fixed(1, 1)).at(2.0), "arrive at a rate"),
        (lambda: Server(Scenario(), batch_limit=0), "Batch limit"),
        (lambda: Server(Scenario(), tokens_a_pass=0), "Tokens a pass"),
        (lambda: Server(Scenario(), watermark=0.9), "Watermark"),
        (lambda: Server(Scenario(), chunked=True, tokens_a_pass=100), "at least as many tokens as the batch limit"),
        (lambda: Server(Scenario()).but(replica=2), "unknown setting of a server 'replica'. Did you mean 'replicas'"),
        (lambda: Slo(0, 1), "An SLO needs times above 0"),
    ],
)
def test_impossible_values_are_explained(make: object, said: str) -> None:
    with pytest.raises(LessonError) as error:
        make()  # type: ignore[operator]
    assert said in str(error.value)
