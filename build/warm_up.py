"""What a Python does before its memory is kept for the pages of the site: what any page's first reply needs."""

import datetime  # noqa: F401
import json

import lessoncore

PARTS = [
    {"kind": "chips"},
    {"kind": "tiles", "figures": ["ttft", "tpot", "total", "memory_used"]},
    {"kind": "picture", "picture": "timeline"},
    {"kind": "picture", "picture": "stack", "of": ["decode_bytes"]},
    {"kind": "number", "figure": "decode_share"},
]
REQUEST = {"state": {"prompt": "4000"}, "parts": PARTS, "say": ["ttft"], "moving": True}

reply = json.loads(lessoncore.respond(json.dumps(REQUEST)))
assert "error" not in reply, reply["error"]
assert all(part["html"] for part in reply["parts"]), reply
