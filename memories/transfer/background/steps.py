"""The work on one import, step by step. A step commits what it did, so that a kill at any moment loses nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import BinaryIO

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from common.texts import translatable
from memories.access import Actor, View
from memories.errors import MemoriesError
from memories.models import ImportJob, ImportReport
from memories.transfer.archive.recognition import is_complete_archive
from memories.transfer.background.archives import archive_preview, restore_archive
from memories.transfer.background.choices import Choices
from memories.transfer.background.results import preview_json, summary_json, summary_of
from memories.transfer.background.stored_files import path_of
from memories.transfer.batches import batches
from memories.transfer.entries import ImportSource, UnreadableFile
from memories.transfer.importer import ImportRun
from memories.transfer.opening import open_import
from memories.transfer.preview import Check
from memories.transfer.report import report_line

State = ImportJob.State


def steps_of(job: ImportJob) -> Iterator[None]:
    """Work on an open import, and yield after each step. Other imports can have a turn then.

    It ends when the import has, or is no longer as it was: its owner may have cancelled it. Raises UnreadableFile,
    StorageFull, and errors of the database.
    """
    with _opened(job) as stream:
        if is_complete_archive(stream):
            _one_step(job)
        elif job.state == State.CHECKING:
            yield from _check(job, stream)
        else:
            yield from _carry_out(job, stream)


def actor_of(job: ImportJob) -> Actor:
    """Return the actor of an import, all of whose changes are one change set."""
    view = View(job.owner_id, tuple(job.only_tags))
    return Actor(
        view,
        job.client,
        job.change_set,
        job.session_id,
        job.is_quarantined,
        job.is_owner,
        tuple(job.refused_inferences),
    )


@contextmanager
def _opened(job: ImportJob) -> Iterator[BinaryIO]:
    try:
        stream = path_of(job.pk).open("rb")
    except FileNotFoundError:
        raise UnreadableFile(
            translatable("The file %(name)s is no longer in the data folder. Upload it again.", name=job.name)
        ) from None
    with stream:
        yield stream


def _one_step(job: ImportJob) -> None:
    """Check or import a complete archive."""
    if job.state == State.CHECKING:
        _note_progress(job, state=State.READY, preview=archive_preview(job))
        return
    with transaction.atomic():
        if _lock(job):
            counts = restore_archive(actor_of(job), job)
            _save(job, counts=counts, state=State.DONE, ended_at=Now())


def _run_of(job: ImportJob, choices: Choices) -> ImportRun:
    return ImportRun(actor_of(job), choices.dedup_policy, choices.source_provider, choices.tags)


def _check(job: ImportJob, stream: BinaryIO) -> Iterator[None]:
    choices = Choices.of(job.options)
    source = open_import(stream, job.name, choices.reading)
    check, position = Check(_run_of(job, choices), source), 0
    for batch in batches(source.entries, settings.MAX_BATCH_SIZE):
        check.add(batch)
        position += len(batch)
        if not _note_progress(job, position=position, total=source.total):
            return
        yield
    _note_progress(job, state=State.READY, position=0, total=position, preview=preview_json(check.result()))


def _note_progress(job: ImportJob, **values: object) -> bool:
    """Record the progress of a check. Return False if it is no longer wanted, or not with these options."""
    same = ImportJob.objects.filter(pk=job.pk, state=State.CHECKING, options=job.options)
    return bool(same.update(attempts=0, problem="", **values))


def _carry_out(job: ImportJob, stream: BinaryIO) -> Iterator[None]:
    choices = Choices.of(job.options)
    source = open_import(stream, job.name, choices.reading)
    run, lines = _run_of(job, choices), list[str]()
    if job.version != settings.VERSION and not _begin(job):
        return
    run.summary = summary_of(job.counts)
    run.observe = lambda entry, _, outcome: lines.append(report_line(entry, outcome))
    _pass_over(job, run, source)
    for batch in batches(source.entries, settings.MAX_BATCH_SIZE):
        with transaction.atomic():
            if not _lock(job):
                return
            run.bring_in(batch, _in_report)
            ImportReport.objects.create(job=job, first=job.position, lines="".join(lines))
            _save(job, position=job.position + len(batch), total=source.total, counts=_counts(run, source))
        lines.clear()
        yield
    with transaction.atomic():
        if _lock(job):
            run.finish()
            _save(job, counts=_counts(run, source), total=job.position, state=State.DONE, ended_at=Now())


def _begin(job: ImportJob) -> bool:
    """Begin at the first entry: other readers may divide the file in another way. What is stored is a duplicate.

    Return False as `_lock` does.
    """
    with transaction.atomic():
        if not _lock(job):
            return False
        ImportReport.objects.filter(job=job).delete()
        _save(job, position=0, counts={}, version=settings.VERSION)
        return True


def _pass_over(job: ImportJob, run: ImportRun, source: ImportSource) -> None:
    """Read the entries that an earlier process has imported, and recall the ids of their memories."""
    reports = ImportReport.objects.filter(job=job).order_by("first").values_list("lines", flat=True)
    lines = chain.from_iterable(report.splitlines() for report in reports.iterator(chunk_size=10))
    for line in lines:
        entry = next(source.entries, None)
        memory_id = json.loads(line).get("id")
        if entry is not None and memory_id is not None:
            run.recall_stored(entry, memory_id)


def _in_report(_: str, __: MemoriesError) -> None:
    """Do nothing with an error: it is in the report."""


def _counts(run: ImportRun, source: ImportSource) -> dict[str, object]:
    return {**summary_json(run.summary), "notes": source.notes.lines()}


def _lock(job: ImportJob) -> bool:
    """Lock an import. Return False if it was cancelled, or if another process has gone on with it."""
    same = ImportJob.objects.filter(pk=job.pk, state=State.RUNNING, position=job.position)
    return same.select_for_update().exists()


def _save(job: ImportJob, **values: object) -> None:
    """Store what an import has done. It has got further, so that earlier failures do not count."""
    for name, value in {**values, "attempts": 0, "problem": ""}.items():
        setattr(job, name, value)
    job.save(update_fields=[*values, "attempts", "problem"])
