"""Files as classic scripts: from file:// a browser fetches nothing, but it does run `<script src>`.

Each pack is one call, `__lcPack("name", "base64 of gzip")`; the worker's own source is base64 alone, so that the page
can start it without unpacking anything.
"""

import base64
import gzip

from paths import CACHE
from stamps import digest


def pack(name: str, data: bytes) -> bytes:
    """For files that hardly change: packed as small as can be, once."""
    kept = CACHE / f"pack-{digest(name.encode(), data)}.js"
    if not kept.is_file():
        CACHE.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(script(name, gzip.compress(data, 9, mtime=0)))
    return kept.read_bytes()


def pack_compressed(name: str, data: bytes) -> bytes:
    """For a zip, compressed already and made anew at every save: in gzip only because the worker unpacks that."""
    return script(name, gzip.compress(data, 1, mtime=0))


def script(name: str, data: bytes) -> bytes:
    return f'__lcPack("{name}","{base64.b64encode(data).decode()}");\n'.encode("ascii")
