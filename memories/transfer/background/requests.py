"""Imports as their owner or an app asks for them: created, checked again, started, cancelled."""

from __future__ import annotations

import uuid
from typing import IO, Final

from django.db.models.functions import Now
from django.utils import timezone

from common.texts import translatable
from memories.access import Actor
from memories.database import refuse_growth
from memories.errors import InvalidInput, LimitExceeded, NotFound
from memories.models import ImportJob
from memories.transfer.background.choices import Choices
from memories.transfer.background.queue import import_soon
from memories.transfer.background.stored_files import delete_file, path_of, store_file
from memories.transfer.background.turns import check_now
from memories.transfer.files.archive import is_archive
from memories.validation.text import make_storable

MAX_OPEN: Final = 10
"""Largest number of open imports of an owner or an app. Each has a file on the disk."""

MAX_NAME_CHARS: Final = 200
CHECKED_AT_ONCE_BYTES: Final = 256_000
"""Size up to which a file is checked while its sender waits, which takes a second. An archive may be larger inside."""

State = ImportJob.State


def create_import(
    actor: Actor, name: str, content: IO[bytes], choices: Choices, *, starts: bool = False, permission: str = ""
) -> ImportJob:
    """Store a seekable file and have it checked, or with `starts` imported, and return the import.

    A small file is checked before this returns. If MAX_OPEN imports are open, the oldest that was checked and not
    started is discarded. Raises InvalidInput for an empty file, LimitExceeded for too many open imports, StorageFull,
    and OSError.
    """
    refuse_growth()
    unneeded = _to_discard(actor)
    import_id = uuid.uuid4()
    try:
        size_bytes = store_file(import_id, content)
        if not size_bytes:
            raise InvalidInput(translatable("is empty."), argument="file")
        if unneeded is not None:
            _discard(unneeded)
        job = ImportJob.objects.create(
            id=import_id,
            owner_id=actor.owner_id,
            client=actor.client,
            permission=permission,
            only_tags=list(actor.view.only_tags),
            is_quarantined=actor.is_quarantined,
            refused_inferences=list(actor.refused_inferences),
            is_owner=actor.is_owner,
            session_id=actor.session_id,
            name=_clean_name(name),
            size_bytes=size_bytes,
            options=choices.as_json(),
            state=State.RUNNING if starts else State.CHECKING,
            started_at=timezone.now() if starts else None,
        )
    except BaseException:
        delete_file(import_id)
        raise
    if starts:
        import_soon()
    else:
        _check(job)
    return job


def _to_discard(actor: Actor) -> ImportJob | None:
    """Return the import that makes room for another one; None if there is room. Raises LimitExceeded."""
    mine = ImportJob.objects.filter(owner_id=actor.owner_id, client=actor.client)
    if mine.filter(state__in=ImportJob.OPEN).count() < MAX_OPEN:
        return None
    oldest = mine.filter(state=State.READY).order_by("created_at").first()
    if oldest is None:
        raise LimitExceeded(
            translatable(
                "%(max_open)s imports are under way. Wait until one has ended, or cancel one.", max_open=MAX_OPEN
            )
        )
    return oldest


def _discard(job: ImportJob) -> None:
    """Cancel an import to make room for a newer one, unless it was started or cancelled a moment ago."""
    problem = str(translatable("It was not started, and newer previews took its place."))
    if ImportJob.objects.filter(pk=job.pk, state=State.READY).update(
        state=State.CANCELLED, ended_at=Now(), problem=problem
    ):
        delete_file(job.pk)


def check_again(job: ImportJob, choices: Choices) -> None:
    """Check an import that has not started again, with other choices. Raises NotFound if it has."""
    new = {"options": choices.as_json(), "position": 0, "attempts": 0, "problem": "", "preview": None}
    _change(job, (State.CHECKING, State.READY), state=State.CHECKING, **new)
    _check(job)


def start_import(job: ImportJob) -> None:
    """Start an import that was checked. Raises NotFound if it is not ready."""
    _change(job, (State.READY,), state=State.RUNNING, started_at=Now(), position=0, attempts=0)
    import_soon()


def cancel_import(job: ImportJob) -> None:
    """Cancel an open import. What it has stored stays, and can be undone. Raises NotFound if it has ended."""
    _change(job, ImportJob.OPEN, state=State.CANCELLED, ended_at=Now(), problem="")
    delete_file(job.pk)


def cancel_imports_of(permission: str) -> None:
    """Cancel the open imports of an app that was disconnected."""
    for job in ImportJob.objects.filter(permission=permission, state__in=ImportJob.OPEN):
        cancel_import(job)


def _check(job: ImportJob) -> None:
    """Check a small file now, and have any other checked in the background."""
    if _is_small(job):
        check_now(job)
        job.refresh_from_db()
    if job.state == State.CHECKING:
        import_soon()


def _clean_name(name: str) -> str:
    """Return the name without folders, at its end if it is long: the format may depend on the ending."""
    return make_storable(name.replace("\\", "/").rpartition("/")[2].strip()[-MAX_NAME_CHARS:], MAX_NAME_CHARS) or "file"


def _is_small(job: ImportJob) -> bool:
    if job.size_bytes > CHECKED_AT_ONCE_BYTES:
        return False
    try:
        with path_of(job.pk).open("rb") as stream:
            return not is_archive(stream.read(4))
    except FileNotFoundError:
        return True  # A restore of a backup brings imports back without their files. The check reports it.


def _change(job: ImportJob, states: tuple[str, ...], **values: object) -> None:
    if not ImportJob.objects.filter(pk=job.pk, state__in=states).update(**values):
        raise NotFound(translatable("This import has continued in the meantime. Load it again."))
    job.refresh_from_db()
