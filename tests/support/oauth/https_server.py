"""An https server on this machine, with a certificate of its own, that poses as app.example."""

from __future__ import annotations

import datetime
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

from common.networking.outbound import NetworkPolicy

HOST = "app.example"
Responder = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class HttpsServer:
    """A server that responds with the result of `respond` and records the line and headers of `requests`."""

    network: NetworkPolicy
    respond: Responder
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def answer(self, content: bytes, status: int = 200, **headers: str) -> None:
        """Set the response to all further requests. Underscores in the names of headers stand for hyphens."""
        sent = {"content_type": "application/json", **headers}

        def respond(request: BaseHTTPRequestHandler) -> None:
            request.send_response(status)
            for name, value in {**sent, "content_length": str(len(content))}.items():
                request.send_header(name.replace("_", "-"), value)
            request.end_headers()
            request.wfile.write(content)

        self.respond = respond


def look_up_here(host: str) -> list[str]:
    """Resolve every name to this machine."""
    return ["127.0.0.1"]


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        """Ignore clients that hang up, which the tests do on purpose."""


@contextmanager
def https_server() -> Iterator[HttpsServer]:
    """Yield the running server, which has a network policy that resolves app.example to it."""
    with TemporaryDirectory() as folder:
        certificate = _certificate(Path(folder))
        state: list[HttpsServer] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                state[0].requests.append((self.requestline, headers))
                state[0].respond(self)

            def log_message(self, *_: object) -> None:
                """Log nothing."""

        listener = _QuietServer(("127.0.0.1", 0), Handler)
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(certificate)
        listener.socket = tls.wrap_socket(listener.socket, server_side=True, do_handshake_on_connect=False)
        network = NetworkPolicy(
            look_up=look_up_here,
            is_allowed=lambda address: True,
            port=listener.server_port,
            tls=ssl.create_default_context(cafile=str(certificate)),
        )
        server = HttpsServer(network, lambda request: None)
        server.answer(b"{}")
        state.append(server)
        thread = Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            listener.shutdown()
            listener.server_close()


def _certificate(folder: Path) -> Path:
    """Create a key and a self-signed certificate in one file."""
    key = generate_private_key(SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, HOST)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / "server.pem"
    path.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    return path
