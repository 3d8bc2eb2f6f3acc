"""The gunicorn worker that runs the site: gunicorn's own for ASGI, which also knows when it has nothing left to do."""

from __future__ import annotations

import asyncio

from gunicorn.workers.gasgi import ASGIWorker

POLL_SECONDS = 0.05


class WebWorker(ASGIWorker):  # type: ignore[misc] # gunicorn has no types
    """One web server process."""

    def handle_exit_signal(self) -> None:
        """SIGTERM: end the streams, finish what is being answered, and wait for nobody else.

        By itself gunicorn waits out the time for a graceful end while any client keeps an idle connection.
        """
        super().handle_exit_signal()
        self.asgi.end_streams()
        self._leaving = self.loop.create_task(self._leave_when_done())

    async def _leave_when_done(self) -> None:
        for server in self.servers:
            server.close()
        while self.asgi.answering:
            await asyncio.sleep(POLL_SECONDS)
        self.handle_quit_signal()
