"""A pasted config.json as a parameter: the model's numbers or the reason, and a short form that an address carries."""

import json
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from collected_configs import CONFIGS, EXPECTED, FILES, OTHER_KV, REFUSED, SUPPORTED
from hypothesis import given, settings
from hypothesis import strategies as st

from lessoncore import respond
from lessoncore.errors import LessonError
from lessoncore.estimate import estimate
from lessoncore.huggingface import architecture_from_config
from lessoncore.page import Page
from lessoncore.parameters import PARAMETERS
from lessoncore.pasted import MOST_CHARACTERS, MOST_PACKED, architecture, packed, shortened, written
from lessoncore.pictures.stack import bars
from lessoncore.scenario import Scenario

CONFIG = PARAMETERS["config"]
LLAMA = (CONFIGS / "meta-llama--Meta-Llama-3.1-8B.config.json").read_text()


def control(text: str) -> dict[str, Any]:
    """What the page hears of the control."""
    reply = json.loads(
        respond(json.dumps({"state": {"config": text}, "parts": [{"kind": "number", "figure": "ttft"}]}))
    )
    assert reply["parts"][0].get("none", False) == ("error" in reply["controls"]["config"])
    found: dict[str, Any] = reply["controls"]["config"]
    return found


@pytest.mark.parametrize("file", SUPPORTED)
def test_every_collected_config_gives_the_numbers_of_the_table(file: str) -> None:
    name, expected = file.removesuffix(".config.json"), EXPECTED[file]
    page = Page({"weights": "bf16"}, {"config": (CONFIGS / file).read_text()})
    assert page.problems == {}
    e = page.estimate()
    if expected["total"]:
        assert e.weight_bytes.value == 2 * int(expected["total"])
    assert e.scenario.architecture.kv_bytes_per_token(2) == OTHER_KV.get(name, int(expected["kv_bytes_per_token"]))


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_supported_says_why_at_the_control(name: str) -> None:
    error = control((CONFIGS / f"{name}.config.json").read_text())["error"]
    assert error.startswith("not supported, because ")
    assert REFUSED[name] in error


@pytest.mark.parametrize("file", SUPPORTED)
def test_the_address_holds_a_short_form_that_gives_the_same_model(file: str) -> None:
    text = (CONFIGS / file).read_text()
    said = control(text)
    address = said["address"]
    assert re.fullmatch(r"z[\w-]+", address)  # nothing that an address would have to escape
    assert len(address) < MOST_PACKED
    again = control(address)
    assert again["address"] == address
    assert again["text"] == said["text"]
    for short in (said["text"], address):
        assert architecture(shortened(short)).groups == architecture_from_config(text).groups
        assert architecture(shortened(short)).stored == architecture_from_config(text).stored


def test_keys_that_change_no_number_are_left_out() -> None:
    kept = json.loads(shortened(LLAMA))
    assert kept["hidden_size"] == 4096
    assert not kept.keys() & {"bos_token_id", "rope_theta", "transformers_version", "initializer_range"}
    assert written(shortened(LLAMA)).count("\n") == len(kept) + 1


def test_a_config_is_served_in_place_of_the_model_until_it_is_cleared() -> None:
    page = Page({"model": "llama-3.1-70b"}, {"config": LLAMA})
    assert page.scenario.architecture.parameters.total == 8_030_261_248
    assert Page({"model": "llama-3.1-70b"}, {"config": " \n"}).scenario.architecture.key == "llama-3.1-70b"


def test_it_is_the_pasted_model_that_is_trained() -> None:
    text = (CONFIGS / "Qwen--Qwen3-0.6B.config.json").read_text()
    e = estimate(Scenario(config=text))
    assert e.training.state_bytes.value == 16 * e.scenario.architecture.parameters.total == 16 * 596_049_920
    assert e.training.gpu_hours.value < 0.1 * estimate(Scenario()).training.gpu_hours.value


