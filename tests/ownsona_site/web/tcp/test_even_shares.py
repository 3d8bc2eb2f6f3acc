"""Tests of the shares of connections between web processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from ownsona_site.web.tcp.even_shares import EvenShares


@contextmanager
def process_with(shares: EvenShares, count: int) -> Iterator[None]:
    """Fork a process that has `count` connections until it is killed."""
    reads, writes = os.pipe()
    process = os.fork()
    if not process:
        shares.join()
        shares.publish(count)
        os.write(writes, b"1")
        signal.pause()
        os._exit(1)
    try:
        assert os.read(reads, 1) == b"1"
        yield
    finally:
        os.close(reads)
        os.close(writes)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def is_ahead(shares: EvenShares, count: int) -> bool:
    """Return whether this process is ahead with `count` connections."""
    shares.publish(count)
    return shares.is_ahead()


def test_a_process_is_ahead_of_another_with_fewer_connections() -> None:
    shares = EvenShares(3)
    shares.join()
    with process_with(shares, 4), process_with(shares, 6):
        assert [count for count in range(8) if is_ahead(shares, count)] == [5, 6, 7]


def test_with_many_connections_a_few_more_are_no_lead() -> None:
    shares = EvenShares(2)
    shares.join()
    with process_with(shares, 800):
        assert not is_ahead(shares, 900)
        assert is_ahead(shares, 901)


def test_a_process_is_not_ahead_of_itself_nor_of_places_that_nobody_has() -> None:
    shares = EvenShares(2)
    shares.join()
    assert not is_ahead(shares, 5)


def test_a_process_beyond_the_expected_number_takes_no_part() -> None:
    shares = EvenShares(1)
    with process_with(shares, 0):
        shares.join()
        assert not is_ahead(shares, 5)


def test_the_place_of_a_killed_process_is_taken_by_the_next() -> None:
    shares = EvenShares(2)
    shares.join()
    with process_with(shares, 1):
        assert is_ahead(shares, 2)
    with process_with(shares, 5):
        assert not is_ahead(shares, 5)
        assert is_ahead(shares, 6)


def test_a_process_that_accepts_no_more_is_not_waited_for() -> None:
    shares = EvenShares(2)
    shares.join()
    shares.publish(1)
    shares.leave()
    assert not is_ahead(shares, 9)
