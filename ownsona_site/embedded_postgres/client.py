"""`manage.py dbshell`: the psql that came with the server."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.backends.postgresql import client

from ownsona_site.embedded_postgres.binaries import packaged_programs


class DatabaseClient(client.DatabaseClient):
    """psql, connected as any other user of the database is."""

    executable_name = str(packaged_programs() / "psql")

    def runshell(self, parameters: Iterable[str]) -> None:
        """Starts the server and hands the terminal over to psql."""
        params = self.connection.get_connection_params()
        self.connection.settings_dict.update(HOST=params["host"], USER=params["user"])
        super().runshell(parameters)
