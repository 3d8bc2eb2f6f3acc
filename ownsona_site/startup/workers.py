"""The processes that gunicorn forks: web processes, and one job process."""

from __future__ import annotations

import signal
import sys

from django.conf import settings
from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker

from ownsona_site.startup.job_worker import JobWorker
from ownsona_site.startup.restart_pauses import RestartPauses
from ownsona_site.web.worker import WebWorker


class Workers:
    """Creates the workers, in gunicorn's parent process. With it, there is always one job process."""

    def __init__(self) -> None:
        self._pauses = RestartPauses()
        self._had_jobs = False

    def create(self, *args: object) -> Worker:
        """Create the worker that is forked next: the job process, if only that is missing. `args` are gunicorn's."""
        running = Arbiter.WORKERS.values()
        serving = sum(isinstance(worker, WebWorker) for worker in running)
        if serving < settings.WEB_CONCURRENCY or any(isinstance(worker, JobWorker) for worker in running):
            return WebWorker(*args)
        _ignore_signals()
        return JobWorker(*args, pause_seconds=self._pause_before_jobs())

    def _pause_before_jobs(self) -> float:
        pause_seconds = 0.0
        if self._had_jobs:
            pause_seconds = self._pauses.after_end()
            message = f"The job process ended unexpectedly. It restarts in {pause_seconds:.0f} s."
            print(message, file=sys.stderr, flush=True)
        self._had_jobs = True
        self._pauses.started(in_seconds=pause_seconds)
        return pause_seconds


def _ignore_signals() -> None:
    """Ignore the signals on which gunicorn would change the number of workers or replace them, and end the jobs."""
    for number in (signal.SIGHUP, signal.SIGTTIN, signal.SIGTTOU):
        signal.signal(number, signal.SIG_IGN)


create_worker = Workers().create
"""The worker class for gunicorn, which only calls it."""
