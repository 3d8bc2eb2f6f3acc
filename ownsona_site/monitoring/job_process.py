"""The job process: whether it is alive, and what it works on."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob, ProcrastinateWorker

HEARTBEAT_LOST_SECONDS = 30
"""Three times the interval at which a job process reports that it is alive."""


def is_alive() -> bool:
    """Return whether a job process runs."""
    return ProcrastinateWorker.objects.filter(last_heartbeat__gte=_alive_since()).exists()


def works_on(task: str) -> bool:
    """Return whether a job process that is alive carries out a task of this name at the moment."""
    jobs = ProcrastinateJob.objects.filter(task_name=task, status="doing")
    return jobs.filter(worker__last_heartbeat__gte=_alive_since()).exists()


def _alive_since() -> datetime:
    return timezone.now() - timedelta(seconds=HEARTBEAT_LOST_SECONDS)
