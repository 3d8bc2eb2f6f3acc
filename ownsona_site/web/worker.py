"""The gunicorn worker that runs the site: gunicorn's own for ASGI, with bounded connections and a prompt end."""

from __future__ import annotations

import asyncio
import os

from django.conf import settings
from gunicorn.workers.gasgi import ASGIWorker

from ownsona_site.web.tcp.acceptor import Acceptor
from ownsona_site.web.tcp.limits import Limits
from ownsona_site.web.tcp.protocol import HttpConnection
from ownsona_site.web.tcp.table import ConnectionTable

POLL_SECONDS = 0.05
HEARTBEAT_SECONDS = 0.25


class WebWorker(ASGIWorker):  # type: ignore[misc] # gunicorn has no types
    """One web server process."""

    def handle_exit_signal(self) -> None:
        """SIGTERM: end the streams, finish what is being answered, and wait for nobody else.

        By itself gunicorn waits out the time for a graceful end while any client keeps an idle connection.
        """
        super().handle_exit_signal()
        self.asgi.end_streams()
        self._leaving = self.loop.create_task(self._leave_when_done())

    async def _serve(self) -> None:
        """Serve until told to stop, or until gunicorn is gone: nobody else would stop this process.

        In place of gunicorn's own loop, which accepts without limit.
        """
        limits = Limits.of(settings.WEB_CONNECTIONS, settings.WEB_CONNECTIONS_PER_ADDRESS, settings.WEB_THREADS)
        table = ConnectionTable(limits)
        self.servers = [Acceptor(socket.sock, table, lambda: HttpConnection(self, table)) for socket in self.sockets]
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
