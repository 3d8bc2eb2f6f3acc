"""`manage.py do_jobs`: the background jobs, in the foreground, until a signal."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError
from procrastinate.contrib.django import app
from procrastinate.contrib.django.django_connector import DjangoConnector
from procrastinate.exceptions import ConnectorException

from ownsona_site.startup.database_errors import explained
from ownsona_site.startup.periodic_jobs import follow_the_clock

JOBS_AT_ONCE = 3
"""A long job, such as an index that is built, holds up no others."""


class Command(BaseCommand):
    """What the library's own command does, without its greeting: the owner did not start it."""

    help = "Do the background jobs until Ctrl-C. `manage.py serve` runs it."

    def handle(self, *_: object, **__: object) -> None:
        """Work until SIGINT or SIGTERM. Raises CommandError when the database fails."""
        follow_the_clock()
        assert isinstance(app.connector, DjangoConnector), "nothing has replaced it yet"
        with app.replace_connector(app.connector.get_worker_connector()) as worker:
            try:
                worker.run_worker(concurrency=JOBS_AT_ONCE)
            except ConnectorException as error:
                cause = error.__cause__ or error
                raise CommandError(f"The job process stops: {explained(cause) or cause}") from error
