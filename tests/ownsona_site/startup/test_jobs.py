"""Tests of the work of the job process when the database fails. Other tests: `tests/memories/test_jobs.py`."""

from __future__ import annotations

import asyncio

import pytest
from procrastinate.contrib.django import app
from procrastinate.exceptions import ConnectorException
from procrastinate.psycopg_connector import PsycopgConnector
from psycopg.errors import AdminShutdown, UndefinedTable
from psycopg_pool import PoolTimeout

from ownsona_site.startup.jobs import DatabaseFailed, run_jobs


def caused_by(cause: Exception) -> ConnectorException:
    error = ConnectorException()
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (PoolTimeout("no connection after 30 s"), "The database is not usable: no connection after 30 s"),
        (caused_by(AdminShutdown("it was stopped")), "The database is not usable: it was stopped"),
        (caused_by(UndefinedTable("procrastinate_jobs")), "it has no tables yet"),
        (caused_by(ValueError("something else")), "something else"),
    ],
)
@pytest.mark.django_db
def test_a_database_that_fails_is_explained(error: Exception, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_connector: PsycopgConnector, pool: object = None) -> None:
        raise error

    monkeypatch.setattr(PsycopgConnector, "open_async", fail)
    before = app.connector
    with pytest.raises(DatabaseFailed, match=reason):
        asyncio.run(run_jobs())
    assert app.connector is before
