"""Complete archives as files to import."""

from __future__ import annotations

from typing import Any

from common.texts import translatable
from memories.access import Actor
from memories.models import ImportJob
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.importing import import_archive, read_manifest
from memories.transfer.background.stored_files import path_of
from memories.transfer.entries import UnreadableFile


def archive_preview(job: ImportJob) -> dict[str, Any]:
    """Return what an archive has, after all of it was verified. Raises UnreadableFile."""
    _require_owner(job)
    try:
        manifest = read_manifest(path_of(job.pk), job.name)
    except UnusableArchive as error:
        raise UnreadableFile(str(error)) from None
    return {
        "archive": {
            "created_at": manifest.created_at.isoformat(),
            "version": manifest.ownsona_version,
            "counts": manifest.counts,
        }
    }


def restore_archive(actor: Actor, job: ImportJob) -> dict[str, Any]:
    """Store what is missing, and return the counts. Call it in a transaction. Raises UnreadableFile and StorageFull."""
    _require_owner(job)
    try:
        summary = import_archive(actor, path_of(job.pk), job.name)
    except UnusableArchive as error:
        raise UnreadableFile(str(error)) from None
    kinds = {
        kind: {"added": counts.added, "present": counts.present, "refused": counts.refused}
        for kind, counts in summary.counts.items()
    }
    return {"archive": kinds, "notes": summary.notes}


def _require_owner(job: ImportJob) -> None:
    if not job.is_owner or job.only_tags:
        raise UnreadableFile(
            translatable(
                "%(name)s is a complete archive. Only the owner can import it, on the page Import or with "
                "`manage.py import`.",
                name=job.name,
            )
        )
