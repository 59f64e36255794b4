"""A web server like GitHub Pages: the site under a sub-path and nothing beside it. Knows what was asked for."""

import mimetypes
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

mimetypes.add_type("application/wasm", ".wasm")
mimetypes.add_type("text/javascript", ".js")


class SiteServer(ThreadingHTTPServer):
    """Serves ``folder`` under ``prefix``; ``asked`` lists the paths in order. Paths that contain a word of ``blocked``
    give 404, those with a word of ``held`` wait until ``release`` is set.
    """

    daemon_threads = True

    def __init__(self, folder: Path, prefix: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.prefix = prefix
        self.asked: list[str] = []
        self.blocked: set[str] = set()
        self.held: set[str] = set()
        self.release = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """Address of the site's folder."""
        return f"http://127.0.0.1:{self.server_port}{self.prefix}"

    def close(self) -> None:
        """Stop serving and give the port back."""
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that leaves a page hangs up: no news."""


class _Handler(BaseHTTPRequestHandler):
    server: SiteServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *words: object) -> None:
        pass

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.server.asked.append(path)
        if any(word in path for word in self.server.held):
            self.server.release.wait(60)
        body = self._file(path)
        self.send_response(200 if body is not None else 404)
        if body is None and path.startswith(self.server.prefix) and path.endswith(".html"):
            body = self._file(f"{self.server.prefix}404.html")
        self.send_header("Content-Type", mimetypes.guess_type(path)[0] or "text/html")
        self.send_header("Content-Length", str(len(body or b"")))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body or b"")

    def _file(self, path: str) -> bytes | None:
        if not path.startswith(self.server.prefix) or any(word in path for word in self.server.blocked):
            return None
        file = self.server.folder / path.removeprefix(self.server.prefix)
        file = file / "index.html" if file.is_dir() else file
        return file.read_bytes() if file.is_file() else None
