"""Turns of the open imports: each has one batch at a time, so that a small one does not wait for a large one."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Final
from uuid import UUID

from django.db.models import F, QuerySet
from django.db.models.functions import Now

from common.disk_space import is_full
from common.texts import translatable
from memories.errors import StorageFull
from memories.models import ImportJob
from memories.transfer.background.steps import steps_of
from memories.transfer.background.stored_files import delete_file
from memories.transfer.entries import UnreadableFile

logger = logging.getLogger(__name__)

MAX_ATTEMPTS: Final = 5
"""Number of times that the job process may begin with an import without getting any further."""

GAVE_UP: Final = translatable(
    "The job process could not continue this import; the log of the server says why. What was imported so far stays. "
    "Check the file, and import it again."
)
FULL: Final = translatable("The disk of the server is full. The import continues when there is space again.")

State = ImportJob.State


def run_imports() -> bool:
    """Check and carry out all open imports, and return whether there were any.

    One that fails because of something else than its file is left for the next run.
    """
    begun: dict[UUID, Iterator[None]] = {}
    left: set[UUID] = set()
    while jobs := [job for job in _next_imports() if job.pk not in left]:
        for job in jobs:
            if is_full():
                _open(job).update(problem=FULL)
                left.add(job.pk)
                continue
            steps = begun.pop(job.pk, None) or _begin(job)
            if steps is None or not take_step(job, steps):
                left.add(job.pk)
            else:
                begun[job.pk] = steps
        # An import that was cancelled keeps no file open.
        for pk in begun.keys() - {job.pk for job in jobs}:
            begun.pop(pk)
    return bool(left)


def check_now(job: ImportJob) -> None:
    """Check an import to the end."""
    steps = _begin(job)
    while steps is not None and take_step(job, steps):
        pass


def take_step(job: ImportJob, steps: Iterator[None]) -> bool:
    """Take the next step of an import, and return whether there are more. What goes wrong is recorded."""
    try:
        next(steps)
        return True
    except StopIteration:
        _tidy(job)
    except UnreadableFile as error:
        _fail(job, str(error))
    except StorageFull:
        _open(job).update(problem=FULL, attempts=0)
    except Exception:
        logger.exception("The import %s stopped. The next run continues.", job.pk)
    return False


def _next_imports() -> list[ImportJob]:
    """Return what to check, and the oldest import of each owner that was started."""
    checking = list(ImportJob.objects.filter(state=State.CHECKING).order_by("created_at"))
    running = ImportJob.objects.filter(state=State.RUNNING).order_by("owner_id", "started_at", "pk")
    return [*checking, *running.distinct("owner_id")]


def _begin(job: ImportJob) -> Iterator[None] | None:
    """Count an attempt and return the steps; None if there were too many. A file may have ended the process itself."""
    if job.attempts >= MAX_ATTEMPTS:
        _fail(job, job.problem or GAVE_UP)
        return None
    _open(job).update(attempts=F("attempts") + 1)
    return steps_of(job)


def _fail(job: ImportJob, problem: str) -> None:
    _open(job).update(state=State.FAILED, problem=problem, ended_at=Now())
    _tidy(job)


def _open(job: ImportJob) -> QuerySet[ImportJob]:
    return ImportJob.objects.filter(pk=job.pk, state=job.state)


def _tidy(job: ImportJob) -> None:
    """Delete the file of an import that has ended."""
    if not ImportJob.objects.filter(pk=job.pk, state__in=ImportJob.OPEN).exists():
        delete_file(job.pk)
