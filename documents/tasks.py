"""Background tasks on documents, run by the job process. Procrastinate looks for tasks in modules of this name."""

from __future__ import annotations

import logging

from django.utils import timezone
from procrastinate.contrib.django import app

from common.allocation import give_back_what_is_free
from common.disk_space import is_full
from documents.models import Source, Version
from documents.queue import READ_QUEUED, SYNC_DUE, SYNC_SOURCE
from documents.sources.schedule import next_due
from documents.sources.sync import sync
from documents.writing.reading import read_version
from memories.errors import NotFound

logger = logging.getLogger(__name__)


@app.periodic(cron="* * * * *", periodic_id="read_documents")
@app.task(name=READ_QUEUED, lock=READ_QUEUED, queueing_lock=READ_QUEUED)
def read_queued(timestamp: int = 0) -> None:
    """Read every queued version, the smallest first, unless the disk is full.

    A note must not wait for a file of 90 MB, which takes minutes. `timestamp` is what the library passes to periodic
    tasks: the Unix time in seconds at which the run is due.
    """
    tried: set[int] = set()
    queued = Version.objects.filter(state=Version.State.QUEUED).order_by("original__size_bytes", "pk")
    while not is_full() and (version := queued.exclude(pk__in=tried).first()):
        tried.add(version.pk)
        _read_or_log(version.pk)
    if tried:
        give_back_what_is_free()


def _read_or_log(version_id: int) -> None:
    """Read a version. One that cannot be stored must not keep the others waiting: the next run retries it."""
    try:
        read_version(version_id)
    except Exception:
        logger.exception("Version %d of a document could not be stored. The next run retries.", version_id)


@app.periodic(cron="* * * * *", periodic_id="sync_sources")
@app.task(name=SYNC_DUE, lock=SYNC_DUE, queueing_lock=SYNC_DUE)
def sync_due(timestamp: int = 0) -> None:
    """Sync every source that is due, one after the other, the one that has been due for the longest time first."""
    tried: set[int] = set()
    while source := next_due(timezone.now(), tried):
        tried.add(source.pk)
        _sync_or_log(source)
    if tried:
        give_back_what_is_free()


@app.task(name=SYNC_SOURCE)
def sync_source(source_id: int, confirm_removals: bool = False) -> None:
    """Sync a source because somebody asked for it. `confirm_removals`: see `sync`."""
    source = Source.objects.filter(pk=source_id).first()
    if source is None:
        return
    if not _sync_or_log(source, confirm_removals=confirm_removals):
        # A dry run has the source. The next scheduled run syncs it.
        Source.objects.filter(pk=source_id).update(next_run_at=timezone.now())
    give_back_what_is_free()


def _sync_or_log(source: Source, *, confirm_removals: bool = False) -> bool:
    """Sync a source and log a failure. Return False if it is being synced or listed elsewhere."""
    try:
        report = sync(source, confirm_removals=confirm_removals)
    except NotFound:
        logger.info("Source %d was removed before it was synced.", source.pk)
        return True
    if report.problem:
        logger.warning("Source %d could not be synced. list_sources says why.", source.pk)
    return not report.is_already_running
