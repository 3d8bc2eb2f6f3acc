"""Table of the open connections of a process: their states, and which to close for a new one or for a timeout.

Connections that have sent no request are closed first. Connections with an active request are never closed.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from itertools import chain, islice
from typing import Protocol

from ownsona_site.web.tcp.limits import Limits

HEADER_SECONDS = 10.0
"""Time limit for a complete request header: from the start of a new connection, else from the header's first byte."""


CLOSED_AT_ONCE = 100
"""Number of overdue connections that are closed before the event loop runs other tasks."""


class State(Enum):
    """The state of a connection. To make room, connections are closed in the order of this list."""

    NEW = "new"
    """It has not sent a complete request header yet."""

    BODY = "body"
    """It has sent the header of its request, but not the whole body."""

    HEADER = "header"
    """After a response, it has begun to send the next header."""

    IDLE = "idle"
    """It has sent nothing since the last response."""

    BUSY = "busy"
    """Its request is complete and is being processed."""


class Connection(Protocol):
    """A connection, as the table sees it."""

    def close_now(self) -> None:
        """Close the connection at once, without finishing what is being sent."""

    def time_out(self) -> None:
        """Close the connection because no complete header arrived in time."""


class _Queues:
    """Connections by state. Within a state, those that have been in it the longest come first."""

    def __init__(self) -> None:
        self._queues: dict[State, dict[Connection, float]] = {state: {} for state in State}

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def __getitem__(self, state: State) -> dict[Connection, float]:
        return self._queues[state]

    def dispensable(self) -> Connection | None:
        """Return the connection to close first, or None if all are busy."""
        queues = (queue for state, queue in self._queues.items() if state is not State.BUSY)
        return next((connection for queue in queues for connection in queue), None)


class ConnectionTable:
    """All connections of a process. Not thread-safe: it belongs to one event loop."""

    def __init__(self, limits: Limits, now: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self.closed_for_room = 0
        """Number of connections that were closed to make room for others."""
        self._now = now
        self._all = _Queues()
        self._of_address: defaultdict[str, _Queues] = defaultdict(_Queues)
        self._known: dict[Connection, tuple[State, str]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def admit(self, connection: Connection, address: str) -> bool:
        """Add a new connection, closing another one if necessary. Return False if there is no room.

        `address` is that of the client, empty for a proxy, which connects for many clients. At the limit for one
        address, the new connection replaces one from that address.
        """
        if address and address in self._of_address:
            own = self._of_address[address]
            if len(own) >= self.limits.per_address and not self._make_room(own):
                return False
        if len(self._known) >= self.limits.connections and not self._make_room(self._all):
            return False
        self._enter(connection, State.NEW, address)
        return True

    def move(self, connection: Connection, state: State) -> None:
        """Set the state of a connection. Do nothing if it has this state already, or is closed."""
        known = self._known.get(connection)
        if known is None or known[0] is state:
            return
        self.remove(connection)
        self._enter(connection, state, known[1])
        if state is State.BODY and len(self._all[State.BODY]) > self.limits.bodies:
            self._close(next(iter(self._all[State.BODY])))

    def remove(self, connection: Connection) -> None:
        """Remove a closed connection. Do nothing if it is not in the table."""
        known = self._known.pop(connection, None)
        if known is None:
            return
        state, address = known
        del self._all[state][connection]
        if address:
            own = self._of_address[address]
            del own[state][connection]
            if not len(own):
                del self._of_address[address]

    def make_room(self, count: int) -> None:
        """Close up to `count` connections, because the system has no more descriptors."""
        for _ in range(count):
            self._make_room(self._all)

    def close_overdue(self) -> None:
        """Close at most CLOSED_AT_ONCE connections whose header did not arrive in time. Later calls close the rest."""
        limit = self._now() - HEADER_SECONDS
        overdue = chain.from_iterable(_until(self._all[state].items(), limit) for state in (State.NEW, State.HEADER))
        for connection in list(islice(overdue, CLOSED_AT_ONCE)):
            self.remove(connection)
            connection.time_out()

    def _enter(self, connection: Connection, state: State, address: str) -> None:
        since = self._now()
        self._known[connection] = state, address
        self._all[state][connection] = since
        if address:
            self._of_address[address][state][connection] = since

    def _make_room(self, queues: _Queues) -> bool:
        connection = queues.dispensable()
        if connection is not None:
            self._close(connection)
        return connection is not None

    def _close(self, connection: Connection) -> None:
        self.remove(connection)
        self.closed_for_room += 1
        connection.close_now()


def _until(since: Iterable[tuple[Connection, float]], limit: float) -> Iterator[Connection]:
    for connection, began in since:
        if began > limit:
            return
        yield connection
