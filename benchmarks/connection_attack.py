"""An attack with connections that only occupy resources: idle ones, slow headers, and bodies that never end.

It runs in a separate process. Its number of connections, rate and duration are limited, and it only uses the loopback
addresses of this machine.
"""

from __future__ import annotations

import multiprocessing
import random
import resource
import selectors
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from multiprocessing.connection import Connection

CONNECT_LIMIT_SECONDS = 60.0
LONGEST_SECONDS = 600.0
OPENED_AT_ONCE = 50


class Kind(Enum):
    """The way in which a connection stays open."""

    IDLE = "idle"
    DRIPPING = "dripping"
    HALF_SENT = "half-sent"


@dataclass(frozen=True, slots=True)
class Attack:
    """The parameters of an attack: connections of each kind, source addresses, and connections reopened per second."""

    port: int
    idle: int = 5_000
    dripping: int = 1_500
    half_sent: int = 500
    addresses: int = 1
    reopened_per_second: int = 300

    @property
    def kinds(self) -> list[Kind]:
        """The kind of each connection, in a shuffled but reproducible order."""
        kinds = [Kind.IDLE] * self.idle + [Kind.DRIPPING] * self.dripping + [Kind.HALF_SENT] * self.half_sent
        random.Random(1).shuffle(kinds)
        return kinds


@dataclass(frozen=True, slots=True)
class Report:
    """The result of an attack: the connections that are still open, and those that the server closed."""

    is_open: int
    was_closed: int


class Attacker:
    """A process that waits for attacks and runs them. Create it before lowering the limit on open files."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_wait_and_attack, args=(theirs,), daemon=True)
        self._process.start()

    @contextmanager
    def attacking(self, attack: Attack) -> Iterator[None]:
        """Open all connections, and hold them open for the duration of the block."""
        self._pipe.send(attack)
        self._pipe.recv()
        yield
        self._pipe.send(None)

    def report(self) -> Report:
        """Return the report on the attack that has ended."""
        report: Report = self._pipe.recv()
        return report


def _wait_and_attack(pipe: Connection) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with suppress(EOFError):
        while True:
            _Front(pipe.recv()).hold(pipe)


class _Front:
    """The connections of one attack."""

    def __init__(self, attack: Attack) -> None:
        self._attack = attack
        self._selector = selectors.DefaultSelector()
        self._open: dict[socket.socket, Kind] = {}
        self._closed: list[Kind] = []
        self._was_closed = 0
        self._opened = 0

    def hold(self, pipe: Connection) -> None:
        """Open all connections, report that through the pipe, and hold them until a message or the time limit."""
        for number, kind in enumerate(self._attack.kinds):
            self._begin(kind)
            if number % OPENED_AT_ONCE == 0:
                self._look(0.01)
        pipe.send("open")
        end = time.monotonic() + LONGEST_SECONDS
        while not pipe.poll() and time.monotonic() < end:
            began = time.monotonic()
            self._drip()
            self._open_again()
            self._look(max(0.0, began + 1 - time.monotonic()))
        pipe.recv()
        is_open = len(self._open)
        for each in list(self._open):
            each.close()
        pipe.send(Report(is_open, self._was_closed))

    def _begin(self, kind: Kind) -> None:
        self._opened += 1
        address = f"127.0.0.{1 + self._opened % self._attack.addresses}"
        client = socket.socket()
        client.settimeout(CONNECT_LIMIT_SECONDS)
        try:
            client.bind((address, 0))
            client.connect(("127.0.0.1", self._attack.port))
            client.sendall(_beginning(kind))
        except OSError:
            client.close()
            self._lose(kind)
            return
        client.setblocking(False)
        self._open[client] = kind
        self._selector.register(client, selectors.EVENT_READ)

    def _lose(self, kind: Kind) -> None:
        self._was_closed += 1
        self._closed.append(kind)

    def _drop(self, client: socket.socket) -> None:
        self._selector.unregister(client)
        self._lose(self._open.pop(client))
        client.close()

    def _look(self, seconds: float) -> None:
        """Detect for `seconds` which connections the server closes."""
        end = time.monotonic() + seconds
        while True:
            for key, _ in self._selector.select(max(0.0, end - time.monotonic())):
                client = key.fileobj
                assert isinstance(client, socket.socket)
                try:
                    is_closed = not client.recv(4096)
                except OSError:
                    is_closed = True
                if is_closed:
                    self._drop(client)
            if time.monotonic() >= end:
                return

    def _drip(self) -> None:
        for client, kind in list(self._open.items()):
            if kind is not Kind.IDLE:
                try:
                    client.send(b"x")
                except OSError:
                    self._drop(client)

    def _open_again(self) -> None:
        again, self._closed = (
            self._closed[: self._attack.reopened_per_second],
            self._closed[self._attack.reopened_per_second :],
        )
        for kind in again:
            self._begin(kind)


def _beginning(kind: Kind) -> bytes:
    if kind is Kind.IDLE:
        return b""
    if kind is Kind.DRIPPING:
        return b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
    return b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"
