"""Every row of the catalogue has a source, a date and figures that hardware and models can have."""

import json
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from lessoncore import catalogue
from lessoncore.errors import LessonError
from lessoncore.huggingface import architecture_from_config
from lessoncore.parameters import PARAMETERS, Choice

CONFIGS = Path(__file__).parent / "configs"
GPUS, MODELS = catalogue.keys("gpus"), catalogue.keys("models")
OWN_LINKS = ("NVLink ", "Infinity Fabric", "ICI ")


def test_there_is_enough_to_choose_from() -> None:
    assert len(GPUS) >= 25
    assert len(MODELS) >= 20


@pytest.mark.parametrize("key", GPUS + MODELS)
def test_a_row_has_a_name_a_source_and_a_day(key: str) -> None:
    row = catalogue.gpu(key) if key in GPUS else catalogue.model(key)
    assert re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)*", key)
    assert row.key == key
    assert row.label == catalogue.label("gpus" if key in GPUS else "models", key)
    assert len(row.source) > 10
    assert row.read_on is not None
    assert date(2026, 1, 1) <= row.read_on <= date(2027, 12, 31)


def test_labels_and_keys_are_unique() -> None:
    for name, keys in (("gpus", GPUS), ("models", MODELS)):
        assert len(set(keys)) == len(keys)
        assert len({catalogue.label(name, key) for key in keys}) == len(keys)


@pytest.mark.parametrize("key", GPUS)
def test_a_gpus_figures_are_dense_and_in_si_units(key: str) -> None:
    gpu = catalogue.gpu(key)
    assert 16e9 < gpu.memory_bytes < 400e9
    assert 0.2e12 < gpu.bandwidth <= 8e12
    assert set(gpu.peak_flops) <= {"bf16", "fp8", "int8", "fp4"}
    bf16 = gpu.peak_flops["bf16"]
    assert 50e12 < bf16 <= 2.5e15
    # A rate with sparsity would be twice as high: no chip of the list does more than twice as much in half the bits.
    assert bf16 < gpu.peak_flops.get("fp8", bf16 * 2) <= 2.03 * bf16
    assert gpu.peak_flops.get("fp8", bf16) < gpu.peak_flops.get("fp4", 1e18)
    assert 50 < bf16 / gpu.bandwidth < 600  # ridge point
    assert gpu.tdp_w == 0 or 50 < gpu.tdp_w <= 1400


@pytest.mark.parametrize("key", GPUS)
def test_a_gpus_link_is_one_way_and_of_a_known_kind(key: str) -> None:
    gpu = catalogue.gpu(key)
    pcie = {"PCIe 4.0": 32e9, "PCIe 5.0": 64e9}
    if gpu.link in pcie:
        assert gpu.link_bandwidth == pcie[gpu.link]
    elif gpu.link:
        assert gpu.link.startswith(OWN_LINKS)
        assert 150e9 < gpu.link_bandwidth <= 900e9
    else:
        assert (gpu.link_bandwidth, gpu.link_gpus, gpu.link_source) == (0, 0, "")
    assert not gpu.link or gpu.link_gpus in (8, 16, 72, 256, 8960)
    assert not gpu.link or len(gpu.link_source) > 10


def test_links_of_one_direction() -> None:
    # Datasheets: 600, 900 and 1,800 GB/s, both directions added up.
    for key, one_way in (("a100-80gb-sxm", 300e9), ("h100-sxm", 450e9), ("b200-sxm", 900e9)):
        assert catalogue.gpu(key).link_bandwidth == one_way


def test_known_traps_of_datasheets() -> None:
    assert catalogue.gpu("h100-sxm").peak("bf16") == 989.4e12  # printed: 1,979, with sparsity
    assert catalogue.gpu("l40s").peak("fp8") == 733e12  # printed: 1,466
    assert catalogue.gpu("rtx-5090").peak("fp4") == 1676e12  # printed: 3,352
    with pytest.raises(LessonError, match="has no fp8 arithmetic"):
        catalogue.gpu("a100-80gb-sxm").peak("fp8")
    # users-ask: a measured KV pool of about 58 GiB for Llama 3.1 8B on one H100 at 0.95 of what the driver reports
    room = 0.95 * catalogue.gpu("h100-sxm").memory_bytes - 2 * catalogue.model("llama-3.1-8b").parameters.total
    assert 58 < room / 2**30 < 62


@pytest.mark.parametrize("key", GPUS)
def test_a_price_has_a_source_and_a_month(key: str) -> None:
    gpu = catalogue.gpu(key)
    if gpu.price_low:
        assert 0 < gpu.price_low < 20
        assert gpu.price_low < gpu.price_high < 20 or gpu.price_high == 0  # only where it starts is known
        assert re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", gpu.price_month)
        assert len(gpu.price_source) > 10
    else:
        assert (gpu.price_high, gpu.price_month, gpu.price_source) == (0, "", "")


def _repository(source: str) -> str:
    found = re.match(r"config\.json of (\S+),", source)
    assert found
    return found[1]


# No config.json of theirs was collected: the sizes of the files that Meta published, at two bytes a parameter.
_WITHOUT_CONFIG = {"llama-2-7b": 6_738_415_616, "llama-2-70b": 68_976_648_192}


@pytest.mark.parametrize(("key", "parameters"), _WITHOUT_CONFIG.items())
def test_a_model_without_a_collected_config_has_the_published_size(key: str, parameters: int) -> None:
    assert catalogue.model(key).parameters.total == parameters


@pytest.mark.parametrize("key", [key for key in MODELS if key not in _WITHOUT_CONFIG])
def test_a_model_is_what_its_whole_config_says(key: str) -> None:
    row = catalogue.model(key)
    text = (CONFIGS / f"{_repository(row.source).replace('/', '--')}.config.json").read_text()
    if key == "gemma-3-27b":  # the collected file is a quantised copy
        text = json.dumps({k: v for k, v in json.loads(text).items() if k != "quantization"})
    if key == "mistral-7b-v0.1":  # the collected file is of a copy in twice the bytes
        text = text.replace("float32", "bfloat16")
    whole = architecture_from_config(text)
    for name in ("hidden_size", "vocabulary", "tied_embeddings", "groups", "longest_context", "stored", "left_out"):
        assert getattr(row, name) == getattr(whole, name), name
    assert row.parameters == whole.parameters


def test_an_unknown_key_says_what_is_known() -> None:
    for look_up in (catalogue.gpu, catalogue.model):
        with pytest.raises(LessonError, match="Known: "):
            look_up("h100-sxn")
    with pytest.raises(LessonError, match="Did you mean 'h100-sxm'"):
        catalogue.gpu("h100-sxn")
    with pytest.raises(LessonError, match="Did you mean 'qwen3-8b'"):
        catalogue.label("models", "qwen3-8c")


def test_select_boxes_work_no_row_out() -> None:
    # In a process of its own: what a page needs for its select boxes must not load what reads a config.json.
    code = """
import sys
from lessoncore import catalogue
labels = [catalogue.label(name, key) for name in ("gpus", "models") for key in catalogue.keys(name)]
assert len(labels) > 45 and "H100 SXM" in labels, labels
catalogue.gpu("h100-sxm")
assert "lessoncore.huggingface" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


@pytest.mark.parametrize(("name", "keys"), [("gpu", GPUS), ("model", MODELS)])
def test_the_parameters_offer_every_row(name: str, keys: list[str]) -> None:
    choice = PARAMETERS[name]
    assert isinstance(choice, Choice)
    assert choice.options() == keys
    assert [choice.text(key) for key in keys] == [catalogue.label(f"{name}s", key) for key in keys]
