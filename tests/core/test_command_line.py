"""python -m lessoncore: an estimate for people, for scripts, and one clear line for wrong input."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lessoncore.__main__ import main

EXAMPLE = ["--gpu", "h100-sxm", "--model", "llama-3.1-8b", "--prompt", "2000", "--output", "500"]
CONFIG = (
    '{"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, '
    '"num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256, "tie_word_embeddings": false}'
)


def test_it_prints_the_estimate(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(EXAMPLE) == 0
    shown = capsys.readouterr().out.replace("\N{NO-BREAK SPACE}", " ")
    for figure in ("55.87 ms", "6.103 ms", "3.107 s", "16.06 GB", "15.0 GiB", "449,433 tokens"):
        assert figure in shown
    assert "η_c" not in shown


def test_it_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*EXAMPLE, "--why"]) == 0
    shown = capsys.readouterr().out.replace("\N{NO-BREAK SPACE}", " ")
    assert "F_m = 2 · P_m · n = 2 · 5.637 billion · 2,000 tokens = 22.55 TFLOP" in shown
    assert "η_c: share of the peak rate that is reached, 60% (the lesson's textbook assumptions" in shown


def test_it_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*EXAMPLE, "--json", "--assumptions", "calibrated", "--batch", "8"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["scenario"]["assumptions"] == "calibrated"
    assert told["scenario"]["batch"] == 8
    assert told["figures"]["weight_bytes"] == 16_060_522_496
    assert told["fits"] is True


def test_it_says_what_really_bounds_each_phase(capsys: pytest.CaptureFixture[str]) -> None:
    calibrated = [*EXAMPLE, "--gpus", "8", "--assumptions", "calibrated"]
    assert main(calibrated) == 0
    assert "Prefill is communication-bound, decode is launch-bound." in capsys.readouterr().out
    assert main([*calibrated, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["prefill_bound"], told["decode_bound"]) == ("communication", "launch")


def test_it_reads_a_config_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "config.json"
    file.write_text(CONFIG)
    assert main(["--config", str(file), "--json"]) == 0
    from_config = json.loads(capsys.readouterr().out)["figures"]
    assert main([*EXAMPLE, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["figures"] == from_config


def test_it_warns_of_a_context_that_the_model_was_not_made_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--model", "llama-2-7b", "--prompt", "100000"]) == 0
    shown = capsys.readouterr().out
    assert "It fits." in shown
    assert "The model was made for up to 4,096 tokens; prompt and answer here have 100,500." in shown


def test_it_says_when_no_number_of_gpus_is_enough(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--model", "deepseek-v3", "--gpus", "4"]) == 0
    shown = capsys.readouterr().out
    assert "It doesn't fit on 8 GPUs either; NVLink 4 joins at most 8 H100 SXM." in shown
    assert "It fits on 8 × " in shown


def test_it_says_what_to_change(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--model", "llama-3.1-70b"]) == 0
    shown = capsys.readouterr().out
    assert "are missing on each GPU" in shown
    assert "It fits on 2 GPUs." in shown


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--gpu", "h100-smx"], "Did you mean 'h100-sxm'?"),
        (["--prompt", "0"], "1 to 10,485,760 is possible"),
        (["--prompt", "many"], "isn't a number"),
        (["--batch", "1e999"], "isn't a number"),
        (["--gpus", "16"], "NVLink 4 joins at most 8 H100 SXM"),
        (["--gpus", "3"], "can't share the 32 query heads"),
        (["--gpu", "a100-80gb-sxm", "--maths", "fp8"], "has no fp8 arithmetic"),
        (["--cached", "2000"], "at most 1,999 can be cached"),
        (["--price", "-1"], "0 to 100 is possible"),
        (["--assumptions", "lucky"], "unknown Assumptions 'lucky'"),
        (["--unheard-of"], "unrecognized arguments"),
        (["--config", "no/such/file"], "can't read no/such/file"),
        (["--config", "pyproject.toml", "--model", "llama-3.1-8b"], "can't both be given"),
    ],
)
def test_wrong_input_is_one_line(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("lessoncore: ")
    assert printed.err.count("\n") == 1
    assert says in printed.err


def test_as_a_module_its_exit_code_is_2() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lessoncore", "--prompt", "x"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_a_closed_pipe_is_no_fault() -> None:
    command = f"{sys.executable} -m lessoncore --why | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""
