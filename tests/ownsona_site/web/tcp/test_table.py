"""Tests of the table of connections: which ones a process keeps and which it closes, without sockets."""

from __future__ import annotations

import pytest

from ownsona_site.web.tcp.limits import Limits
from ownsona_site.web.tcp.table import HEADER_SECONDS, ConnectionTable, State

HERE, THERE = "192.0.2.1", "198.51.100.7"


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


class Noted:
    """A connection that records how it ended."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.end = ""

    def close_now(self) -> None:
        self.end = "closed"

    def time_out(self) -> None:
        self.end = "timed out"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def table(clock: Clock) -> ConnectionTable:
    return ConnectionTable(Limits(connections=6, per_address=4, bodies=2), clock)


def fill(table: ConnectionTable, count: int, address: str, state: State = State.NEW) -> list[Noted]:
    connections = [Noted(f"{address} {number}") for number in range(count)]
    for connection in connections:
        assert table.admit(connection, address)
        table.move(connection, state)
    return connections


def ends(connections: list[Noted]) -> list[str]:
    return [connection.end for connection in connections]


def test_a_newcomer_takes_the_place_of_the_connection_that_has_waited_longest_for_its_first_request(
    table: ConnectionTable,
) -> None:
    served = fill(table, 2, THERE, State.BUSY)
    first, second, *others = fill(table, 4, HERE)
    assert table.admit(Noted("new"), HERE)
    assert (first.end, second.end) == ("closed", "")
    assert ends(others + served) == [""] * 4
    assert len(table) == 6


@pytest.mark.parametrize(
    ("first_to_go", "stays"),
    [(State.NEW, State.BODY), (State.BODY, State.HEADER), (State.HEADER, State.IDLE), (State.IDLE, State.BUSY)],
)
def test_who_has_the_weaker_claim_goes_first_however_long_the_other_waits(
    table: ConnectionTable, clock: Clock, first_to_go: State, stays: State
) -> None:
    [old] = fill(table, 1, HERE, stays)
    clock.seconds += 5
    [young] = fill(table, 1, HERE, first_to_go)
    fill(table, 2, HERE, State.BUSY)
    assert table.admit(Noted("new"), HERE)
    assert (old.end, young.end) == ("", "closed")


def test_when_all_of_an_address_are_being_answered_it_gets_no_more_and_others_do(table: ConnectionTable) -> None:
    served = fill(table, 4, HERE, State.BUSY)
    assert not table.admit(Noted("refused"), HERE)
    assert table.admit(Noted("welcome"), THERE)
    assert ends(served) == [""] * 4


def test_when_all_connections_are_being_answered_newcomers_are_refused(table: ConnectionTable) -> None:
    served = fill(table, 4, HERE, State.BUSY) + fill(table, 2, THERE, State.BUSY)
    assert not table.admit(Noted("refused"), "203.0.113.9")
    assert ends(served) == [""] * 6
    table.remove(served[0])
    assert table.admit(Noted("later"), "203.0.113.9")


def test_one_address_cannot_take_the_places_of_another(table: ConnectionTable) -> None:
    idle = fill(table, 2, THERE, State.IDLE)
    fill(table, 4, HERE)
    for _ in range(100):
        assert table.admit(Noted("more"), HERE)
    assert ends(idle) == ["", ""]
    assert len(table) == 6


def test_a_proxy_speaks_for_many_and_has_the_limit_of_all(table: ConnectionTable) -> None:
    assert ends(fill(table, 6, "")) == [""] * 6
    assert table.admit(Noted("seventh"), "")
    assert len(table) == 6


def test_of_unfinished_bodies_the_oldest_go(table: ConnectionTable) -> None:
    bodies = fill(table, 3, HERE, State.BODY)
    assert ends(bodies) == ["closed", "", ""]


def test_headers_have_a_deadline_and_everything_else_has_not(table: ConnectionTable, clock: Clock) -> None:
    [idle] = fill(table, 1, HERE, State.IDLE)
    [busy] = fill(table, 1, HERE, State.BUSY)
    [new] = fill(table, 1, HERE)
    clock.seconds += HEADER_SECONDS - 1
    [young] = fill(table, 1, HERE)
    table.move(idle, State.HEADER)
    clock.seconds += 2
    table.close_overdue()
    assert ends([idle, busy, new, young]) == ["", "", "timed out", ""]
    # Sending byte by byte does not extend the deadline.
    table.move(idle, State.HEADER)
    clock.seconds += HEADER_SECONDS - 1
    table.close_overdue()
    assert ends([idle, busy, young]) == ["timed out", "", "timed out"]
    assert len(table) == 1


def test_what_is_closed_is_forgotten_whatever_it_still_says(table: ConnectionTable) -> None:
    [gone] = fill(table, 1, HERE)
    table.remove(gone)
    table.move(gone, State.BUSY)
    table.remove(gone)
    assert len(table) == 0
    assert ends(fill(table, 4, HERE)) == [""] * 4