def test_the_training_stacks_show_16_bytes_for_each_parameter_of_the_pasted_model() -> None:
    pasted = Page({}, {"config": (CONFIGS / "Qwen--Qwen3-0.6B.config.json").read_text()})
    inference, trained = bars("training_memory", [], pasted)
    assert inference.total == 2
    assert trained.total == 16


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{oops", "not valid JSON in line 1"),
        ("[1, 2]", "a JSON object is needed, but a list of 2 was given"),
        ("42", "a JSON object is needed"),
        ("{}", "it has no model_type; if its layers are those of a known type"),
        ("z", "the link may have been cut"),
        ("z!!!", "the link may have been cut"),
        (packed(shortened(LLAMA))[:40], "the link may have been cut"),
        ("[" * 100_000, "lists and objects are read; this has more"),
        ('{"a":' * 50 + "1" + "}" * 50, "levels of nesting"),
        ('{"a": "' + "x" * MOST_CHARACTERS + '"}', "up to 500,000 characters are read; this has more"),
        ('{"a": NaN}', "NaN isn't a number"),
        ('{"a": ' + "9" * 5_000 + "}", "not valid JSON"),
        (LLAMA.replace("4096", "1e999"), "hidden_size must be a whole number"),
        ("<script>alert(1)</script>", "not valid JSON in line 1"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(text: str, words: str) -> None:
    error = control(text)["error"]
    assert words in error
    assert len(error) < 1_000


NVIDIAS = "nvidia--Llama-3.1-70B-Instruct-FP8"


def test_a_file_that_gives_the_formats_alone_is_recognised() -> None:
    with pytest.raises(LessonError, match=r"this is an hf_quant_config\.json") as problem:
        CONFIG.parse((CONFIGS / f"{NVIDIAS}.hf_quant_config.json").read_text())
    assert 'how weights are stored ("FP8"), but not of which model' in str(problem.value)
    assert "choose fp8 as the format of the weights" in str(problem.value)
    with pytest.raises(LessonError, match="choose nvfp4"):
        CONFIG.parse('{"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4"}}')
    with pytest.raises(LessonError, match="and choose their format"):
        CONFIG.parse('{"quantization": {"quant_algo": null}}')


def test_a_config_that_names_no_format_tells_where_it_may_be() -> None:
    silent = CONFIG.text(CONFIG.parse((CONFIGS / f"{NVIDIAS}.config.json").read_text()))
    assert "checkpoint in bf16 (it says of no other format; if a file hf_quant_config.json lies beside it" in silent
    fp8 = CONFIG.text(CONFIG.parse((CONFIGS / "Qwen--Qwen3-32B-FP8.config.json").read_text()))
    assert "checkpoint in fp8" in fp8
    assert "hf_quant_config" not in fp8


def test_a_short_form_that_would_unpack_to_gigabytes_is_stopped() -> None:
    bomb = packed(json.dumps({"a": " " * 400_000}))
    assert len(bomb) < MOST_PACKED
    larger = "z" + bomb[1:]
    assert "it has no model_type" in control(larger)["error"]
    import zlib
    from base64 import urlsafe_b64encode

    squeezer = zlib.compressobj(9, wbits=-15)
    huge = squeezer.compress(b"{" + b" " * 60_000_000 + b"}") + squeezer.flush()
    assert "up to 500,000 characters" in control("z" + urlsafe_b64encode(huge).decode().rstrip("="))["error"]


def test_one_too_long_for_a_link_is_used_and_says_so() -> None:
    values = json.loads(LLAMA)
    names = [
        f"model.layers.{n}.{word}" for n in range(1_500) for word in (f"a{n * 7919 % 9973}", f"b{n * 104_729 % 997}")
    ]
    values["quantization_config"] = {"quant_method": "fp8", "modules_to_not_convert": names}
    said = control(json.dumps(values))
    assert said["address"] == ""
    assert "too long for a link" in said["about"]


LONG = {
    "modules that aren't quantised": {"quant_method": "fp8", "ignored_layers": [str(n) for n in range(45_000)]},
    "as many as are read": {
        "quant_method": "fp8",
        "ignored_layers": [f"model.layers.{n % 32}.mlp.down_proj.{n}" for n in range(5_000)],
    },
    "groups": {
        "quant_method": "compressed-tensors",
        "config_groups": {f"group_{n}": {"weights": {"num_bits": 8}} for n in range(4_900)},
    },
    "keys": {"quant_method": "fp8"} | {f"key_{n}": n for n in range(25_000)},
}


@pytest.mark.parametrize("what", LONG)
def test_a_long_quantisation_block_is_read_or_refused_at_once(what: str) -> None:
    text = json.dumps(json.loads(LLAMA) | {"quantization_config": LONG[what]})
    taken = []
    for _ in range(3):  # a machine that others use can stop it for a while
        shortened.cache_clear()
        start = time.process_time()
        _, refused = outcome(lambda: shortened(text))
        taken.append(time.process_time() - start)
    assert min(taken) < 0.1
    assert bool(refused) == (what in ("modules that aren't quantised", "groups"))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_config_with_anything_in_it_is_read_or_refused(data: st.DataObject) -> None:
    values = json.loads((CONFIGS / data.draw(st.sampled_from(FILES))).read_text())
    odd = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.just([]) | st.just({})
    for key in data.draw(st.lists(st.sampled_from(list(values)), max_size=3)):
        values[key] = data.draw(odd)
    text = json.dumps(values)
    expected, refused = outcome(lambda: architecture_from_config(text, key="pasted", label="your config.json"))
    short, why_not = outcome(lambda: CONFIG.parse(text))
    if refused:
        assert why_not == refused
    elif why_not:
        assert "too large" in why_not  # in a key that is kept
    else:
        assert architecture(str(short)) == expected
        assert CONFIG.parse(str(short)) == short


def outcome(read: Callable[[], object]) -> tuple[object, str]:
    """What was read, and why not where it wasn't."""
    try:
        return read(), ""
    except LessonError as error:
        return None, str(error)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60) | st.text(alphabet="zZ_-09=", max_size=40).map(lambda end: f"z{end}"))
def test_any_text_is_refused_in_words(text: str) -> None:
    if text.strip():
        with pytest.raises(LessonError):
            CONFIG.parse(text)
