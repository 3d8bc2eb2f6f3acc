"""Which threads answer a request: an expensive call never takes them all, and the health check needs none of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, TypeVarTuple

from ownsona_site.asgi_body import Scope

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

EXPENSIVE_BYTES = 4_000
"""A body longer than that brings text to embed that takes many times as long as an ordinary call."""

EXPENSIVE_TOOLS = (b"find_near_duplicates", b"export_memories")
"""Tools that take long whatever their arguments are."""

EXPENSIVE_PATHS = frozenset({"/login/"})
"""Passwords are hashed slowly on purpose."""

HEALTH_PATH = "/health"
HEALTH_LIMIT_SECONDS = 3.0
"""How long the health check may take: whoever watches a server gives up after a few seconds more."""


class Lanes:
    """The threads of a process that answer requests, and one that looks whether it is well.

    At most half of the request threads, and at least one, run expensive calls; further ones wait on the event loop, in
    the order in which they came, and occupy no thread.
    """

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="request")
        self._health = ThreadPoolExecutor(1, thread_name_prefix="health")
        self._expensive = asyncio.Semaphore(max(1, threads // 2))

    async def run(self, work: Callable[[*Ts], T], *arguments: *Ts) -> T:
        """The result of `work`, in a request thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    async def run_expensive(self, work: Callable[[*Ts], T], *arguments: *Ts) -> T:
        """The result of `work`, in a request thread, when it is this call's turn."""
        async with self._expensive:
            return await self.run(work, *arguments)

    async def run_health(self, work: Callable[[*Ts], T], *arguments: *Ts) -> T:
        """The result of `work`, in the thread of the health check. Raises TimeoutError after HEALTH_LIMIT_SECONDS.

        What runs then goes on, and what waits behind it is given up in the same time.
        """
        async with asyncio.timeout(HEALTH_LIMIT_SECONDS):
            return await asyncio.get_running_loop().run_in_executor(self._health, work, *arguments)

    def submit(self, work: Callable[[], object]) -> None:
        """Run `work` in a request thread, some time soon."""
        self._threads.submit(work)


def is_expensive(scope: Scope, body: bytes) -> bool:
    """Whether a call may take long, as far as its path, its length and the names in it tell.

    Only how it is scheduled depends on that: a name in another place than that of the tool makes a call wait its turn.
    """
    if len(body) > EXPENSIVE_BYTES or (scope["method"] == "POST" and scope["path"] in EXPENSIVE_PATHS):
        return True
    return any(name in body or scope["path"].encode().endswith(b"/" + name) for name in EXPENSIVE_TOOLS)
