"""Connections to the database of this installation that are not Django's."""

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
    """The parameters of the database that the settings name; the embedded server is started. Raises DatabaseError."""
    known = {option.keyword.decode() for option in Conninfo.get_defaults()}
    return {name: value for name, value in connection.get_connection_params().items() if name in known}


def database_of(server: Server) -> Parameters:
    """The parameters of the database of an embedded server that runs."""
    return {"host": str(server.socket), "user": SUPERUSER, "dbname": DATABASE_NAME}


def connect(database: Parameters) -> psycopg.Connection:
    """A connection of its own. Raises psycopg.Error."""
    return psycopg.connect(**database)


def has_database(data_directory: Path) -> bool:
    """Whether the embedded server was ever started in this data folder."""
    return (data_directory / "postgres").is_dir()
