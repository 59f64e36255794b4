"""Where numbers come from, all the way down: to a config.json, a datasheet, the request or an assumption."""

import re
from collections.abc import Iterator

import pytest
from any_scenario import FIGURES
from hypothesis import given, settings
from hypothesis import strategies as st

from lessoncore import catalogue
from lessoncore.assumptions import ASSUMPTIONS, CALIBRATED, TEXTBOOK, Assumptions
from lessoncore.errors import LessonError
from lessoncore.estimate import Estimate, estimate
from lessoncore.figures import FIGURES as SHOWN
from lessoncore.formula import Counted, Quantity
from lessoncore.memory import ENDLESS
from lessoncore.scenario import Scenario
from lessoncore.views.derivation import derivation

# All that a figure may end in.
CONFIG = {
    *("layers", "hidden_size", "vocabulary", "heads", "kv_heads", "head_dim", "value_dim", "window"),
    *("kv_latent", "query_latent", "key_dim", "rope_dim", "experts", "experts_per_token", "mlp_width"),
    *("key_heads", "value_heads", "kernel", "state_size", "state_groups"),
}
# What layers of a type have whatever their sizes are: the library's modeling code says so, not the config.json.
OF_THE_TYPE = {
    "mlp_matrices": "three in a gated MLP, two in another",
    "norm_vectors": "norms a layer, and one at the end",
    "head_norm_parameters": "norms of queries, keys, latents and states",
    "bias_parameters": "a number for each output that has a bias, sinks, scales and gates of single numbers",
    "all_reduces": "one after each attention and each MLP, of which hybrid layers have one",
}
DATASHEET = {
    *("peak_flops", "attention_peak_flops", "vector_flops", "bandwidth", "memory_bytes", "link_bandwidth"),
    *("board_power", "price_low", "price_high"),
}
REQUEST = {"gpus", "batch", "prompt", "cached", "output", "replicas", "price"}
FORMATS = {
    *("bytes_per_weight", "bytes_per_kv", "bytes_per_activation", "attention_weight_bytes", "norm_weight_bytes"),
    *("dense_weight_bytes", "expert_weight_bytes", "router_weight_bytes"),
}
# Not there, or once: 0 and 1, with the reason why.
NONE_OR_ONE = {
    *("embedding_flops", "kv_read_bytes", "unpack_s", "communication_s", "filled_bytes", "embedding_parameters"),
    *("dense_parameters", "expert_parameters", "router_parameters", "kv_copies", "batch", "tokens", "activation_bytes"),
}
OTHERS = {
    "prompts": "how many prompts share a pass",
    "kv_shards": "key/value heads, as far as GPUs can share them",
}


def is_real(q: Quantity, e: Estimate) -> bool:
    model, gpu = e.scenario.architecture, e.scenario.hardware
    if q.symbol in CONFIG | OF_THE_TYPE.keys() and model.source in q.source:
        return True
    if q.symbol in DATASHEET and q.source in (gpu.source, f"{gpu.price_source}, {gpu.price_month}"):
        return True
    if q.symbol in REQUEST and q.source == "the request":
        return True
    if q.source.startswith(e.assumptions.source):
        return True
    if q.symbol in NONE_OR_ONE:
        return q.value in (0, 1)
    if q.symbol == "longest_context":
        return q.value == ENDLESS
    return q.symbol in FORMATS | OTHERS.keys()


def figures(e: Estimate) -> Iterator[tuple[str, Quantity]]:
    for name in FIGURES:
        q = getattr(e, name)
        if q is not None:
            yield name, q
    fit = e.memory_fit
    yield from ((name, getattr(fit, name)) for name in fit.names)


def _divisible(model: str, gpus: int) -> bool:
    try:
        Scenario(model=model, gpu="b200-sxm", gpus=gpus)
    except LessonError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("taken", ASSUMPTIONS.values(), ids=list(ASSUMPTIONS))
