"""The client of `manage.py dbshell`: the psql of the embedded PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.backends.postgresql import client

from ownsona_site.embedded_postgres.binaries import packaged_programs


class DatabaseClient(client.DatabaseClient):
    """The packaged psql, with the connection parameters that Django uses."""

    executable_name = str(packaged_programs() / "psql")

    def runshell(self, parameters: Iterable[str]) -> None:
        """Start the server and run psql in the terminal."""
        params = self.connection.get_connection_params()
        self.connection.settings_dict.update(HOST=params["host"], USER=params["user"])
        super().runshell(parameters)
