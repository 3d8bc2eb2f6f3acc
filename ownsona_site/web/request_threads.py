"""Thread pools for requests: expensive calls never occupy all threads, and the health check has a thread of its own."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from io import BytesIO
from typing import TypeVar, TypeVarTuple

from django.conf import settings

from customtools.registry import known_names
from ownsona_site.web.asgi_types import Scope
from ownsona_site.web.request_bodies import Body

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

EXPENSIVE_BYTES = 4_000
"""Body size above which a call is expensive: embedding that much text takes many times as long as an ordinary call."""

EXPENSIVE_TOOLS = (b"find_near_duplicates", b"export_memories", b"sync_source", b"run_workflow")
"""Tools that are slow with any arguments, or wait for another server."""

EXPENSIVE_PATHS = re.compile(r"/login/|/admin/documents/source/[0-9]+/preview/")
"""Paths that check passwords, whose hashing is slow on purpose, or that list a source, which waits for its server."""

HEALTH_PATH = "/health"
HEALTH_LIMIT_SECONDS = 3.0
"""Time limit of the health check. Monitoring tools give up a few seconds later."""


class RequestThreads:
    """The request threads of a process, and one thread for the health check.

    At most `expensive` of the request threads run expensive calls. Further ones wait on the event loop, in the order of
    their arrival, and occupy no thread.
    """

    def __init__(self, threads: int, expensive: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="request")
        self._health = ThreadPoolExecutor(1, thread_name_prefix="health")
        self._expensive = asyncio.Semaphore(expensive)

    def submit(self, work: Callable[[*Ts], T], *arguments: *Ts) -> Future[T]:
        """Queue `work` for the next free request thread."""
        return self._threads.submit(work, *arguments)

    async def run(self, work: Callable[[*Ts], T], *arguments: *Ts) -> T:
        """Return the result of `work`, run in a request thread."""
        return await asyncio.wrap_future(self.submit(work, *arguments))

    async def enter_expensive(self) -> Callable[[], None]:
        """Wait until one more expensive call may run. Return a function to call when it has ended, from any thread."""
        await self._expensive.acquire()
        loop = asyncio.get_running_loop()

        def leave() -> None:
            # RuntimeError: the loop is closed, so no call is waiting.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._expensive.release)

        return leave

    async def run_health(self, work: Callable[[*Ts], T], *arguments: *Ts) -> T:
        """Return the result of `work`, run in the thread of the health check.

        Raises TimeoutError after HEALTH_LIMIT_SECONDS. A check that is running then continues, and checks queued behind
        it time out after as many seconds.
        """
        async with asyncio.timeout(HEALTH_LIMIT_SECONDS):
            return await asyncio.get_running_loop().run_in_executor(self._health, work, *arguments)


def expensive_at_once() -> int:
    """Return how many expensive calls a process runs at once: at least one, at most half of its threads.

    The other threads stay free for ordinary calls. With the local model the limit is also the number of cores per
    process: more calls would only slow down each other and every ordinary call.
    """
    half = settings.WEB_THREADS // 2
    cores = (os.cpu_count() or 1) // settings.WEB_CONCURRENCY
    return max(1, min(half, cores) if settings.EMBEDDING_PROVIDER == "local" else half)


def is_expensive(scope: Scope, body: Body) -> bool:
    """Guess from its path, length and content whether a call may take long.

    The guess only affects scheduling. A call that contains the name of an expensive tool anywhere may have to wait.
    """
    if scope["method"] == "POST" and EXPENSIVE_PATHS.fullmatch(scope["path"]):
        return True
    # An unread body has an `Unreadable` in place of its content.
    content = body.content.getvalue() if isinstance(body.content, BytesIO) and not body.turn else b""
    if body.turn or len(content) > EXPENSIVE_BYTES:
        return True
    path = scope["path"].encode()
    custom = [f'"{name}"'.encode() for name in known_names()]
    return any(name in content or path.endswith(b"/" + name) for name in EXPENSIVE_TOOLS) or any(
        name in content or path.endswith(b"/" + name.strip(b'"')) for name in custom
    )
