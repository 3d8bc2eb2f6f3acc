"""Memory of the whole application, and latency of /health, while 32 clients send the largest and densest bodies.

`.venv/bin/python benchmarks/dense_json.py` starts two web processes, the job process and PostgreSQL on a separate data
folder. It sends each kind of body for some seconds and prints the peak memory during this time; memory that processes
share is counted once. The exit code is 1 if the highest peak exceeds the promise of docs/security.md.
"""

from __future__ import annotations

import argparse
import json
import re
import socket
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.memory_usage import memory_of
from tests.support.live_server import LiveServer, live_server

PROMISED_MB = 900
CLIENTS = 32
LARGE_BYTES = 24_000_000
"""The size of a body just within the limit."""

CHUNK_BYTES = 65_536
ANSWER_SECONDS = 120.0
HEALTH_PAUSE_SECONDS = 0.1
SAMPLE_PAUSE_SECONDS = 0.1
GET_TOKENS = """
from oauthserver.models import User
from tests.support.factories import make_access_token
user = User.objects.get()
print(make_access_token(user))
"""
EMOJI = "\N{GRINNING FACE}"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of attack: the body that the clients send repeatedly."""

    name: str
    body: bytes
    path: str = "/mcp"
    has_token: bool = True
    is_chunked: bool = False
    content_type: str = "application/json"
    accept: str = "application/json"


@dataclass(slots=True)
class Seen:
    """The measurements of one kind of attack."""

    peak_mb: float = 0.0
    health_seconds: list[float] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        health = [1000 * seconds for seconds in self.health_seconds] or [float("nan")]
        told = ", ".join(f"{count} x {answer}" for answer, count in self.answers.most_common())
        return (
            f"peak {self.peak_mb:.0f} MB; /health p50 {statistics.median(health):.0f} ms, "
            f"at most {max(health):.0f} ms; {told}"
        )


def call(arguments: str, tool: str = "remember_batch", meta: str = "{}") -> bytes:
    """Build a tools/call message. `arguments` is inserted as raw JSON."""
    return (
        f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{meta},'
        f'"name":"{tool}","arguments":{arguments}}}}}'
    ).encode()


def filled(unit: str, size: int = LARGE_BYTES) -> str:
    """Repeat `unit` as often as it fits into `size` bytes."""
    return unit * (size // len(unit.encode()))


def texts(count: int, text: Callable[[int], str], *, ascii_only: bool = False) -> bytes:
    """Build a remember_batch call with `count` different texts."""
    items = [{"text": text(number)} for number in range(count)]
    return call(json.dumps({"items": items, "dedup_policy": "insert"}, ensure_ascii=ascii_only))


def words(number: int, characters: int = 16_000) -> str:
    """Return a text that is unique to `number`."""
    return (f"Fact {number} at {time.monotonic_ns()}: " + "the quick brown fox, 'jumps' [over] it; " * 400)[:characters]


def kinds(message_path: str) -> Iterator[Kind]:
    """Yield the worst bodies. Valid calls come first, so that all models are loaded."""
    yield Kind("full batches of texts", texts(200, words))
    emoji = texts(200, lambda number: f"{number} {time.monotonic_ns()} " + EMOJI * 15_950)
    yield Kind("full batches of emoji", emoji)
    escaped = texts(200, lambda number: f"{number} {time.monotonic_ns()} " + "\u0436" * 15_950, ascii_only=True)
    yield Kind("full batches of escaped letters", escaped)
    told = call(json.dumps({"items": [{"text": words(n)} for n in range(200)]}), meta='{"progressToken":1}')
    yield Kind("full batches with progress", told, accept="application/json, text/event-stream")
    dense = f"[{filled('[],')}[]]"
    yield Kind("36 MB of empty arrays", call(f'{{"items":[{filled("[],", 36_000_000)}[]]}}'))
    yield Kind("36 MB of empty arrays, chunked", call(f'{{"items":[{filled("[],", 36_000_000)}[]]}}'), is_chunked=True)
    yield Kind("empty arrays", call(f'{{"items":{dense}}}'))
    yield Kind("empty arrays, chunked", call(f'{{"items":{dense}}}'), is_chunked=True)
    yield Kind("empty arrays, no token", call(f'{{"items":{dense}}}'), has_token=False)
    yield Kind("empty arrays, no token, chunked", call(f'{{"items":{dense}}}'), has_token=False, is_chunked=True)
    yield Kind("empty arrays, over SSE", call(f'{{"items":{dense}}}'), path=message_path)
    yield Kind("empty arrays, REST", f'{{"items":{dense}}}'.encode(), path="/tools/remember_batch")
    yield Kind("empty arrays, REST ping", f'{{"message":{dense}}}'.encode(), path="/tools/ping")
    yield Kind("empty arrays, before the method", b'{"a":' + dense.encode() + b',"method":"ping","id":1}')
    yield Kind("objects", call(f'{{"items":[{filled(chr(123) + chr(34) + "a" + chr(34) + ":0},")}0]}}'))
    many = ",".join(f'"{number:x}":0' for number in range(LARGE_BYTES // 12))
    yield Kind("many keys", call(f'{{"items":[{{{many}}}]}}'))
    yield Kind("deep", call(filled("[")))
    yield Kind("deep objects", call(filled('{"a":')))
    yield Kind("a long text", call(f'{{"text":"{filled("a")}"}}', "remember"))
    yield Kind("a long text with one emoji", call(f'{{"text":"{filled("a")}{EMOJI}"}}', "remember"))
    yield Kind(
        "long texts with an emoji", call(f'{{"items":[{filled(chr(34) + "a" * 190_000 + EMOJI + chr(34) + ",")}0]}}')
    )
    yield Kind("quotes and backslashes", call(f'{{"text":"{filled(chr(92) + chr(34) + chr(92) * 2)}"}}', "remember"))
    yield Kind("empty texts", call(f'{{"items":[{filled(chr(34) * 2 + ",")}0]}}'))
    yield Kind("a wide batch", b"[" + filled("{},").encode() + b"{}]")
    yield Kind("a batch of pings", b"[" + filled('{"jsonrpc":"2.0","id":1,"method":"ping"},').encode() + b"{}]")
    yield Kind("one long number", call(f'{{"items":[{filled("1")}]}}'))
    yield Kind("many numbers", call(f'{{"items":[{filled("1e99,")}0]}}'))
    yield Kind("not closed", call(f'{{"text":"{filled("a")}')[:-4])
    yield Kind("blanks", filled(" ").encode() + b"1")
    yield Kind("small and dense", call(f'{{"items":[{filled("[],", 250_000)}0]}}'))
    yield Kind("registration", f'{{"client_name":{dense}}}'.encode(), path="/oauth/register", has_token=False)
    form = filled("a=b&").encode()
    form_type = "application/x-www-form-urlencoded"
    yield Kind("token form", form, path="/oauth/token", has_token=False, content_type=form_type)
    yield Kind("token form, chunked", form, "/oauth/token", has_token=False, is_chunked=True, content_type=form_type)
    yield Kind("login form, chunked", form, "/login/", has_token=False, is_chunked=True, content_type=form_type)
    yield Kind("admin form, chunked", form, "/admin/login/", has_token=False, is_chunked=True, content_type=form_type)


class Client:
    """An attacker that sends one body repeatedly until its time is over, each time on a new connection."""

    def __init__(self, port: int, token: str, kind: Kind, answers: Counter[str]) -> None:
        self._port = port
        self._kind = kind
        self._answers = answers
        self._head = self._made_head(token)

    def run(self, until: float) -> None:
        """Send requests and read responses until the monotonic clock reaches `until`."""
        while time.monotonic() < until:
            self._answers[self._send()] += 1

    def _made_head(self, token: str) -> bytes:
        kind = self._kind
        framing = "Transfer-Encoding: chunked" if kind.is_chunked else f"Content-Length: {len(kind.body)}"
        authorization = f"Authorization: Bearer {token}\r\n" if kind.has_token else ""
        return (
            f"POST {kind.path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n{authorization}{framing}\r\n"
            f"Content-Type: {kind.content_type}\r\nAccept: {kind.accept}\r\nConnection: close\r\n\r\n"
        ).encode()

    def _send(self) -> str:
        """Send the request. Return the status of the response, or what happened instead."""
        try:
            with socket.create_connection(("127.0.0.1", self._port), ANSWER_SECONDS) as connection:
                with suppress(ConnectionError):
                    connection.sendall(self._head)
                    self._send_body(connection)
                return self._read_status(connection)
        except TimeoutError:
            return "no answer"
        except OSError as error:
            return type(error).__name__

    def _send_body(self, connection: socket.socket) -> None:
        body = memoryview(self._kind.body)
        if not self._kind.is_chunked:
            connection.sendall(body)
            return
        for start in range(0, len(body), CHUNK_BYTES):
            part = body[start : start + CHUNK_BYTES]
            connection.sendall(b"%x\r\n%b\r\n" % (len(part), bytes(part)))
        connection.sendall(b"0\r\n\r\n")

    def _read_status(self, connection: socket.socket) -> str:
        answer = b""
        while part := connection.recv(CHUNK_BYTES):
            # Only the beginning, with the status, is kept. The rest is read and discarded.
            answer = answer or part[:100]
        return answer.split(b"\r\n")[0].decode()[9:12] or "closed"


@contextmanager
def watching(server: LiveServer, seen: Seen) -> Iterator[None]:
    """Record the memory of the application and the time of /health for the duration of the block."""
    is_over = threading.Event()

    def watch_memory() -> None:
        while not is_over.wait(SAMPLE_PAUSE_SECONDS):
            seen.peak_mb = max(seen.peak_mb, memory_mb(server))

    def watch_health() -> None:
        while not is_over.wait(HEALTH_PAUSE_SECONDS):
            seen.health_seconds.append(health_seconds(server.port))

    threads = [threading.Thread(target=watch) for watch in (watch_memory, watch_health)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def memory_mb(server: LiveServer) -> float:
    """Return the memory of all processes of the application, in MB."""
    main = psutil.Process(server.process.pid)
    taken = 0
    for process in [main, *main.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):
            taken += memory_of(process)
    return taken / 1e6


def health_seconds(port: int) -> float:
    """Return how long /health takes; infinite if it does not respond with 200."""
    began = time.perf_counter()
    try:
        with socket.create_connection(("127.0.0.1", port), ANSWER_SECONDS) as connection:
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            is_answered = connection.recv(CHUNK_BYTES).startswith(b"HTTP/1.1 200")
    except OSError:
        is_answered = False
    return time.perf_counter() - began if is_answered else float("inf")


@contextmanager
def sse_session(port: int, token: str) -> Iterator[str]:
    """Open a session of the old SSE transport and keep reading its stream. Yield the path for its messages."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        head = f"GET /mcp/sse HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"
        connection.sendall(head.encode())
        told = b""
        while (found := re.search(rb"data: (\S*session_id=\S+)", told)) is None:
            told += connection.recv(CHUNK_BYTES)

        def read_on() -> None:
            with suppress(OSError):
                while connection.recv(CHUNK_BYTES):
                    pass

        threading.Thread(target=read_on, daemon=True).start()
        yield found[1].decode()


