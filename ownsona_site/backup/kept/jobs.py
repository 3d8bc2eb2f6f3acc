"""Requests for a backup to the job process, and the times at which the plan asks for one."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from django.conf import settings
from django.utils import timezone
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.exceptions import AlreadyEnqueued

from ownsona_site.backup.kept.making import forget_lost_runs
from ownsona_site.models import BackupPlan, BackupRun

BACK_UP = "site.back_up"
NIGHT = time(3, 30)
"""When a backup is made at night, in the owner's time zone."""


def back_up_soon(*, is_nightly: bool = False) -> bool:
    """Have the job process make a backup. Return False if one is already queued or under way."""
    if under_way():
        return False
    try:
        app.configure_task(BACK_UP, lock=BACK_UP, queueing_lock=BACK_UP).defer(is_nightly=is_nightly)
    except AlreadyEnqueued:
        return False
    return True


def under_way() -> str | None:
    """Return "doing" if a backup is being made, "todo" if one is only queued, else None.

    A backup that was interrupted because the job process was killed is made again, and counts as being made.
    """
    jobs = ProcrastinateJob.objects.filter(task_name=BACK_UP, status__in=("todo", "doing"))
    return jobs.order_by("status").values_list("status", flat=True).first()


def follow_plan() -> None:
    """Ask for the backup of the last night if it is missing, and tidy up after backups that were interrupted."""
    if under_way():
        return
    forget_lost_runs()
    if is_due(BackupPlan.current(), timezone.now()):
        back_up_soon(is_nightly=True)


def is_due(plan: BackupPlan, now: datetime) -> bool:
    """Return whether no backup was tried since the last time at night. One by hand counts if it succeeded."""
    last_time = last_night(now)
    if plan.nightly_since is None or plan.nightly_since > last_time:
        return False
    since = BackupRun.objects.filter(started_at__gte=last_time, started_at__lte=now)
    return not any(run.is_nightly or not run.problem for run in since)


def last_night(now: datetime) -> datetime:
    """Return the last time at which a backup was due."""
    local = timezone.localtime(now, settings.OWNER_TIME_ZONE)
    due = datetime.combine(local.date(), NIGHT, settings.OWNER_TIME_ZONE)
    if due > local:
        due = datetime.combine(local.date() - timedelta(days=1), NIGHT, settings.OWNER_TIME_ZONE)
    return due
