"""How many streams are open in all processes together.

Each process has one connection that listens: the number stands in that connection's name, where PostgreSQL shows it to
the others, and is gone with the process, however that ends.
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
    """Let all processes see that this one has so many open."""
    listening.execute(SHOW, [f"{NAME}{number}"])


def count_open_streams() -> int:
    """Those of all processes; a fifth of a second may pass until a new one counts."""
    with connection.cursor() as cursor:
        cursor.execute(SUM, [len(NAME) + 1, rf"^{NAME}\d+$"])
        (number,) = cursor.fetchone()
    return int(number)
