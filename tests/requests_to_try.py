"""Requests as pages send them, and as nobody should: the default first, then seeded random ones."""

import random
from collections.abc import Iterator
from typing import Any

import yaml

from lessoncore.figures import FIGURES
from lessoncore.pictures import NAMES, picture
from lessoncore.widgets.fields import PICTURE

Request = dict[str, Any]

# Every kind of part.
SPECS: list[dict[str, Any]] = [
    {"kind": "number", "figure": "ttft"},
    {"kind": "tiles", "figures": ["ttft", "memory_used"]},
    {"kind": "chips"},
    {"kind": "verdict"},
    {"kind": "glance", "figures": ["tpot", "output_cost"]},
    {"kind": "set", "parameters": ["gpus", "price", "config"]},
    {"kind": "figures", "figures": ["price", "decode_communication_time"]},
    {"kind": "expected", "figures": ["ttft", "tpot"]},
    {"kind": "setups", "figures": ["ttft", "output_cost"]},
    {"kind": "sweep", "of": "tpot", "over": "batch"},
    {"kind": "task", "when": {"total": "< 1 s"}},
    {"kind": "why", "figure": "total"},
    {"kind": "answer", "figure": "total", "scale": "s", "input": "g", "close": 1, "gaps": [], "between": [0, 9]},
    {"kind": "error", "effect": "all", "of": "median", "assumptions": "calibrated"},
    *({"kind": "measurements", "name": "m", "show": s} for s in ("summary", "dots")),
    *(
        {"kind": "measurements", "name": "m", "show": s, "effect": "small_model", "playground": "p.html"}
        for s in ("row", "table")
    ),
    {"kind": "measurement", "row": "TR052", "by": "textbook"},
    *({"kind": "errors", "of": of} for of in ("effects", "queues", "closed-loop")),
    {"kind": "choice", "input": "g", "choices": [{"text": "a", "say": "b"}, {"text": "c", "right": True}]},
    {"kind": "results"},
    *({"kind": "capacity", "name": "d", "show": s, "field": "users"} for s in ("rate", "gpus", "error", "said")),
    *({"kind": "load", "name": "d", "show": s, "field": "trace"} for s in ("results", "error", "said")),
    *({"kind": "drill", "name": "d", "drills": ["ridge-point"], "show": s} for s in ("place", "question", "verdict")),
    *({"kind": "target", "own": {"tpot": "20 ms", "users": "9"}, "show": s} for s in ("status", "result")),
    *(
        {"kind": "claim", "own": "Llama 3.1 8B on one H100 SXM: 6 ms/token, bf16", "show": s}
        for s in ("verdict", "fields")
    ),
    *({"kind": "export", "format": s} for s in ("json", "csv", "markdown", "python", "read")),
    {"kind": "code"},
    *({"kind": "picture", **PICTURE.check(yaml.safe_load(picture(name).example)["picture"])} for name in NAMES),
]

_WRONG = ["", "lots", "-1", "0", "1e308", "NaN", "1" * 60, "<b>2</b>", "２０００", "2,000.5", "\N{NULL}"]

_PICTURES: list[dict[str, Any]] = [
    {"picture": "roofline", "passes": ["prefill", "decode"], "drag": ["prompt", "batch"], "precisions": ["fp8"]},
    {
        "picture": "curves",
        "x": "prompt",
        "figures": ["ttft", "total"],
        "range": [],
        "x_scale": "log",
        "y_scale": "log",
        "unit": "",
        "stacked": False,
        "limit": {"at": "500 ms", "label": "SLO"},
        "drag": True,
    },
]


_CLAIMS = [
    "Llama 3.1 70B on 4x H100 SXM: 250 tok/s per user, fp8, batch 1",
    "TTFT 20 ms for 8k prompt on A100",
    "Qwen3-32B (AWQ), 2 x L40S: 3,000 tokens/s total at concurrency 64, ISL 1024 OSL 256",
]


def random_requests(count: int, seed: int) -> Iterator[Request]:
    """The default request of step 1, then ``count`` random ones, of which a sixth have wrong input."""
    yield _request({}, {}, 0)
    dice = random.Random(seed)
    for n in range(1, count + 1):
        state = {
            "prompt": str(round(10 ** dice.uniform(0, 5.1))),
            "output": str(round(10 ** dice.uniform(0, 4.2))),
        }
        if n % 6 == 0:
            state[dice.choice(list(state))] = dice.choice(_WRONG)
        scenario = {
            "weights": dice.choice(["bf16", "fp8", "int4"]),
            "batch": round(10 ** dice.uniform(0, 3)),
            "gpus": dice.choice([1, 1, 2, 4, 8]),
        }
        yield _request(scenario, state, n)


def queue_requests() -> Iterator[Request]:
    """Requests of a page with a queue, whose searches and simulations take many replies."""
    parts: list[dict[str, Any]] = [
        {"kind": "picture", "picture": "queue", "drag": False},
        {"kind": "capacity", "name": "capacity", "show": "rate"},
        {"kind": "capacity", "name": "capacity", "show": "gpus"},
        {"kind": "load", "name": "load", "show": "results"},
        {"kind": "load", "name": "load", "show": "error", "field": "trace"},
    ]
    trace = "".join(f"{n * 0.07:.2f},{200 + 37 * n % 3000},{20 + 11 * n % 700}\n" for n in range(600))
    forms: list[dict[str, str]] = [
        {"arrivals": "bursts", "variation": "4.5", "prefill": "both", "cached": "300"},
        {"arrivals": "users", "users": "40", "think": "2", "lengths": "fixed"},
        {"arrivals": "trace", "trace": trace, "budget": "512"},
        {"lengths": "seen", "seen": "\n".join(f"{200 + 37 * n % 3000},{20 + 11 * n % 700}" for n in range(200))},
        {"arrivals": "trace", "trace": trace + "42,<b>,1"},
    ]
    for n, form in enumerate(forms):
        inputs = {"capacity.users": str(90 * (n + 1))} | {f"load.{key}": text for key, text in form.items()}
        state = {"batch": "40", "assumptions": "calibrated"}  # one server: what is simulated of it alone is known
        yield {"id": n, "scenario": {"batch": 64}, "state": state, "inputs": inputs, "parts": parts, "say": []}


def _request(scenario: dict[str, Any], state: dict[str, str], n: int) -> Request:
    parts: list[dict[str, Any]] = [{"kind": "number", "figure": key} for key in FIGURES]
    parts += [{"kind": "why", "figure": "total"}, {"kind": "picture", "picture": "timeline"}, {"kind": "chips"}]
    parts += [{"kind": "picture", **picture} for picture in _PICTURES]
    tools: list[dict[str, Any]] = [{"kind": "export", "format": form} for form in ("json", "csv", "markdown", "python")]
    tools += [{"kind": "claim", "own": claim, "show": show} for claim in _CLAIMS for show in ("verdict", "fields")]
    tools += [{"kind": "target", "own": {}, "show": "status"}, {"kind": "code"}]
    parts.append(tools[n % len(tools)])  # in turns, for each loads what the others don't need
    parts += [{"kind": "results"}]
    parts += [{"kind": "tiles", "figures": ["ttft", "memory_used"]}, {"kind": "task", "when": {"total": "< 1 s"}}]
    parts.append({"kind": "error", "effect": "all", "of": "median"})
    if n == 0:  # large, and the same whatever the scenario
        parts += [{"kind": "errors", "of": "effects"}, {"kind": "measurements", "name": "m", "show": "dots"}]
    return {"id": n, "scenario": scenario, "state": state, "parts": parts, "say": ["ttft", "tpot"]}
