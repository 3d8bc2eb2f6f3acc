"""Which threads answer a request: an expensive call never takes them all, and the health check needs none of them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from io import BytesIO
from typing import TypeVar, TypeVarTuple

from django.conf import settings

from ownsona_site.web.request_bodies import Body, Scope

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
    """The request threads of a process, and one thread for the health check.

    At most `expensive` of the request threads run expensive calls. Further ones wait on the event loop, in the order of
    their arrival, and occupy no thread.
    """

    def __init__(self, threads: int, expensive: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="request")
        self._health = ThreadPoolExecutor(1, thread_name_prefix="health")
        self._expensive = asyncio.Semaphore(expensive)

    def submit(self, work: Callable[[*Ts], T], *arguments: *Ts) -> Future[T]:
        """Run `work` in a request thread, some time soon."""
        return self._threads.submit(work, *arguments)

    async def run(self, work: Callable[[*Ts], T], *arguments: *Ts) -> T:
        """Return the result of `work`, run in a request thread."""
        return await asyncio.wrap_future(self.submit(work, *arguments))

    async def enter_expensive(self) -> Callable[[], None]:
        """Wait until one more expensive call may run. Return what must be called, in any thread, when it has ended."""
        await self._expensive.acquire()
        loop = asyncio.get_running_loop()

        def leave() -> None:
            # A closed loop has no calls left to run.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._expensive.release)

        return leave

    async def run_health(self, work: Callable[[*Ts], T], *arguments: *Ts) -> T:
        """The result of `work`, in the thread of the health check. Raises TimeoutError after HEALTH_LIMIT_SECONDS.

        What runs then goes on, and what waits behind it is given up in the same time.
        """
        async with asyncio.timeout(HEALTH_LIMIT_SECONDS):
            return await asyncio.get_running_loop().run_in_executor(self._health, work, *arguments)


def expensive_at_once() -> int:
    """Return how many expensive calls a process runs at once: at most half of its threads, so that others find one.

    With the local model, no more than there are cores for each process: more would only slow down one another, and
    every ordinary call beside them.
    """
    half = settings.WEB_THREADS // 2
    cores = (os.cpu_count() or 1) // settings.WEB_CONCURRENCY
    return max(1, min(half, cores) if settings.EMBEDDING_PROVIDER == "local" else half)


def is_expensive(scope: Scope, body: Body) -> bool:
    """Whether a call may take long, as far as its path, its length and the names in it tell.

    Only how it is scheduled depends on that: a name in another place than that of the tool makes a call wait its turn.
    """
    if scope["method"] == "POST" and scope["path"] in EXPENSIVE_PATHS:
        return True
    # A body that is not read holds an error in place of its content.
    content = body.content.getvalue() if isinstance(body.content, BytesIO) and not body.turn else b""
    if body.turn or len(content) > EXPENSIVE_BYTES:
        return True
    return any(name in content or scope["path"].encode().endswith(b"/" + name) for name in EXPENSIVE_TOOLS)
