"""Tests of the turn that processes take one after the other."""

from __future__ import annotations

import asyncio
import os
import signal

from ownsona_site.web.shared_turn import SharedTurn


def child_with(turn: SharedTurn) -> int:
    """Fork a process that takes the turn and keeps it until it is killed. Return its id."""
    reads, writes = os.pipe()
    process = os.fork()
    if not process:
        taken = asyncio.run(turn.take(10))
        os.write(writes, b"1" if taken else b"0")
        signal.pause()
        os._exit(1)
    assert os.read(reads, 1) == b"1"
    os.close(reads)
    os.close(writes)
    return process


def test_one_process_has_the_turn_and_another_gets_it_when_that_one_is_killed() -> None:
    turn = SharedTurn()
    process = child_with(turn)
    try:
        assert not asyncio.run(turn.take(0.2))
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    assert asyncio.run(turn.take(10))


def test_a_turn_that_is_released_can_be_taken_by_another_process() -> None:
    turn = SharedTurn()
    assert asyncio.run(turn.take(10))
    turn.release()
    turn.release()
    process = child_with(turn)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
