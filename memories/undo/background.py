"""Undos in the background, part by part. A part is committed with the position, so that a kill loses nothing."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from common.disk_space import is_full
from common.texts import translatable
from memories.access import Actor, View
from memories.errors import InvalidInput, MemoriesError, NotFound, StorageFull
from memories.models import UndoJob
from memories.undo.parts import selected_ids
from memories.undo.selection import Selection
from memories.undo.undoing import UndoOutcome, undo
from memories.vectors.index_queue import queue_once

logger = logging.getLogger(__name__)

RUN_UNDOS: Final = "memories.run_undos"
KEPT: Final = 20
"""Number of undos of an owner that are kept, the latest ones."""

MAX_ATTEMPTS: Final = 5
"""Number of times that the job process may begin with an undo without getting any further."""

GAVE_UP: Final = (
    "The job process could not continue this undo; the log of the server says why. What was undone so far stays."
)
FULL: Final = "The disk of the server is full. The undo continues when there is space again."

State = UndoJob.State


def start_undo(actor: Actor, selection: Selection, description: str) -> UndoJob:
    """Have the job process undo the selected changes as the owner `actor`. What was changed again since stays.

    Raises NotFound if no change is selected, and InvalidInput while another undo of the owner runs.
    """
    mine = UndoJob.objects.filter(owner_id=actor.owner_id)
    total = len(selected_ids(actor, selection))
    try:
        with transaction.atomic():
            job = UndoJob.objects.create(
                owner_id=actor.owner_id,
                change_set=actor.change_set,
                selection=_as_json(selection),
                description=description,
                total=total,
            )
            kept = mine.order_by("-created_at").values_list("pk", flat=True)[:KEPT]
            mine.exclude(pk__in=list(kept)).delete()
    except IntegrityError:
        raise InvalidInput(
            translatable("Another undo is running in the background. Wait until it has ended, or cancel it.")
        ) from None
    queue_once(RUN_UNDOS)
    return job


def cancel_undo(job: UndoJob) -> None:
    """End a running undo. What it has undone stays, and can be undone as one change set."""
    _open(job).update(state=State.CANCELLED, ended_at=Now())


def run_undos(client: str) -> bool:
    """Carry out all open undos as `client`, one after the other, and return whether there were any.

    One that fails because of something else than its changes is left for the next run.
    """
    jobs = list(UndoJob.objects.filter(state=State.RUNNING).order_by("created_at"))
    for job in jobs:
        _run(job, client)
    return bool(jobs)


def _run(job: UndoJob, client: str) -> None:
    if job.attempts >= MAX_ATTEMPTS:
        _open(job).update(state=State.FAILED, problem=GAVE_UP, ended_at=Now())
        return
    _open(job).update(attempts=F("attempts") + 1)
    try:
        _carry_out(job, Actor(View.whole(job.owner_id), client, job.change_set, is_owner=True))
    except StorageFull:
        _open(job).update(problem=FULL, attempts=0)
    except MemoriesError as error:
        # Such as a text that was stored a moment ago.
        _open(job).update(problem=str(error))
    except Exception:
        logger.exception("The undo %s stopped. The next run continues.", job.pk)


def _carry_out(job: UndoJob, actor: Actor) -> None:
    selection = _from_json(job.selection)
    try:
        left = selected_ids(actor, selection).after(job.last_memory_id, job.last_document_id)
    except NotFound:
        left = None
    for part in left.parts(selection) if left else ():
        if is_full():
            raise StorageFull
        if not _undo_part(job, actor, part):
            return
    _open(job).update(state=State.DONE, problem="", ended_at=Now())


def _undo_part(job: UndoJob, actor: Actor, part: Selection) -> bool:
    """Undo a part. Return False if the undo was cancelled, or if another process has gone on with it."""
    with transaction.atomic():
        if not _open(job).filter(position=job.position).select_for_update().exists():
            return False
        try:
            job.counts = _added(job.counts, undo(actor, part))
        except NotFound:
            logger.info("Changes of the undo %s were deleted permanently.", job.pk)
        if part.memory_ids:
            job.last_memory_id = part.memory_ids[-1]
        if part.document_ids:
            job.last_document_id = part.document_ids[-1]
        job.position += len(part.memory_ids or ()) + len(part.document_ids or ())
        job.attempts, job.problem = 0, ""
        job.save(update_fields=["counts", "last_memory_id", "last_document_id", "position", "attempts", "problem"])
    return True


def _added(counts: Mapping[str, int], outcome: UndoOutcome) -> dict[str, int]:
    """Return the numbers with those of another part."""
    found = Counter(counts)
    for items in (outcome, outcome.documents):
        found["restored"] += len(items.restored)
        found["removed"] += len(items.removed)
        found["conflicts"] += len(items.conflicts)
        found["unchanged"] += items.unchanged
    found["synonyms"] += outcome.synonyms
    return dict(found)


def _open(job: UndoJob) -> QuerySet[UndoJob]:
    return UndoJob.objects.filter(pk=job.pk, state=State.RUNNING)


def _as_json(selection: Selection) -> dict[str, Any]:
    given = {field.name: getattr(selection, field.name) for field in fields(selection)}
    return {
        name: str(value) if isinstance(value, UUID | datetime) else value
        for name, value in given.items()
        if value is not None
    }


def _from_json(stored: Mapping[str, Any]) -> Selection:
    values = dict(stored)
    if "change_set" in values:
        values["change_set"] = UUID(values["change_set"])
    for name in ("since", "until"):
        if name in values:
            values[name] = datetime.fromisoformat(values[name])
    return Selection(**values)
