"""Gunicorn worker that serves no requests, but runs the background jobs."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from django.utils.module_loading import import_string
from gunicorn.workers.base import Worker

HEARTBEAT_SECONDS = 1.0
NAME = "ownsona jobs"
"""Name in lists of processes, on Linux: its command line is that of the web processes."""


class JobWorker(Worker):  # type: ignore[misc] # gunicorn has no types
    """The job process. Forked from the loaded application, it shares the memory of everything that was loaded."""

    def __init__(self, *args: object, pause_seconds: float) -> None:
        """Create the worker, still in gunicorn's parent process. `args` are gunicorn's."""
        super().__init__(*args)
        self.alive = True
        self._pause_seconds = pause_seconds

    def init_signals(self) -> None:
        """Remove the handlers of the parent. `_run` adds those of the job process."""
        for number in self.SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)

    def run(self) -> None:
        """Run jobs until asked to stop. Otherwise exit with an error: gunicorn then forks the next job process."""
        for listener in self.sockets:
            listener.close()
        with suppress(OSError):
            Path("/proc/self/comm").write_text(NAME, encoding="ascii")
        asyncio.run(self._run())
        if self.alive:
            sys.exit(1)

    async def _run(self) -> None:
        """Run jobs until asked to stop, or until the gunicorn parent has died: nothing else would stop this process.

        The jobs run in threads. Gunicorn kills a process whose event loop does not respond for half a minute.
        """
        jobs = asyncio.create_task(self._work())
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
            asyncio.get_running_loop().add_signal_handler(number, self._stop, jobs)
        while not jobs.done():
            self.notify()
            if self.ppid != os.getppid():
                self._stop(jobs)
            await asyncio.wait([jobs], timeout=HEARTBEAT_SECONDS)
        if not jobs.cancelled():
            jobs.result()

    def _stop(self, jobs: asyncio.Task[None]) -> None:
        """Finish the running jobs. Later requests are ignored: a second cancellation would interrupt that."""
        if self.alive:
            self.alive = False
            jobs.cancel()

    async def _work(self) -> None:
        await asyncio.sleep(self._pause_seconds)
        # Gunicorn imports this module before it loads the application.
        jobs = import_string("ownsona_site.startup.jobs")
        try:
            await jobs.run_jobs()
        except jobs.DatabaseFailed as error:
            print(f"The job process is stopping: {error}", file=sys.stderr, flush=True)
