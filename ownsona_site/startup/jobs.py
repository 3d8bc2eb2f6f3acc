"""The work of the job process."""

from __future__ import annotations

from procrastinate.contrib.django import app
from procrastinate.contrib.django.django_connector import DjangoConnector
from procrastinate.exceptions import ConnectorException
from psycopg import OperationalError

from ownsona_site.startup.database_errors import explained
from ownsona_site.startup.periodic_jobs import follow_the_clock

JOBS_AT_ONCE = 3
"""The number of concurrent jobs. With several, a long job such as an index build does not delay the others."""


class DatabaseFailed(Exception):
    """The database cannot be used. `str(error)` says why."""


async def run_jobs() -> None:
    """Run jobs until this is cancelled, then finish those that are running. Raises DatabaseFailed.

    Returns if the library stops for a reason that it has logged.
    """
    follow_the_clock()
    assert isinstance(app.connector, DjangoConnector), "nothing has replaced it yet"
    with app.replace_connector(app.connector.get_worker_connector()) as worker:
        try:
            async with worker.open_async():
                await worker.run_worker_async(concurrency=JOBS_AT_ONCE, install_signal_handlers=False)
        except (ConnectorException, OperationalError) as error:
            cause = error.__cause__ or error
            raise DatabaseFailed(explained(cause) or str(cause)) from error
