"""Acceptor of connections: in small batches, within the limits, and without a log line for each failure."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Callable
from contextlib import suppress

from django.conf import settings

from common.networking.addresses import network_of, parse_address
from ownsona_site.web.tcp.counted_log import CountedLog
from ownsona_site.web.tcp.even_shares import EvenShares
from ownsona_site.web.tcp.limits import BACKLOG
from ownsona_site.web.tcp.protocol import HttpConnection
from ownsona_site.web.tcp.table import ConnectionTable
from ownsona_site.web.trusted_proxies import is_within

BATCH = 32
"""Number of connections that are accepted before the event loop runs other tasks."""

YIELD_SECONDS = 0.001
"""Time that a process waits before it accepts a connection, if another process has fewer connections."""

PAUSE_SECONDS = 0.5
"""Pause in accepting after an error, such as a lack of file descriptors."""

OUT_OF_RESOURCES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nRetry-After: 10\r\nConnection: close\r\n"
    b"Content-Length: 50\r\n\r\nToo many connections are open. Try again shortly.\n"
)


class Acceptor:
    """Accepts connections from a listening socket, from `start` to `close`. Replaces an asyncio.Server."""

    def __init__(
        self,
        listener: socket.socket,
        table: ConnectionTable,
        shares: EvenShares,
        new_connection: Callable[[], HttpConnection],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._listener = listener
        self._table = table
        self._shares = shares
        self._new_connection = new_connection
        self._log = CountedLog(logging.getLogger(__name__))
        self._beginning: set[asyncio.Task[object]] = set()
        self._resuming: asyncio.TimerHandle | None = None
        self._is_closed = False
        self._told_closed = 0

    def start(self) -> None:
        """Start to accept connections."""
        self._listener.setblocking(False)
        self._listener.listen(BACKLOG)
        self._resume()

    def close(self) -> None:
        """Stop accepting. Connections continue, and the socket stays open for other processes that listen on it."""
        self._is_closed = True
        self._shares.leave()
        self._loop.remove_reader(self._listener.fileno())
        if self._resuming is not None:
            self._resuming.cancel()

    async def wait_closed(self) -> None:
        """Return at once: `close` leaves nothing to wait for."""

    def tidy(self) -> None:
        """Close overdue connections, and log what happened since the last log line. Call it several times a second."""
        self._table.close_overdue()
        self._shares.publish(len(self._table))
        self._log.note("closed to make room for others", self._table.closed_for_room - self._told_closed)
        self._told_closed = self._table.closed_for_room
        self._log.flush()

    def _resume(self) -> None:
        self._resuming = None
        if not self._is_closed:
            self._loop.add_reader(self._listener.fileno(), self._accept)

    def _accept(self) -> None:
        for _ in range(BATCH):
            self._shares.publish(len(self._table))
            if self._shares.is_ahead():
                self._wait(YIELD_SECONDS, self._accept_after_yielding)
                return
            if not self._accept_one():
                return

    def _accept_after_yielding(self) -> None:
        """Accept a connection that no other process has accepted, in case they are all occupied."""
        self._resume()
        self._accept_one()

    def _accept_one(self) -> bool:
        try:
            accepted, address = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return False
        except OSError as error:
            self._pause(error)
            return False
        self._take(accepted, address[0])
        return True

    def _take(self, accepted: socket.socket, host: str) -> None:
        accepted.setblocking(False)
        connection = self._new_connection()
        if self._table.admit(connection, client_key(host)):
            task = self._loop.create_task(self._begin(connection, accepted))
            self._beginning.add(task)
            task.add_done_callback(self._beginning.discard)
            return
        with accepted, suppress(OSError):
            accepted.send(REFUSAL)
        self._log.note("refused because the limit is reached")

    async def _begin(self, connection: HttpConnection, accepted: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(lambda: connection, accepted)
        except OSError:  # The client has disconnected already.
            accepted.close()
            self._table.remove(connection)

    def _pause(self, error: OSError) -> None:
        """Accept nothing for PAUSE_SECONDS: the event loop would report the socket as ready all the time."""
        self._log.note(f"not accepted ({error.strerror})")
        if error.errno in OUT_OF_RESOURCES:
            self._table.make_room(BATCH)
        self._wait(PAUSE_SECONDS, self._resume)

    def _wait(self, seconds: float, then: Callable[[], None]) -> None:
        self._loop.remove_reader(self._listener.fileno())
        self._resuming = self._loop.call_later(seconds, then)


def client_key(host: str) -> str:
    """Return the client network of `host`, for limits. Empty for a trusted proxy, which connects for many clients."""
    address = parse_address(host)
    if address is None or is_within(address, settings.TRUSTED_PROXIES):
        return ""
    return network_of(host) or ""
