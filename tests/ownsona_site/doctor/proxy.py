"""A reverse proxy in front of a server, with common configuration mistakes."""

from __future__ import annotations

import http.client
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FORWARD_LIMIT_SECONDS = 30


@dataclass
class Sent:
    """A request on its way to the server. Header names are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Received:
    """A response on its way back."""

    status: int
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""

    def drop(self, name: str) -> None:
        """Remove a header."""
        self.headers = [(each, value) for each, value in self.headers if each.lower() != name]


def nothing_before(sent: Sent) -> Received | None:
    return None


def nothing_after(sent: Sent, received: Received) -> None:
    return None


@dataclass(frozen=True)
class Mistake:
    """A change that a proxy makes to requests and to responses. It may also respond in place of the server."""

    before: Callable[[Sent], Received | None] = nothing_before
    after: Callable[[Sent, Received], None] = nothing_after


NO_MISTAKE = Mistake()


class Proxy(ThreadingHTTPServer):
    """A proxy for a port of this machine. `mistake` can be set at any time."""

    daemon_threads = True

    def __init__(self, upstream_port: int = 0) -> None:
        super().__init__(("127.0.0.1", 0), Forward)
        self.upstream_port = upstream_port
        self.mistake = NO_MISTAKE

    def handle_error(self, request: object, client_address: object) -> None:
        """Log nothing when clients hang up: some tests are about refused certificates."""

    @property
    def netloc(self) -> str:
        return f"127.0.0.1:{self.server_port}"


class Forward(BaseHTTPRequestHandler):
    """A connection of a client."""

    protocol_version = "HTTP/1.1"
    server: Proxy

    def forward(self) -> None:
        """Forward a request, and its response back."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        sent = Sent(self.command, self.path, headers, self.rfile.read(int(headers.get("content-length", "0"))))
        mistake = self.server.mistake
        received = mistake.before(sent) or self.ask_server(sent)
        mistake.after(sent, received)
        self.send_response_only(received.status)
        for name, value in received.headers:
            if name.lower() not in {"content-length", "connection", "transfer-encoding"}:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(received.body)))
        self.end_headers()
        self.wfile.write(received.body)

    do_GET = do_POST = do_PUT = do_DELETE = forward  # noqa: N815 - the names that the base class looks for

    def ask_server(self, sent: Sent) -> Received:
        """Return the server's own response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.upstream_port, timeout=FORWARD_LIMIT_SECONDS)
        try:
            connection.request(sent.method, sent.path, sent.body, sent.headers)
            answer = connection.getresponse()
            return Received(answer.status, answer.getheaders(), answer.read())
        finally:
            connection.close()

    def log_request(self, code: object = None, size: object = None) -> None:
        """Log nothing."""


@contextmanager
def running(proxy: Proxy, certificate: Path | None = None) -> Iterator[Proxy]:
    """Serve until the end of the block, over TLS if `certificate` names a file with a certificate and its key."""
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        # Each TLS handshake runs in the thread of its connection, so that an unfinished one does not block the others.
        proxy.socket = context.wrap_socket(proxy.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        proxy.server_close()
        thread.join()
