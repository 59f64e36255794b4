"""What follows from a model's layers: parameters, cache, arithmetic; and the memory faults of other tools."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessoncore.architecture import Architecture, LayerGroup, attention_width, kv_bytes_per_token
from lessoncore.attention import (
    GroupedQueryAttention,
    LatentAttention,
    causal_pairs,
    chunked_pairs,
    windowed_pairs,
)
from lessoncore.catalogue import keys, model
from lessoncore.errors import LessonError
from lessoncore.feedforward import Experts, Mlp, experts_touched
from lessoncore.linear_attention import GatedDeltaNet, Mamba2
from lessoncore.passes import decode_attention_flops, prefill_attention_flops

GB, GIB = 1e9, 2**30
MODELS = keys("models")


def dense(attention: GroupedQueryAttention, layers: int = 4) -> Architecture:
    group = LayerGroup(layers, attention, Mlp(512))
    return Architecture("test", "Test", 256, 1000, False, (group,), "a test")


# The memory faults that users of other tools report.


def test_kv_counts_key_value_heads_and_no_query_heads() -> None:  # jranaraki/vllm-fit#2: 8 times over
    llama = model("llama-3.1-70b")
    assert (llama.heads, llama.kv_heads) == (64, 8)
    assert llama.kv_bytes_per_token(2) == 2 * 80 * 8 * 128 * 2 == 327_680


def test_a_published_kv_table_comes_out_to_the_byte() -> None:  # huggingface/blog#2345: GB and GiB, 128,000 and 131,072
    llama = model("llama-3.1-8b")
    assert llama.kv_bytes(131_072, 2) == 16 * GIB
    assert round(llama.kv_bytes(131_072, 2) / GB, 2) == 17.18
    assert llama.kv_bytes(128_000, 2) / GIB == 15.625


def test_head_dim_need_not_be_hidden_by_heads() -> None:  # LMCache/LMCache#694
    qwen = model("qwen3-32b")
    assert qwen.head_dim == 128
    assert qwen.kv_bytes_per_token(2) == 2 * 64 * 8 * 128 * 2 != 2 * 64 * 8 * (5120 // 64) * 2


def test_latent_attention_caches_one_vector_for_all_heads() -> None:  # ai-dynamo/aiconfigurator#912: 6 to 25 times over
    deepseek = model("deepseek-v3")
    assert deepseek.kv_bytes_per_token(2) == 61 * (512 + 64) * 2 == 70_272
    as_if_grouped = 61 * 128 * (128 + 64 + 128) * 2
    assert as_if_grouped / deepseek.kv_bytes_per_token(2) > 60
    assert [deepseek.kv_bytes(1000, 2, gpus) for gpus in (1, 8)] == [70_272_000, 70_272_000]


@pytest.mark.parametrize(
    ("key", "context", "layers_full", "layers_windowed", "window", "a_layer"),
    [
        ("gemma-3-27b", 131_072, 10, 52, 1024, 2 * 16 * 128),
        ("gemma-2-9b", 8192, 21, 21, 4096, 2 * 8 * 256),
        ("gpt-oss-120b", 131_072, 18, 18, 128, 2 * 8 * 64),
        ("llama-4-scout", 131_072, 12, 36, 8192, 2 * 8 * 128),
    ],
)
def test_windowed_layers_keep_their_window_and_full_ones_all(
    key: str, context: int, layers_full: int, layers_windowed: int, window: int, a_layer: int
) -> None:  # lmstudio-bug-tracker#1862: 40-67% over; alvarobartt/hf-mem#60: left out
    kept = model(key)
    assert kept.kv_numbers(context) == a_layer * (layers_full * context + layers_windowed * window)
    assert kept.kv_numbers(100) == a_layer * (layers_full + layers_windowed) * 100


def test_layers_with_linear_attention_keep_a_state_and_no_cache() -> None:
    qwen = model("qwen3.5-27b")
    assert qwen.attention_layers == 16
    assert qwen.kv_bytes_per_token(2) == 2 * 16 * 4 * 256 * 2
    # 48 layers: 48 heads of 128 × 128 in fp32, and 3 inputs of a convolution over 10,240 channels in bf16
    assert qwen.state_bytes() == 48 * (4 * 48 * 128 * 128 + 2 * 3 * (2 * 16 * 128 + 48 * 128))
    assert qwen.state_bytes(gpus=4) == qwen.state_bytes() / 4
    assert model("llama-3.1-8b").state_bytes() == 0


@pytest.mark.parametrize(("gpus", "shards"), [(1, 1), (2, 2), (4, 4), (8, 8), (16, 8), (64, 8), (3, 8 / 3)])
def test_kv_heads_are_copied_when_gpus_outnumber_them(gpus: int, shards: float) -> None:  # tenstorrent/vllm#50
    llama = model("llama-3.1-8b")
    assert llama.kv_shards(gpus) == pytest.approx(shards)
    assert llama.kv_bytes(1000, 2) / llama.kv_bytes(1000, 2, gpus) == pytest.approx(shards)


def test_weights_in_gb_and_gib() -> None:  # alvarobartt/hf-mem#33: "14 GB missing"
    weights = 2 * model("llama-3.1-70b").parameters.total
    assert (round(weights / GB, 1), round(weights / GIB, 1)) == (141.1, 131.4)


def test_total_and_active_parameters_of_experts() -> None:  # AlexsJones/llmfit#474: 2 to 13 times off
    mixtral = model("mixtral-8x7b")
    assert (mixtral.parameters.total, mixtral.active_parameters.total) == (46_702_792_704, 12_879_925_248)
    assert mixtral.active_parameters.experts * 4 == mixtral.parameters.experts


def test_a_checkpoint_in_mxfp4_has_the_size_that_its_authors_state() -> None:
    for key, gib in (("gpt-oss-20b", 12.8), ("gpt-oss-120b", 60.8)):  # arXiv 2508.10925, table 1
        stored, parameters = model(key).stored, model(key).parameters
        size = sum(count * stored.bytes_per_weight(part) for part, count in parameters.items())
        assert size / GIB == pytest.approx(gib, rel=0.003)


# Parameters.


def test_parts_add_up_and_tied_embeddings_count_once() -> None:
    small, large = model("llama-3.2-1b").parameters, model("llama-3.1-8b").parameters
    assert small.embedding == 0
    assert small.head == 128_256 * 2048
    assert large.embedding == large.head == 128_256 * 4096
    for key in MODELS:
        parameters = model(key).parameters
        assert parameters.total == sum(count for _, count in parameters.items())
        assert parameters.matrices == parameters.total - parameters.embedding - parameters.norms


@pytest.mark.parametrize("key", MODELS)
def test_a_pass_reads_the_active_parameters_at_one_token_and_all_of_them_at_many(key: str) -> None:
    read = model(key)
    assert read.read_parameters(1).total == pytest.approx(read.active_parameters.total)
    assert read.read_parameters(1e7).total == pytest.approx(read.parameters.total)
    steps = [read.read_parameters(tokens).total for tokens in (1, 2, 8, 64, 512)]
    assert steps == sorted(steps)
    assert (steps[0] < steps[-1]) == read.has_experts


@given(st.integers(1, 1000), st.integers(1, 64), st.integers(0, 5000))
def test_experts_touched_is_never_more_than_all_or_than_picked(experts: int, picked: int, tokens: int) -> None:
    picked = min(picked, experts)
    touched = experts_touched(experts, picked, tokens)
    assert 0 <= touched <= min(experts, picked * tokens) * (1 + 1e-9)


def test_biases_gates_and_norms_are_counted() -> None:
    plain = GroupedQueryAttention(heads=4, kv_heads=2, head_dim=8)
    assert plain.weights(16) == 16 * (32 + 2 * 16 + 32)
    assert GroupedQueryAttention(4, 2, 8, input_bias=True).weights(16) - plain.weights(16) == 32 + 2 * 16
    assert GroupedQueryAttention(4, 2, 8, output_bias=True).weights(16) - plain.weights(16) == 16
    assert GroupedQueryAttention(4, 2, 8, gate=True).weights(16) - plain.weights(16) == 16 * 32
    assert GroupedQueryAttention(4, 2, 8, sinks=True).weights(16) - plain.weights(16) == 4
    assert plain.weights(16) - GroupedQueryAttention(4, 2, 8, keys_are_values=True).weights(16) == 16 * 16
    assert (GroupedQueryAttention(4, 2, 8, norms="head").norm_weights, plain.norm_weights) == (16, 0)
    assert GroupedQueryAttention(4, 2, 8, norms="layer").norm_weights == 32 + 16
    assert Mlp(64, gated=False, bias=True).weights(16) == 2 * 16 * 64 + 64 + 16
    experts = Experts(8, 2, Mlp(64), shared=Mlp(32), shared_gate=True, router_numbers=8)
    assert experts.shared_weights(16) == 3 * 16 * 32 + 16
    assert experts.router_weights(16) == 8 * 16 + 8


# Attention.


@given(st.integers(0, 10_000), st.integers(0, 10_000), st.integers(1, 5_000))
def test_pairs_do_not_depend_on_how_a_prompt_is_cut(first: int, second: int, window: int) -> None:
    for pairs in (windowed_pairs, chunked_pairs):
        whole = pairs(first + second, 0, window)
        assert pairs(first, 0, window) + pairs(second, first, window) == pytest.approx(whole)
        assert whole <= causal_pairs(first + second, 0) * (1 + 1e-12)
    assert causal_pairs(first, 0) + causal_pairs(second, first) == pytest.approx(causal_pairs(first + second, 0))


@given(st.integers(1, 3000), st.integers(0, 3000))
def test_a_window_that_is_never_full_changes_nothing(tokens: int, cached: int) -> None:
    for pairs in (windowed_pairs, chunked_pairs):
        assert pairs(tokens, cached, 6001) == causal_pairs(tokens, cached)


def test_pairs_agree_with_counting_them() -> None:
    # Half a pair less for each token than a count with the token itself: the mean of seeing itself and not.
    for window in (3, 7, 50):
        counted = sum(min(i + 1, window) for i in range(20, 60))
        assert windowed_pairs(40, 20, window) == pytest.approx(counted, abs=20)
        chunks = sum(i % window + 1 for i in range(20, 60)) - 40 / 2
        assert chunked_pairs(40, 20, window) == pytest.approx(chunks, abs=window)


@pytest.mark.parametrize("key", [key for key in MODELS if model(key).uniform_attention])
def test_for_uniform_attention_the_textbook_formulas_hold(key: str) -> None:
    uniform = model(key)
    width = attention_width(uniform.layers, uniform.heads, uniform.head_dim)
    assert uniform.attention_flops(2000) == prefill_attention_flops(width, 2000)
    assert uniform.decode_attention_flops(2250) == decode_attention_flops(width, 2250, batch=1)
    expected = kv_bytes_per_token(uniform.layers, uniform.kv_heads, uniform.head_dim, 2)
    assert uniform.kv_bytes_per_token(2) == expected


def test_attention_that_is_not_uniform_says_so() -> None:
    others = {key for key in MODELS if not model(key).uniform_attention}
    assert {"gemma-3-27b", "deepseek-v3", "qwen3.5-27b", "nemotron-3-nano", "gpt-oss-20b", "llama-4-scout"} <= others
    assert not {"llama-3.1-8b", "qwen3-235b-a22b", "mixtral-8x7b", "phi-4"} & others


@pytest.mark.parametrize("key", MODELS)
def test_more_context_never_keeps_or_costs_less(key: str) -> None:
    lengths = (1, 100, 128, 1000, 1024, 5000, 8192, 8193, 50_000, 131_072)
    for measure in (model(key).kv_numbers, model(key).attention_flops, model(key).decode_attention_flops):
        values = [measure(length) for length in lengths]
        assert values == sorted(values)


def test_latent_attention_trades_arithmetic_for_bytes_in_decode() -> None:
    v3 = LatentAttention(128, latent=512, query_latent=1536, key_dim=128, rope_dim=64, value_dim=128)
    assert v3.prefill_flops(1000, 0) == 2 * 128 * (192 + 128) * 1000**2 / 2
    assert v3.decode_flops(1000) == 2 * 128 * (576 + 512) * 1000
    assert (
        LatentAttention(16, 512, 0, 128, 64, 128).weights(2048)
        == 2048 * (16 * 192 + 576) + 512 * 16 * 256 + 16 * 128 * 2048
    )


def test_layers_with_a_state_work_the_same_at_any_context() -> None:
    for kind in (GatedDeltaNet(16, 32, 128, 128, 4), Mamba2(64, 64, 128, 8, 4)):
        assert kind.decode_flops(10) == kind.decode_flops(1e6) == kind.prefill_flops(1000, 0) / 1000
        assert kind.kv_numbers() == kind.kept(1000) == 0
        assert kind.state_bytes(2) == kind.state_bytes() / 2


def test_all_reduces_of_a_pass() -> None:
    assert model("llama-3.1-70b").all_reduces == 160
    assert model("nemotron-3-nano").all_reduces == 52  # one block a layer


# What no model can be.


def test_impossible_models_are_refused() -> None:
    with pytest.raises(LessonError, match="5 query heads can't share 2 key/value heads"):
        GroupedQueryAttention(heads=5, kv_heads=2, head_dim=64)
    with pytest.raises(LessonError, match="at least one layer with attention"):
        Architecture("x", "X", 64, 100, True, (LayerGroup(2, None, Mlp(64)),), "a test")
    assert dense(GroupedQueryAttention(4, 2, 64)).layers == 4
