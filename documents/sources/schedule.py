"""The times of syncs: when one is due, and the record of each."""

from __future__ import annotations

import random
from collections.abc import Collection
from datetime import datetime, timedelta

from django.utils import timezone

from common.texts import translatable
from documents.models import Source
from documents.sources.report import SyncReport

FIRST_BACK_OFF = timedelta(minutes=5)
MAX_BACK_OFF = timedelta(days=1)
REPORTED = ("added", "changed", "removed", "skipped", "unchanged", "problem", "notes", "unconfirmed_removals")
"""The fields of a report that are stored with the source."""

JITTER = 0.1
"""The greatest part of an interval that is added to it, so that sources with one interval do not stay together."""


def next_due(now: datetime, tried: Collection[int]) -> Source | None:
    """Return the source that has been due for the longest time, without those with the ids `tried`."""
    due = Source.objects.filter(next_run_at__lte=now, paused_at=None, owner__is_active=True)
    return due.exclude(pk__in=tried).order_by("next_run_at", "pk").first()


def next_run(interval_minutes: int, failures: int, now: datetime) -> datetime | None:
    """Return the time of the next sync; None if the source is synced only manually.

    `failures` is the number of failed syncs since the last success. Each one doubles the delay, up to a day.
    """
    if not interval_minutes:
        return None
    wait = timedelta(minutes=interval_minutes)
    if failures:
        wait = min(min(wait, FIRST_BACK_OFF) * 2 ** min(failures - 1, 20), MAX_BACK_OFF)
    return now + wait * (1 + random.uniform(0, JITTER))  # noqa: S311 - nothing to guess


def waits_after_failures(source: Source) -> bool:
    """Return whether the next sync is later than scheduled, because the last ones failed."""
    if not source.failures or source.finished_at is None or source.next_run_at is None:
        return False
    return source.next_run_at - source.finished_at > timedelta(minutes=source.interval_minutes) * (1 + JITTER)


def record_start(source: Source) -> None:
    """Record that a sync begins. If it is killed, that counts as a failure."""
    if source.started_at is not None and source.finished_at is None:
        source.problem = translatable("The last sync was interrupted. The next one continues.")
    source.started_at, source.finished_at = timezone.now(), None
    source.failures += 1
    source.next_run_at = next_run(source.interval_minutes, source.failures, source.started_at)
    source.save(update_fields=["started_at", "finished_at", "failures", "next_run_at", "problem"])


def record_end(source: Source, report: SyncReport) -> None:
    """Record the result of a sync."""
    source.finished_at = timezone.now()
    for name in REPORTED:
        setattr(source, name, getattr(report, name))
    if report.is_ok:
        source.failures = 0
    source.next_run_at = next_run(source.interval_minutes, source.failures, source.finished_at)
    source.save(update_fields=[*REPORTED, "finished_at", "failures", "next_run_at"])
