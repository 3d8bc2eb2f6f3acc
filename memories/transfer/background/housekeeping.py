"""Removal of what imports leave behind."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db.models.functions import Now
from django.utils import timezone

from memories.models import ImportJob
from memories.transfer.background.stored_files import delete_file, delete_unused_files

ABANDONED_DAYS: Final = 1
"""Days after which an import that was checked, but not started, is cancelled."""

KEPT_DAYS: Final = 30
"""Days for which the report on an import is kept."""


def tidy_imports(*, for_their_age: bool = True) -> None:
    """Cancel abandoned imports, delete old reports and unused files; for their age only if the clock is right."""
    if for_their_age:
        now = timezone.now()
        abandoned = ImportJob.objects.filter(
            state=ImportJob.State.READY, created_at__lt=now - timedelta(days=ABANDONED_DAYS)
        )
        for job in abandoned:
            if abandoned.filter(pk=job.pk).update(state=ImportJob.State.CANCELLED, ended_at=Now()):
                delete_file(job.pk)
        ImportJob.objects.filter(ended_at__lt=now - timedelta(days=KEPT_DAYS)).delete()
    delete_unused_files()
