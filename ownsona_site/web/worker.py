"""Gunicorn worker of the site: gunicorn's ASGI worker with limited connections and a prompt shutdown."""

from __future__ import annotations

import asyncio
import os
from functools import cache

from django.conf import settings
from gunicorn.workers.gasgi import ASGIWorker

from ownsona_site.web.tcp.acceptor import Acceptor
from ownsona_site.web.tcp.even_shares import EvenShares
from ownsona_site.web.tcp.limits import Limits
from ownsona_site.web.tcp.protocol import HttpConnection
from ownsona_site.web.tcp.table import ConnectionTable

POLL_SECONDS = 0.05
HEARTBEAT_SECONDS = 0.25


class WebWorker(ASGIWorker):  # type: ignore[misc] # gunicorn has no types
    """One web server process."""

    def __init__(self, *args: object) -> None:
        """Create the worker, still in gunicorn's parent process. `args` are gunicorn's."""
        super().__init__(*args)
        self._shares = shares_of(settings.WEB_CONCURRENCY)

    def handle_exit_signal(self) -> None:
        """Handle SIGTERM: end the streams, finish the active requests, then exit.

        Gunicorn alone would wait for its whole graceful timeout while any client keeps an idle connection.
        """
        super().handle_exit_signal()
        self.asgi.end_streams()
        self._leaving = self.loop.create_task(self._leave_when_done())

    async def _serve(self) -> None:
        """Serve until asked to stop, or until the gunicorn parent has died: nothing else would stop this process then.

        Replaces gunicorn's own loop, which accepts connections without limit.
        """
        limits = Limits.of(settings.WEB_CONNECTIONS, settings.WEB_CONNECTIONS_PER_ADDRESS, settings.WEB_THREADS)
        table = ConnectionTable(limits)
        self._shares.join()
        self.servers = [
            Acceptor(socket.sock, table, self._shares, lambda: HttpConnection(self, table)) for socket in self.sockets
        ]
        for server in self.servers:
            server.start()
        while self.alive and self.ppid == os.getppid():
            self.notify()
            for server in self.servers:
                server.tidy()
            await asyncio.sleep(HEARTBEAT_SECONDS)
        if self.alive:
            self.handle_exit_signal()
        await self._shutdown()

    async def _leave_when_done(self) -> None:
        for server in self.servers:
            server.close()
        while self.asgi.active_requests:
            await asyncio.sleep(POLL_SECONDS)
        self.handle_quit_signal()


@cache
def shares_of(processes: int) -> EvenShares:
    """Return the one object that all web processes share. Called before any of them is forked."""
    return EvenShares(processes)
