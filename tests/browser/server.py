"""The built site on a server of its own, as a host of static files serves it."""

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

# What static hosts send; the table of the operating system is not asked, it differs between machines.
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".gz": "application/gzip",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".ipynb": "application/json",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".py": "text/x-python; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".whl": "application/octet-stream",
    ".woff2": "font/woff2",
    ".xml": "application/xml",
    ".zip": "application/zip",
}


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, site: Path, prefix: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.site, self.prefix = site, prefix
        self.asked: list[str] = []  # the paths under the prefix, in the order in which they were asked for
        self.held: dict[str, threading.Event] = {}  # by name: half is sent until the event is set

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}{self.prefix}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that closes a page drops its connections: no error."""


class Handler(SimpleHTTPRequestHandler):
    server: Server

    def __init__(self, request: Any, client_address: Any, server: Server) -> None:
        super().__init__(request, client_address, server, directory=str(server.site))

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if not path.startswith(self.server.prefix):
            self.missing()
            return
        path = path.removeprefix(self.server.prefix)
        self.server.asked.append(path)
        if not Path(self.translate_path("/" + path)).exists():
            self.missing()
            return
        self.path = "/" + path
        super().do_GET()

    def missing(self) -> None:
        """The site's own page for a missing one, as GitHub Pages has it."""
        page = (self.server.site / "404.html").read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", TYPES[".html"])
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def send_header(self, keyword: str, value: str) -> None:
        if keyword == "Location" and value.startswith("/"):  # to a folder's address with its slash
            value = self.server.prefix + value.lstrip("/")
        super().send_header(keyword, value)

    def copyfile(self, source: Any, outputfile: Any) -> None:
        if (event := self.server.held.get(Path(self.path).name)) is not None:
            outputfile.write(source.read(os.fstat(source.fileno()).st_size // 2))
            outputfile.flush()
            event.wait()
        shutil.copyfileobj(source, outputfile)

    def guess_type(self, path: Any) -> str:
        return TYPES.get(Path(path).suffix, "application/octet-stream")

    def log_message(self, *args: Any) -> None:
        """Nobody reads a log of requests here."""


@contextmanager
def serving(site: Path, prefix: str) -> Iterator[Server]:
    """Serve a site under a prefix of its addresses, one that begins and ends with a slash."""
    with Server(site, prefix) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
