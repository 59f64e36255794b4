"""Serve the site with live reload: a save of a page, of lessoncore or of an asset shows in the open browser.

`PORT=8001 python build/serve.py`. A mistake in a page is printed and shown in the browser over the last good page.
"""

import contextlib
import errno
import html
import logging
import mimetypes
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable
from socket import socket
from typing import Any
from urllib.parse import urlsplit

from mkdocs.livereload import LiveReloadServer

from make_site import CONFIG, EDITED, BuildFailed, build_site, is_built, site_url
from paths import SITE
from stamps import files_below

HOST = "127.0.0.1"
DEFAULT_PORT = 8000
LOOK_EVERY = 0.2  # seconds; a look is a stat of some hundred files
QUIET_FOR = 0.1  # an editor writes a file in several steps

ERROR_STYLE = (
    "position:fixed;inset:auto 0 0 0;z-index:99999;margin:0;max-height:60vh;overflow:auto;padding:1rem;"
    "background:#3b0d0c;color:#fff;font:13px/1.5 monospace;white-space:pre-wrap"
)


class PreviewServer(LiveReloadServer):
    """MkDocs' live-reload server over site/, with our own builder, which never leaves a page half-built."""

    def __init__(self, port: int, url: str) -> None:
        super().__init__(lambda: None, HOST, port, str(SITE), urlsplit(url).path)
        self.site_url = url
        self.mistake = ""
        self.replacing = threading.Lock()  # held while site/ is not there: between the old one and the new
        self.error_handler = self.error_page
        self._watched_paths = {str(path): 1 for path in EDITED}  # not empty: pages get the reloading script

    def claim_port(self) -> None:
        self.server_bind()
        self.server_activate()

    def rebuild(self) -> None:
        start = time.perf_counter()
        try:
            build_site(self.site_url, self.replacing)
            self.mistake = ""
            print(f"built in {time.perf_counter() - start:.1f} s", flush=True)
        except BuildFailed as error:
            self.mistake = str(error)
            print(
                f"\n{self.mistake}\nThe last good site is still served; the next save builds again.\n",
                flush=True,
            )

    def reload_browsers(self) -> None:
        with self._epoch_cond:
            self._wanted_epoch = self._visible_epoch = round(time.monotonic() * 1000)
            self._epoch_cond.notify_all()

    def watch_and_rebuild(self) -> None:
        """Until interrupted: when a source changes, build once nothing changes any more."""
        built = state_of_sources()
        while True:
            time.sleep(LOOK_EVERY)
            now = state_of_sources()
            if now == built:
                continue
            while (later := state_of_sources_after(QUIET_FOR)) != now:
                now = later
            built = now
            self.rebuild()
            self.reload_browsers()

    def _serve_request(self, environ: Any, start_response: Any) -> Iterable[bytes] | None:
        if environ["PATH_INFO"].startswith("/livereload/"):  # waits for the next build: may not hold it up
            return super()._serve_request(environ, start_response)
        with self.replacing:
            return super()._serve_request(environ, start_response)

    def _inject_js_into_html(self, content: bytes, epoch: int) -> bytes:
        page: bytes = super()._inject_js_into_html(content, epoch)  # type: ignore[no-untyped-call]
        if self.mistake:
            note = f'<pre role="alert" style="{ERROR_STYLE}">{html.escape(self.mistake)}</pre>'
            page = page.replace(b"</body>", note.encode() + b"</body>", 1)
        return page

    def error_page(self, code: int) -> bytes | None:
        page = SITE / f"{code}.html"
        content = page.read_bytes() if page.is_file() else b"<body><p>There is no such page.</p></body>"
        return self._inject_js_into_html(content, self._visible_epoch)

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # a browser that leaves a page hangs up: no news
            super().handle_error(request, client_address)


def state_of_sources() -> list[tuple[str, int, int]]:
    state = []
    for file in files_below((*EDITED, CONFIG)):
        with contextlib.suppress(FileNotFoundError):  # an editor's swap file, gone since it was listed
            now = file.stat()
            state.append((str(file), now.st_mtime_ns, now.st_size))
    return state


def state_of_sources_after(seconds: float) -> list[tuple[str, int, int]]:
    time.sleep(seconds)
    return state_of_sources()


def port_from_environment() -> int:
    text = os.environ.get("PORT") or str(DEFAULT_PORT)
    if not text.isdecimal() or not 0 < int(text) < 65536:
        sys.exit(f"PORT={text} is not a port: give a number from 1 to 65535, for example `make serve PORT=8001`.")
    return int(text)


def port_problem(error: OSError, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is in use by another program: choose another, for example `make serve PORT={port + 1}`."
    return f"Port {port} cannot be used ({error.strerror}): choose another one, for example `make serve PORT=8001`."


def prepare_logging() -> None:
    logging.getLogger("mkdocs").addHandler(logging.NullHandler())
    # What the server says about requests must not count as a warning of a strict build that runs meanwhile
    logging.getLogger("mkdocs.livereload").propagate = False
    mimetypes.add_type("application/wasm", ".wasm")


def main() -> None:
    os.environ.setdefault("REFERENCE", "false")
    port = port_from_environment()
    prepare_logging()
    url = f"http://{HOST}:{port}{urlsplit(site_url()).path}"
    server = PreviewServer(port, url)
    try:
        server.claim_port()
    except OSError as error:
        sys.exit(port_problem(error, port))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if not is_built(url):
            print("building the site …", flush=True)
            server.rebuild()
        server.serve_thread.start()
        print(f"Serving on {url} (Ctrl-C ends it)", flush=True)
        server.watch_and_rebuild()
    except KeyboardInterrupt:
        print("\nstopped")
    finally:
        server.shutdown()


if __name__ == "__main__":
    main()
