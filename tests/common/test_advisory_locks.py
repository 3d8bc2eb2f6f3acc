"""Tests of advisory locks: every kind has keys of its own, and no other module takes such locks directly."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Event, Thread

import pytest
from django.db import connection, transaction

from common.advisory_locks import (
    NUMBER_BITS,
    AdvisoryLock,
    lock_until_commit,
    locked,
    locked_if_free,
    locked_where_free,
)
from tests.project.test_architecture import ALLOWED, ROOT, sources

LARGEST = (1 << NUMBER_BITS) - 1


@contextmanager
def held_elsewhere(hold: Callable[[], AbstractContextManager[object]]) -> Iterator[None]:
    """Hold the lock of `hold` in another connection until the end of the block."""
    taken, over = Event(), Event()

    def keep() -> None:
        with hold():
            taken.set()
            over.wait(60)
        connection.close()

    thread = Thread(target=keep)
    thread.start()
    try:
        assert taken.wait(60)
        yield
    finally:
        over.set()
        thread.join(60)


def locks_here() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
        return int(cursor.fetchall()[0][0])


def test_the_keys_of_all_kinds_differ_whatever_their_numbers() -> None:
    ranges = sorted((kind.key(), kind.key(LARGEST)) for kind in AdvisoryLock)

    assert len(ranges) == len(AdvisoryLock.__members__)
    assert all(last < first for (_, last), (first, _) in itertools.pairwise(ranges))
    assert ranges[0][0] >= 0
    assert ranges[-1][1] < 1 << 63


@pytest.mark.parametrize("number", [-1, LARGEST + 1])
def test_a_number_that_would_reach_into_another_kind_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="number"):
        AdvisoryLock.BATCH_INSERTION.key(number)


@pytest.mark.parametrize("package", ALLOWED)
def test_no_other_module_takes_an_advisory_lock_by_itself(package: str) -> None:
    taking = [path for path in sources(package) if re.search("pg_(try_)?advisory_", path.read_text(encoding="utf-8"))]

    assert taking == ([ROOT / "common" / "advisory_locks.py"] if package == "common" else [])


@pytest.mark.django_db(transaction=True)
def test_who_never_waits_gets_what_is_free() -> None:
    numbers = [1, 2, LARGEST]
    with held_elsewhere(lambda: locked(AdvisoryLock.MEMORY_INDEXING, 2)):
        with locked_where_free(AdvisoryLock.MEMORY_INDEXING, numbers) as taken:
            assert sorted(taken) == [1, LARGEST]
        with locked_if_free(AdvisoryLock.MEMORY_INDEXING, 2) as is_free:
            assert not is_free
        with locked_if_free(AdvisoryLock.SPACE_FILLING, 2) as is_free:
            assert is_free
    with locked_where_free(AdvisoryLock.MEMORY_INDEXING, numbers) as taken:
        assert sorted(taken) == numbers
    assert locks_here() == 0


@pytest.mark.django_db(transaction=True)
def test_a_shared_lock_is_shared_and_keeps_out_who_wants_it_alone() -> None:
    with held_elsewhere(lambda: locked(AdvisoryLock.SPACE_FILLING, 1, shared=True)):
        with locked_if_free(AdvisoryLock.SPACE_FILLING, 1) as is_free:
            assert not is_free
        with locked(AdvisoryLock.SPACE_FILLING, 1, shared=True):
            assert locks_here() == 1
    assert locks_here() == 0


@pytest.mark.django_db(transaction=True)
def test_a_lock_of_a_transaction_ends_with_it() -> None:
    with transaction.atomic():
        lock_until_commit(AdvisoryLock.SIGNING_KEY_CREATION)
        assert locks_here() == 1
    assert locks_here() == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("hold", [locked, locked_if_free])
def test_a_lock_ends_also_where_what_it_is_for_fails(
    hold: Callable[[AdvisoryLock], AbstractContextManager[object]],
) -> None:
    def fail() -> None:
        with hold(AdvisoryLock.SPACE_SWITCH):
            assert locks_here() == 1
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert locks_here() == 0
