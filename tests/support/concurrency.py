"""Concurrent work in threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

T = TypeVar("T")


def in_threads(count: int, work: Callable[[int], T]) -> list[T]:
    """Do `work` in many threads at once, each with a connection of its own. Return the results."""

    def run(number: int) -> T:
        try:
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))
