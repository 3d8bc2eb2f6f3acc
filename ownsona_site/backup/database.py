"""Connections to the database of this installation that bypass Django."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
from django.db import connection
from psycopg.pq import Conninfo

from ownsona_site.embedded_postgres.cluster import DATABASE_NAME, SUPERUSER
from ownsona_site.embedded_postgres.server import Server

Parameters = dict[str, Any]


def configured_database() -> Parameters:
    """Return the parameters of the configured database. Start the embedded server if needed. Raises DatabaseError."""
    known = {option.keyword.decode() for option in Conninfo.get_defaults()}
    return {name: value for name, value in connection.get_connection_params().items() if name in known}


def database_of(server: Server) -> Parameters:
    """Return the parameters of the database of a running embedded server."""
    return {"host": str(server.socket), "user": SUPERUSER, "dbname": DATABASE_NAME}


def connect(database: Parameters) -> psycopg.Connection:
    """Open a new connection. Raises psycopg.Error."""
    return psycopg.connect(**database)


def has_database(data_directory: Path) -> bool:
    """Return whether the embedded server was ever started in this data folder."""
    return (data_directory / "postgres").is_dir()