@pytest.mark.parametrize("model", catalogue.keys("models"))
def test_every_figure_of_every_model_ends_in_what_somebody_gave(model: str, taken: Assumptions) -> None:
    for changes in (
        {"weights": "bf16"},
        {"weights": "stored", "prompt": 9001, "cached": 5000, "batch": 7, "kv": "fp8"},
        {"weights": "int4-g128", "gpus": 2},
        {"weights": "int4-g128", "gpus": 8, "prompt": 40_000, "cached": 30_000},
    ):
        if not _divisible(model, changes.get("gpus", 1)):
            continue
        e = estimate(Scenario(model=model, gpu="b200-sxm").but(**changes), taken)
        for name, q in figures(e):
            assert q.recomputed() == q.value, name
            bare = {g.symbol: g.source for g in q.givens() if not is_real(g, e)}
            assert bare == {}, name


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(
        ["gemma-3-27b", "gpt-oss-120b", "mimo-v2-flash", "qwen3.5-35b-a3b", "deepseek-v3", "gemma-4-26b-a4b"]
    ),
    st.integers(1, 300_000),
    st.integers(1, 200),
    st.sampled_from(["bf16", "fp8"]),
    st.sampled_from([1, 2, 8]),
)
def test_the_longest_context_is_the_longest(model: str, prompt: int, batch: int, kv: str, gpus: int) -> None:
    of_all = Scenario(model=model, gpu="b300-sxm", weights="int4", kv=kv, batch=batch, prompt=min(prompt, 100_000))
    e = estimate(of_all.but(gpus=gpus))
    longest = int(e.longest_context.value)
    room = e.kv_budget.value

    def taken(context: int) -> float:
        one = Quantity(context, "context", "tried")
        return batch * e._sheet.sequence_bytes(one).value * e._sheet.copies_of(one).value

    if longest:
        assert taken(longest) <= room * (1 + 1e-12)
    assert taken(longest + 1) > room * (1 - 1e-12)


def test_a_cache_that_stops_growing_has_no_longest_context_once_it_fits() -> None:
    scenario = Scenario(model="mistral-7b-v0.1", gpu="l4", kv="fp8")
    few, many = (estimate(scenario.but(batch=batch)).longest_context for batch in (4, 64))
    assert few.value == ENDLESS
    assert 0 < many.value < 4096
    assert many.recomputed() == many.value


def formula_of(q: Quantity) -> str:
    assert q.function
    template: str = q.function.template  # type: ignore[attr-defined]
    return template.format(**{name: i.text().replace("\N{NO-BREAK SPACE}", " ") for name, i in q.inputs.items()})


@pytest.mark.parametrize(
    ("model", "formula"),
    [
        ("deepseek-v3", "61 · (512 + 64) · 2 B"),
        ("gemma-3-27b", "2 · 62 · 16 · 128 · 2 B"),
        ("qwen3.5-35b-a3b", "2 · 10 · 2 · 256 · 2 B"),
        ("mimo-v2-flash", "23.04 kB + 199.7 kB"),
    ],
)
def test_the_cache_of_a_token_is_a_sum_over_kinds_of_layers(model: str, formula: str) -> None:
    assert formula_of(estimate(Scenario(model=model)).kv_bytes_per_token) == formula


def test_experts_that_a_pass_touches_are_worked_out() -> None:
    e = estimate(Scenario(model="mixtral-8x7b", batch=64))
    (touched,) = {q.value: q for q in e.decode.work.bytes.mlp.steps() if q.symbol == "experts_read"}.values()
    assert formula_of(touched) == "8 · (1 − (1 − 2 / 8)^{64})".replace("{64}", "64")


def test_parameters_are_a_sum_of_parts() -> None:
    steps = {q.symbol: q for q in estimate(Scenario()).weight_bytes.steps()}
    symbols = ("embedding", "projection", "attention", "norm", "mlp", "dense", "head")
    assert {f"{symbol}_parameters" for symbol in symbols} <= set(steps)
    assert steps["parameters"].value == 8_030_261_248
    assert steps["norm_parameters"].value == 65 * 4096


def test_nothing_is_worked_out_before_somebody_asks() -> None:
    for taken in (TEXTBOOK, CALIBRATED):
        e = estimate(Scenario(model="deepseek-v3", weights="stored", gpus=8), taken)
        assert e.total_s.value > 0
        assert e.memory_fit.room.value
        assert isinstance(e.longest_context, Counted)
        assert e.longest_context._found is None
        of_experts = e.decode.work.bytes.mlp.inputs["parameters"]
        assert isinstance(of_experts, Counted)
        assert of_experts._found is None
        assert of_experts.inputs
        assert of_experts._found is not None


def test_a_page_shows_what_is_counted_in_rows_of_its_table() -> None:
    html = derivation(SHOWN["tpot"].of(estimate(Scenario(model="deepseek-v3"))))
    text = re.sub(r"<[^>]+>", " ", html).replace("\N{NO-BREAK SPACE}", " ")
    assert "L · (l_kv + d_r) · b_kv = 61 · (512 + 64) · 2 B" in text
    assert "E · (1 − (1 − k_e / E)^B) = 256 · (1 − (1 − 8 / 256)^1)" in text
    assert "What follows from other rows is counted from config.json of deepseek-ai/DeepSeek-V3" in text
    plain = estimate(Scenario())
    assert len(derivation(plain.ttft_s)) < 18_000  # a page has dozens
    assert "follows from other rows" not in derivation(plain.kv_bytes_per_token)
