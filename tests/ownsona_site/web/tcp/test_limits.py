"""Tests of the number of connections a process may hold, according to the settings and the system's limits."""

from __future__ import annotations

import sys

from ownsona_site.web.tcp.limits import Limits, reserved_descriptors
from tests.support.processes import child

SHOW = """
import resource, sys
from ownsona_site.web.tcp.limits import Limits, raise_soft_limit
soft, hard = (int(value) for value in sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
raise_soft_limit(connections=2048, threads=4)
print(*resource.getrlimit(resource.RLIMIT_NOFILE), Limits.of(2048, 1024, 4))
"""


def shown(soft: int, hard: int) -> str:
    with child("-c", SHOW, str(soft), str(hard)) as process:
        assert process.end() == 0, process.output
    return process.output


def test_the_soft_limit_is_raised_to_what_is_needed() -> None:
    needed = 2048 + reserved_descriptors(4)
    assert shown(256, 4096) == f"{needed} 4096 {Limits(connections=2048, per_address=1024, bodies=128)}\n"


def test_a_soft_limit_that_is_high_enough_stays() -> None:
    assert shown(4000, 4096).startswith("4000 4096 ")


def test_under_a_low_hard_limit_there_are_fewer_connections_in_the_same_proportion() -> None:
    held = 1024 - reserved_descriptors(4)
    assert shown(256, 1024) == f"1024 1024 {Limits(connections=held, per_address=held // 2, bodies=held // 16)}\n"


def test_a_limit_of_one_address_that_is_larger_than_the_whole_is_the_whole() -> None:
    assert Limits.of(100, 500, 4) == Limits(connections=100, per_address=100, bodies=6)
    assert sys.platform  # The limits of this process suffice for a hundred.
