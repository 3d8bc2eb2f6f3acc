"""A web site on this machine, with pages that tests set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

Responder = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class WebSite:
    """A server at `origin`. Pages that were not set have the status 404. `requests` has all paths and headers."""

    origin: str
    responders: dict[str, Responder] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def url(self, path: str) -> str:
        """Return the URL of a path."""
        return f"{self.origin}{path}"

    def page(self, path: str, content: bytes | str = b"", status: int = 200, **headers: str) -> str:
        """Set the response at `path` and return its URL. Underscores in the names of headers stand for hyphens.

        With an ETag or Last-Modified, conditional requests are answered with 304.
        """
        data = content.encode() if isinstance(content, str) else content
        sent = {name.replace("_", "-"): value for name, value in headers.items()}

        def respond(request: BaseHTTPRequestHandler) -> None:
            is_same = (
                ("etag" in sent and request.headers.get("If-None-Match") == sent["etag"])
                or ("last-modified" in sent and request.headers.get("If-Modified-Since") == sent["last-modified"])
            )  # fmt: skip
            request.send_response(304 if is_same else status)
            for name, value in {"content-type": "text/html", **sent}.items():
                request.send_header(name, value)
            request.send_header("Content-Length", "0" if is_same else str(len(data)))
            request.end_headers()
            request.wfile.write(b"" if is_same else data)

        self.responders[path] = respond
        return self.url(path)

    def paths(self) -> list[str]:
        """Return the requested paths without robots.txt, and forget them."""
        found = [path for path, _ in self.requests if path != "/robots.txt"]
        self.requests.clear()
        return found


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        """Ignore clients that hang up, which the tests do on purpose."""


@contextmanager
def web_site(address: str = "127.0.0.1") -> Iterator[WebSite]:
    """Yield the running server."""
    sites: list[WebSite] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sites[0].requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            responder = sites[0].responders.get(self.path)
            if responder:
                responder(self)
            else:
                self.send_error(404)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    listener = _QuietServer((address, 0), Handler)
    sites.append(WebSite(f"http://{address}:{listener.server_port}"))
    Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield sites[0]
    finally:
        listener.shutdown()
        listener.server_close()
