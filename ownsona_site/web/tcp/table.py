"""The open connections of a process: what each is doing, who has to go for a newcomer, and whose time is up.

A connection that has sent no request has the weakest claim to its place, one that is being answered is never closed.
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
"""How long a new connection may take to send a whole request header, and any other from its header's first byte."""


CLOSED_AT_ONCE = 100
"""How many connections are closed before the event loop does something else."""


class State(Enum):
    """What a connection is doing. The first in this list go first."""

    NEW = "new"
    """It has not sent a whole request header yet."""

    BODY = "body"
    """The header of its request is there, the body is not."""

    HEADER = "header"
    """After an answer, it has begun to send the next header."""

    IDLE = "idle"
    """It has been answered, and has sent nothing since."""

    BUSY = "busy"
    """Its request is whole, and is being answered."""


class Connection(Protocol):
    """What the table needs of a connection."""

    def close_now(self) -> None:
        """Close it at once, whatever was sent or is to be sent."""

    def time_out(self) -> None:
        """Close it because no whole header came in time."""


class _Queues:
    """Connections by state, in each state the one first that has been in it the longest."""

    def __init__(self) -> None:
        self._queues: dict[State, dict[Connection, float]] = {state: {} for state in State}

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def __getitem__(self, state: State) -> dict[Connection, float]:
        return self._queues[state]

    def dispensable(self) -> Connection | None:
        """The connection whose end is the smallest loss; None when all are being answered."""
        queues = (queue for state, queue in self._queues.items() if state is not State.BUSY)
        return next((connection for queue in queues for connection in queue), None)


class ConnectionTable:
    """All connections of a process. Not thread-safe: it belongs to one event loop."""

    def __init__(self, limits: Limits, now: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self.closed_for_room = 0
        """How many connections had to go for others so far."""
        self._now = now
        self._all = _Queues()
        self._of_address: defaultdict[str, _Queues] = defaultdict(_Queues)
        self._known: dict[Connection, tuple[State, str]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def admit(self, connection: Connection, address: str) -> bool:
        """Take in a new connection, if need be in the place of another one; whether there is a place.

        `address` is that of its client, empty for a proxy, which speaks for many: at the limit for one address, a
        newcomer takes the place of a connection from the same address.
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
        """Note what a connection does from now on; nothing changes for one that does it already, or is closed."""
        known = self._known.get(connection)
        if known is None or known[0] is state:
            return
        self.remove(connection)
        self._enter(connection, state, known[1])
        if state is State.BODY and len(self._all[State.BODY]) > self.limits.bodies:
            self._close(next(iter(self._all[State.BODY])))

    def remove(self, connection: Connection) -> None:
        """Forget a connection that is closed."""
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
        """Close up to so many connections, because the system gives no more descriptors."""
        for _ in range(count):
            self._make_room(self._all)

    def close_overdue(self) -> None:
        """Close connections whose header did not come in time, up to CLOSED_AT_ONCE: the others the next time."""
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
