"""A web server on this machine that records the requests it gets."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from django.db import connections


@dataclass
class Received:
    """A request as the server got it."""

    method: str
    path: str
    headers: dict[str, str]
    body: str


@dataclass
class LocalServer:
    """The server's address, what it received, and what it responds by path: status, headers, body."""

    origin: str
    received: list[Received] = field(default_factory=list)
    responses: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    _waiting: dict[str, Callable[[], bytes]] = field(default_factory=dict)
    _closing: threading.Event = field(default_factory=threading.Event)

    def respond(self, path: str, value: Any, status: int = 200, **headers: str) -> None:
        """Respond to requests of `path` with bytes as they are, or a JSON value."""
        content = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.responses[path] = (status, {name.replace("_", "-"): given for name, given in headers.items()}, content)

    def respond_in_test(self, path: str, work: Callable[[], bytes]) -> None:
        """Respond with what `work` returns, which runs while the caller waits."""
        self._waiting[path] = work

    def wait_until_closed(self) -> bytes:
        """Return when the test is over."""
        self._closing.wait(60)
        return b""

    def close(self) -> None:
        """Let the requests that wait end."""
        self._closing.set()

    def content_of(self, path: str) -> tuple[int, dict[str, str], bytes] | None:
        """Return the response of a path; None if none was set."""
        work = self._waiting.get(path)
        if work is None:
            return self.responses.get(path)
        try:
            return 200, {}, work()
        finally:
            connections.close_all()


@contextmanager
def local_server() -> Iterator[LocalServer]:
    """Run a server in a thread."""

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            known.received.append(Received(self.command, self.path, dict(self.headers.items()), body))
            default: tuple[int, dict[str, str], bytes] = (
                200,
                {},
                json.dumps({"path": self.path, "authorization": self.headers["Authorization"]}).encode(),
            )
            status, headers, content = known.content_of(self.path.partition("?")[0]) or default
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any  # noqa: N815 - the names that http.server looks for

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    known = LocalServer(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield known
    finally:
        known.close()
        server.shutdown()
        server.server_close()
        thread.join()
