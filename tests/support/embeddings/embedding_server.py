"""A real HTTP server on a free port that responds like OpenAI's embeddings API, or fails as a test defines."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

import pytest

DIMENSIONS = 4


@dataclass(frozen=True)
class Request:
    path: str
    authorization: str | None
    body: dict[str, object]

    @property
    def inputs(self) -> list[str]:
        inputs = self.body["input"]
        assert isinstance(inputs, list)
        return inputs


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)


def vector_of(text: str) -> list[float]:
    """Return a vector that is far from unit length and depends on the length of the text."""
    return [3.0, 4.0, float(len(text)), 0.0]


def good_answer(request: Request) -> Answer:
    return embeddings([vector_of(text) for text in request.inputs])


def embeddings(vectors: list[list[float]], order: list[int] | None = None) -> Answer:
    """Return a response with these vectors, optionally listed in another order."""
    items = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    listed = [items[index] for index in order] if order else items
    return Answer(body=json.dumps({"object": "list", "data": listed}).encode())


class EmbeddingServer:
    """A server that records `requests`. It sends the responses queued in `first`, and then the results of `behave`."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.connections = 0
        self.first: list[Answer] = []
        self.behave: Callable[[Request], Answer] = good_answer
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> EmbeddingServer:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 10

            def setup(self) -> None:
                super().setup()
                outer.connections += 1

            def handle(self) -> None:
                # It is no fault of the server when a client gives up.
                with suppress(ConnectionError):
                    super().handle()

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                request = Request(self.path, self.headers["Authorization"], body)
                outer.requests.append(request)
                answer = outer.first.pop(0) if outer.first else outer.behave(request)
                self.send_response(answer.status)
                for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
                """Keep the output of the tests clean."""

        return Handler


@contextmanager
def embedding_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    """Yield a running server. Requests to it bypass any proxy in the environment."""
    for variable in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(variable, raising=False)
        monkeypatch.delenv(variable.lower(), raising=False)
    with EmbeddingServer() as running:
        yield running
