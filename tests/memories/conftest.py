"""Fixtures for tests of memories."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection


@pytest.fixture
def empty_queue() -> Iterator[None]:
    """The job queue, emptied afterwards. Its tables are not managed by the ORM, so nothing else empties them."""
    yield
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE procrastinate_jobs, procrastinate_workers, procrastinate_periodic_defers CASCADE")