def attack(server: LiveServer, token: str, kind: Kind, clients: int, seconds: float) -> Seen:
    """Measure the application while `clients` send bodies of one kind."""
    seen = Seen()
    until = time.monotonic() + seconds
    senders = [
        threading.Thread(target=Client(server.port, token, kind, seen.answers).run, args=(until,))
        for _ in range(clients)
    ]
    with watching(server, seen):
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()
    return seen


def main() -> None:
    """Run all kinds of attack, and print the measurements of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--seconds", type=float, default=5.0, help="how long each kind is sent")
    parser.add_argument("--only", default="", help="a regular expression for the names of the kinds to send")
    arguments = parser.parse_args()
    settings: Mapping[str, Any] = {
        "WEB_CONCURRENCY": "2",
        "MCP_RATE_LIMIT_PER_MINUTE": "0",
        "EMBEDDING_PROVIDER": "local",
    }
    with live_server(None, **settings) as server:
        token = server.run(GET_TOKENS).strip()
        print(f"at the start: {memory_mb(server):.0f} MB", flush=True)
        peak_mb = 0.0
        with sse_session(server.port, token) as message_path:
            for kind in kinds(message_path):
                if re.search(arguments.only, kind.name):
                    seen = attack(server, token, kind, arguments.clients, arguments.seconds)
                    peak_mb = max(peak_mb, seen.peak_mb)
                    print(f"{kind.name}: {seen}", flush=True)
        time.sleep(5)
        print(f"5 s after the end: {memory_mb(server):.0f} MB", flush=True)
        assert health_seconds(server.port) < ANSWER_SECONDS
    print(f"the highest peak: {peak_mb:.0f} MB; promised: {PROMISED_MB} MB")
    sys.exit(peak_mb > PROMISED_MB)


if __name__ == "__main__":
    main()
