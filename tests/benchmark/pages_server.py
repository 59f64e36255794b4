"""A web server like GitHub Pages: folders under sub-paths, gzip, ETag, ten minutes in the browser's cache.

Everything is read and compressed before the first request, so that no measurement waits for this server.
"""

import gzip
import mimetypes
import threading
from dataclasses import dataclass
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

COMPRESSED = {"text/html", "text/css", "text/javascript", "application/json", "image/svg+xml", "application/wasm"}
TYPES = {".wasm": "application/wasm", ".js": "text/javascript", ".json": "application/json"}


@dataclass(frozen=True)
class Sent:
    """A file as it is served: how long it is, and what goes over the wire."""

    path: str
    kind: str
    raw: int
    body: bytes
    compressed: bool

    @property
    def tag(self) -> str:
        return f'"{sha256(self.body).hexdigest()[:16]}"'


class PagesServer(ThreadingHTTPServer):
    """``asked`` holds the files that were sent whole, in order; a 304 is not among them."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, Sent] = {}
        self.asked: list[Sent] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def mount(self, folder: Path, prefix: str) -> None:
        """Serve a folder under a path such as ``/repo/``."""
        for file in folder.rglob("*"):
            if file.is_file():
                path = prefix + file.relative_to(folder).as_posix()
                self.files[path] = sent(path, file.read_bytes())

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that leaves a page hangs up: no news."""


def sent(path: str, data: bytes) -> Sent:
    suffix = Path(path).suffix
    kind = TYPES.get(suffix) or mimetypes.types_map.get(suffix) or "application/octet-stream"
    compressed = kind in COMPRESSED
    return Sent(path, kind, len(data), gzip.compress(data, 6) if compressed else data, compressed)


class _Handler(BaseHTTPRequestHandler):
    server: PagesServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *words: object) -> None:
        pass

    def do_GET(self) -> None:
        file = self.server.files.get(urlsplit(self.path).path)
        if file is None:
            return self._answer(404, b"")
        headers = {"ETag": file.tag, "Cache-Control": "max-age=600"}
        if self.headers.get("If-None-Match") == file.tag:
            return self._answer(304, b"", headers)
        self.server.asked.append(file)
        headers["Content-Type"] = file.kind
        if file.compressed:  # every browser says that it takes gzip
            headers["Content-Encoding"] = "gzip"
        return self._answer(200, file.body, headers)

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
