"""A listener to PostgreSQL's notifications."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from django.db import connection

Heard = Callable[[], list[str]]
"""A function that returns the payloads received since its last call."""

# Everything committed before the call is received at once.
WAIT_SECONDS = 0.2


@contextmanager
def listening(channel: str) -> Iterator[Heard]:
    """Listen to `channel` in a connection of its own."""
    connection.ensure_connection()
    own = {"cursor_factory": psycopg.Cursor, "autocommit": True}
    parameters = {**connection.get_connection_params(), **own}
    for name in ("context", "prepare_threshold"):
        parameters.pop(name, None)
    with psycopg.connect(**parameters) as listener:
        listener.execute(f"LISTEN {channel}")
        yield lambda: [notice.payload for notice in listener.notifies(timeout=WAIT_SECONDS)]
