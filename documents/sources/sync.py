"""A sync: the documents of a source are made those of its items."""

from __future__ import annotations

import logging

from common.advisory_locks import AdvisoryLock, locked_if_free
from common.disk_space import is_about_full_disk, note_full_disk
from common.texts import translatable
from documents.connectors.base import SourceError
from documents.models import Source
from documents.sources.report import SyncReport
from documents.sources.run import SyncRun
from documents.sources.schedule import record_end, record_start
from memories.errors import NotFound, StorageFull

logger = logging.getLogger(__name__)


def sync(
    source: Source, *, dry_run: bool = False, confirm_removals: bool = False, max_seconds: float | None = None
) -> SyncReport:
    """Add, update and forget documents so that they are those of the source, and return what was done.

    A failed listing forgets nothing. With `dry_run`, items are listed and compared, but neither read nor stored.
    `confirm_removals` permits to forget most documents at once; `max_seconds` limits the listing. The problems of a
    source are in the report. Raises NotFound if the source was removed meanwhile.
    """
    report = SyncReport(source.name, dry_run)
    with locked_if_free(AdvisoryLock.SOURCE_SYNC, source.pk) as is_free:
        if not is_free:
            report.is_already_running = True
            return report
        # The settings may have changed since the caller read them.
        current = Source.objects.filter(pk=source.pk).first()
        if current is None:
            raise NotFound(translatable("The source “%(name)s” was removed.", name=source.name))
        if not dry_run:
            record_start(current)
        run = SyncRun(current, report, confirm_removals=confirm_removals, max_seconds=max_seconds)
        report.problem = _problem_of(run)
        if not dry_run:
            record_end(current, report)
    return report


def _problem_of(run: SyncRun) -> str:
    """Perform the run and return why it failed; "" if it did not."""
    try:
        return run.perform()
    except SourceError as error:
        return str(error)
    except StorageFull:
        return _full_disk()
    except Exception as error:
        if is_about_full_disk(error):
            note_full_disk()
            return _full_disk()
        logger.exception("The sync of source %d failed unexpectedly", run.source.pk)
        return translatable("The sync failed unexpectedly. The log of the server has the details.")


def _full_disk() -> str:
    return translatable("The disk of the server is full. Free space; the next sync continues.")
