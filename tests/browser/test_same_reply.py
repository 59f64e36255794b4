"""The same Python gives the same reply here and in the browser."""

from going_on import answered
from playwright.sync_api import Page
from requests_to_try import queue_requests, random_requests

from lessoncore import respond

ASK = "(text) => window.LessonRuntime.ask(text)"


def test_fifty_random_requests_get_the_same_reply(live_page: Page) -> None:
    for request in random_requests(50, seed=7):
        there = answered(request, lambda text: str(live_page.evaluate(ASK, text)))
        assert there == answered(request, respond), request


def test_long_calculations_end_the_same(live_page: Page) -> None:
    for request in queue_requests():
        there = answered(request, lambda text: str(live_page.evaluate(ASK, text)))
        assert there == answered(request, respond), request


_CODE = "compute_efficiency = 0.5\nprint(math.pi)\ndef own_term_s(p):\n    return p.tokens * 1e-7 / 3\n"
_TOOLS = [
    {"target.do": "find", "target.tpot": "11 ms", "target.users": "30"},
    {"target.do": "find", "target.cost": "0.3", "target.ttft": "2 s", "target.bits": "8", "code.run": _CODE},
    {"target.do": "find", "target.tpot": "0.001", "code.run": "def _f(x):\n    return _f(x)\n_f(1)"},
    {"claim.do": "read", "claim.text": "Llama-3.1-8B bf16 A100-SXM4-80GB x1: 12,000 tok/s prefill, 2000-token prompt"},
    {"export.do": "read", "export.text": '{"format": "lessoncore-scenario", "version": 1, "scenario": {"promt": 1}}'},
    {"code.run": "memory_efficiency = 0.9\nx ="},
]


def test_the_tools_give_the_same_reply_when_they_are_done(live_page: Page) -> None:
    shown = [{"kind": "target", "own": {}, "show": show} for show in ("status", "result")]
    shown += [{"kind": "claim", "own": "", "show": show} for show in ("verdict", "fields")]
    shown += [{"kind": "export", "format": "read"}, {"kind": "export", "format": "python"}, {"kind": "code"}]
    shown += [{"kind": "why", "figure": "total"}]
    for inputs in _TOOLS:
        request = {"scenario": {"model": "llama-3.1-70b", "gpus": 4}, "inputs": inputs, "parts": shown}
        there = answered(request, lambda text: str(live_page.evaluate(ASK, text)))
        assert there == answered(request, respond), request
