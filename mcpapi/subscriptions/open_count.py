"""The number of open streams in all processes together.

Each process has one listening connection and publishes its number as that connection's application name. PostgreSQL
shows it to the other processes, and it disappears with the process, however that ends.
"""

from __future__ import annotations

import psycopg
from django.db import connection

NAME = "ownsona streams: "
SHOW = "SELECT set_config('application_name', %s, false)"
SUM = """
    SELECT coalesce(sum(substr(application_name, %s)::int), 0) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name ~ %s
"""


def publish_open_count(listening: psycopg.Connection, number: int) -> None:
    """Publish the number of streams that are open in this process."""
    listening.execute(SHOW, [f"{NAME}{number}"])


def count_open_streams() -> int:
    """Return the number of open streams in all processes. A new stream counts after at most 0.2 seconds."""
    with connection.cursor() as cursor:
        cursor.execute(SUM, [len(NAME) + 1, rf"^{NAME}\d+$"])
        (number,) = cursor.fetchone()
    return int(number)
