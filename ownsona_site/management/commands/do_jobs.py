"""`manage.py do_jobs`, which runs the background jobs in the foreground until a signal arrives."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError
from procrastinate.contrib.django import app
from procrastinate.contrib.django.django_connector import DjangoConnector
from procrastinate.exceptions import ConnectorException

from ownsona_site.startup.database_errors import explained
from ownsona_site.startup.periodic_jobs import follow_the_clock

JOBS_AT_ONCE = 3
"""The number of concurrent jobs. With several, a long job such as an index build does not delay the others."""


class Command(BaseCommand):
    """The worker command of procrastinate without its start message, since the owner does not start it."""

    help = "Run the background jobs until Ctrl-C. `manage.py serve` starts this command."

    def handle(self, *_: object, **__: object) -> None:
        """Run jobs until SIGINT or SIGTERM. Raises CommandError if the database fails."""
        follow_the_clock()
        assert isinstance(app.connector, DjangoConnector), "nothing has replaced it yet"
        with app.replace_connector(app.connector.get_worker_connector()) as worker:
            try:
                worker.run_worker(concurrency=JOBS_AT_ONCE)
            except ConnectorException as error:
                cause = error.__cause__ or error
                raise CommandError(f"The job process is stopping: {explained(cause) or cause}") from error
