"""Tests that the faster loader reads every timestamp as Django's does."""

from __future__ import annotations

from datetime import UTC, datetime

import psycopg
import pytest
from django.db import DataError, connection
from django.db.backends.postgresql.psycopg_any import register_tzloader

from common.timestamps import UtcLoader

TIMES = [
    "2026-11-22 23:01:59.123456+00",
    "2026-11-22 23:01:59.1+00",
    "2026-11-22 23:01:59+00",
    "2026-11-22 23:01:59-03:30",
    "0001-01-01 00:00:00+00",
    "9999-12-31 23:59:59.999999+00",
    "1883-11-18 12:00:00+00",
]

pytestmark = pytest.mark.django_db


def select(value: str, *, with_django: bool = False) -> object:
    with connection.cursor() as cursor:
        if with_django:
            register_tzloader(UTC, cursor.cursor)
        cursor.execute("SELECT %s::timestamptz, ARRAY[%s::timestamptz, NULL]", [value, value])
        return cursor.fetchone()


@pytest.mark.parametrize("value", TIMES)
def test_a_time_is_loaded_as_by_django(value: str) -> None:
    loaded = select(value)
    assert isinstance(loaded, tuple)
    assert loaded == select(value, with_django=True)
    assert (type(loaded[0]), loaded[0].tzinfo) == (datetime, UTC)


def test_the_connection_uses_the_loader() -> None:
    connection.ensure_connection()
    oid = psycopg.adapters.types["timestamptz"].oid
    assert connection.connection.adapters.get_loader(oid, psycopg.pq.Format.TEXT) is UtcLoader


@pytest.mark.parametrize("value", ["infinity", "12026-01-01 00:00:00+00", "0044-03-15 12:00:00+00 BC"])
def test_a_time_that_python_does_not_know_is_an_error(value: str) -> None:
    with pytest.raises(DataError):
        select(value)
