"""A load generator with little overhead: prepared requests over keep-alive sockets, one thread per client."""

from __future__ import annotations

import json
import socket
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Timing:
    """The figures of a run: milliseconds per request, and requests per second."""

    p50_ms: float
    p95_ms: float
    per_second: float
    requests: int


def timing_of(seconds: Sequence[float], wall_seconds: float) -> Timing:
    """Compute the figures from the durations of the requests and the duration of the whole run."""
    ordered = sorted(seconds)
    return Timing(
        p50_ms=round(statistics.median(ordered) * 1000, 3),
        p95_ms=round(ordered[int(len(ordered) * 0.95) - 1] * 1000, 3),
        per_second=round(len(ordered) / wall_seconds, 1),
        requests=len(ordered),
    )


class Connection:
    """A keep-alive connection to `/mcp`."""

    def __init__(self, port: int, token: str) -> None:
        self._address = ("127.0.0.1", port)
        self._head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\nContent-Length: "
        )
        self._socket = socket.create_connection(self._address)

    def call(self, tool: str, arguments: dict[str, Any]) -> bytes:
        """Call a tool and return the body of the response. Raises RuntimeError unless the tool succeeded."""
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        body = json.dumps(message).encode()
        request = f"{self._head}{len(body)}\r\n\r\n".encode() + body
        try:
            self._socket.sendall(request)
            answer = self._read_answer()
        except ConnectionError:
            # The server may close an idle or long-lived connection at any time: retry on a new one.
            self._socket = socket.create_connection(self._address)
            self._socket.sendall(request)
            answer = self._read_answer()
        if b'"isError":false' not in answer:
            raise RuntimeError(answer[:2000].decode())
        return answer

    def _read_answer(self) -> bytes:
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._receive()
        head, _, body = data.partition(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        while len(body) < length:
            body += self._receive()
        return body

    def _receive(self) -> bytes:
        chunk = self._socket.recv(262_144)
        if not chunk:
            raise ConnectionResetError("the server closed the connection")
        return chunk


def run_load(port: int, token: str, clients: int, seconds: float, call_number: Callable[[int], Call]) -> Timing:
    """Let `clients` call for `seconds`, each as fast as it gets responses. Raises the error of a client, if any."""
    numbers = count()
    durations: list[list[float]] = [[] for _ in range(clients)]
    errors: list[BaseException] = []
    start = threading.Barrier(clients + 1)

    def work(mine: list[float]) -> None:
        connection = Connection(port, token)
        start.wait()
        end = time.perf_counter() + seconds
        try:
            while (began := time.perf_counter()) < end:
                connection.call(*call_number(next(numbers)))
                mine.append(time.perf_counter() - began)
        except BaseException as error:  # noqa: BLE001 - handed to the caller, who waits for all
            errors.append(error)

    threads = [threading.Thread(target=work, args=(mine,)) for mine in durations]
    for thread in threads:
        thread.start()
    start.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return timing_of([duration for mine in durations for duration in mine], time.perf_counter() - began)
