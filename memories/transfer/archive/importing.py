"""Import of an archive."""

from __future__ import annotations

from pathlib import Path

from django.db import DataError, IntegrityError, transaction

from common.advisory_locks import AdvisoryLock, lock_until_commit
from common.texts import translatable
from memories.access import Actor
from memories.database import refuse_growth
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.journalling import journal_import
from memories.transfer.archive.manifest import SHOWN_NAMES, Manifest, recorded_settings
from memories.transfer.archive.memory_ids import MemoryIds
from memories.transfer.archive.placeholder_numbers import PlaceholderNumbers
from memories.transfer.archive.reader import ArchiveReader
from memories.transfer.archive.registry import parts
from memories.transfer.archive.restoration import Restoration, Summary


def import_archive(actor: Actor, path: Path, name: str = "") -> Summary:
    """Store everything in an archive that its owner does not have yet, and return what was stored.

    Everything happens in one transaction. A repeated import changes nothing. Vectors are made later by the job process.
    `name` is for messages, instead of the path. Raises UnusableArchive, and StorageFull; then nothing was stored.
    """
    if not (actor.is_owner and actor.view.is_whole):
        raise ValueError("an archive is imported by its owner")
    refuse_growth()
    name = name or str(path)
    with ArchiveReader(path, [part.members for part in parts()], name) as archive:
        try:
            with transaction.atomic():
                return _restored(actor, archive)
        except UnusableArchive as error:
            raise UnusableArchive(f"{name} cannot be imported. {error}") from None
        except (DataError, IntegrityError) as error:
            # Only the first line: later lines of the driver's message contain values of the row.
            problem = str(error).partition("\n")[0]
            raise UnusableArchive(f"{name} cannot be imported. The database refused a row: {problem}") from None


def read_manifest(path: Path, name: str) -> Manifest:
    """Verify all of an archive and return its manifest. `name` is for messages. Raises UnusableArchive."""
    with ArchiveReader(path, [part.members for part in parts()], name) as archive:
        return archive.manifest


def _restored(actor: Actor, archive: ArchiveReader) -> Summary:
    # Batches of other processes that store memories would meet this one in another order of texts, and deadlock.
    lock_until_commit(AdvisoryLock.BATCH_INSERTION, actor.owner_id)
    restoration = Restoration(actor, archive, MemoryIds(), PlaceholderNumbers(actor.owner_id, archive))
    for part in parts():
        part.restore(restoration)
    journal_import(restoration)
    restoration.memory_ids.close()
    restoration.placeholder_numbers.close()
    restoration.summary.notes += _differences(archive.manifest)
    return restoration.summary


def _differences(manifest: Manifest) -> list[str]:
    """Return a sentence for each setting that has another value here."""
    here = recorded_settings()
    return [
        translatable(
            "The setting %(name)s was %(value)s and is %(here)s here.",
            name=SHOWN_NAMES.get(name, name),
            value=repr(value)[:100],
            here=repr(here[name])[:100],
        )
        for name, value in manifest.settings.items()
        if name in here and here[name] != value
    ]
