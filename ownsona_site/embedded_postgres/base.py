"""Django's PostgreSQL backend for the embedded server, which every new connection starts if it is down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base
from django.db.utils import OperationalError

from ownsona_site.embedded_postgres.client import DatabaseClient
from ownsona_site.embedded_postgres.cluster import SUPERUSER
from ownsona_site.embedded_postgres.errors import EmbeddedServerError
from ownsona_site.embedded_postgres.server import Server, get_server


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to the server in `settings.DATA_DIR`."""

    client_class = DatabaseClient

    def get_connection_params(self) -> dict[str, Any]:
        """Start the server if needed and return its psycopg parameters. Raises OperationalError if it cannot start."""
        server = embedded_server()
        try:
            server.use()
        except EmbeddedServerError as error:
            raise OperationalError(str(error)) from error
        return {**super().get_connection_params(), "host": str(server.socket), "user": SUPERUSER}


def embedded_server() -> Server:
    """Return the server of this installation."""
    return get_server(Path(settings.DATA_DIR))
