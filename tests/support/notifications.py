"""What PostgreSQL tells those who listen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from django.db import connection

Heard = Callable[[], list[str]]
"""The payloads that came since the last time it was asked."""

# What was committed before the question was asked is there at once.
WAIT_SECONDS = 0.2


@contextmanager
def listening(channel: str) -> Iterator[Heard]:
    """Hear what is published to `channel` by a connection of one's own."""
    connection.ensure_connection()
    own = {"cursor_factory": psycopg.Cursor, "autocommit": True}
    parameters = {**connection.get_connection_params(), **own}
    for name in ("context", "prepare_threshold"):
        parameters.pop(name, None)
    with psycopg.connect(**parameters) as listener:
        listener.execute(f"LISTEN {channel}")
        yield lambda: [notice.payload for notice in listener.notifies(timeout=WAIT_SECONDS)]
