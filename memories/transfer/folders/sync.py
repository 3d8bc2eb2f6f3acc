"""Two-way sync of a folder of Markdown files: edits come back as the owner's changes, then the files are written."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings

from common.texts import translatable
from memories.access import Actor
from memories.database import among
from memories.drafts import Draft
from memories.errors import InvalidInput, MemoriesError, NotFound
from memories.models import Memory
from memories.transfer.batches import batches
from memories.transfer.exporting import exported_memories
from memories.transfer.folders.edits import MAX_BYTES, Content, content_digest
from memories.transfer.folders.export import FolderSummary, export_markdown, markdown_of
from memories.transfer.folders.index import FolderIndex
from memories.transfer.private_files import replace_file
from memories.writing.deduplication import DedupPolicy
from memories.writing.lifecycle import forget_memories
from memories.writing.remembering import RememberRequest, remember
from memories.writing.updating import update_memory

FORGET_REASON = translatable("Its file was deleted.")


@dataclass(slots=True)
class SyncSummary:
    """The outcome of a sync.

    `updated`, `forgotten` and `deleted_files` count memories; those of deleted files were not forgotten. `conflicts`
    and `refused` are pairs of a file's name and a sentence. `files` says what was written then.
    """

    updated: int = 0
    forgotten: int = 0
    deleted_files: int = 0
    conflicts: list[tuple[str, str]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    files: FolderSummary = field(default_factory=FolderSummary)


@dataclass(frozen=True, slots=True)
class _Edit:
    """An edited file, what is in it, and its memory as it is here."""

    name: str
    file: bytes
    content: Content
    memory: Memory


def sync_folder(actor: Actor, folder: Path, *, forgets_deleted: bool = False) -> SyncSummary:
    """Make edits of the files changes by `actor`, all in one change set, and bring the files up to date.

    A memory that was changed here and in its file since the last sync is a conflict: both texts are stored. Memories
    whose file was deleted are forgotten with `forgets_deleted`. Forgotten memories have no file. A killed sync can be
    repeated. Raises UnusableTarget, StorageFull and OSError.
    """
    index, summary = FolderIndex.read(folder), SyncSummary()
    deleted: list[str] = []
    for names in batches(sorted(index.hashes, key=_id_of), settings.MAX_BATCH_SIZE):
        current = {name: index.current_hash(name) for name in names}
        edited = [name for name, digest in current.items() if digest not in (None, index.hashes[name])]
        deleted += [name for name, digest in current.items() if digest is None]
        memories = _memories(actor, edited)
        for name in edited:
            _take_in(actor, index, name, memories.get(_id_of(name)), summary)
    _forget_deleted(actor, index, deleted, summary, forgets=forgets_deleted)
    if index.hashes:
        index.write()
    summary.files = export_markdown(exported_memories(actor.view, include_deleted=False), folder)
    return summary


def _id_of(name: str) -> int:
    return int(name.removeprefix("memory-").removesuffix(".md"))


def _memories(actor: Actor, names: Sequence[str]) -> dict[int, Memory]:
    mine = Memory.objects.changeable_by(actor)
    return {memory.pk: memory for memory in mine.filter(pk__in=among(map(_id_of, names)))} if names else {}


def _take_in(actor: Actor, index: FolderIndex, name: str, memory: Memory | None, summary: SyncSummary) -> None:
    """Store what was edited in a file. If that cannot be, the file stays as it is."""
    try:
        file = _read(index.folder / name)
        edited = Content.read(file)
        if memory is None or memory.deleted_at is not None:
            raise NotFound(translatable("its memory was forgotten or deleted. Restore it, or delete the file."))
        if edited != Content.of(memory):
            _store(actor, index, _Edit(name, file, edited, memory), summary)
    except MemoriesError as error:
        summary.refused.append((name, str(error)))
        return
    # The file may be written over, unless somebody edits it again meanwhile.
    index.hashes[name] = hashlib.sha256(file).hexdigest()


def _read(path: Path) -> bytes:
    """Return the content of a file. A link is not followed. Raises InvalidInput."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(descriptor, "rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise InvalidInput(translatable("it cannot be read: %(problem)s.", problem=error.strerror or error)) from None
    if len(content) > MAX_BYTES:
        raise InvalidInput(translatable("it has more than %(max_bytes)s bytes.", max_bytes=MAX_BYTES))
    return content


def _store(actor: Actor, index: FolderIndex, edit: _Edit, summary: SyncSummary) -> None:
    """Change the memory, or if it was changed here as well, keep both. Raises MemoriesError."""
    edited, memory = edit.content, edit.memory
    if _is_as_written(index, edit.name, memory):
        update_memory(actor, memory.pk, edited.changes_from(Content.of(memory)))
        summary.updated += 1
    elif edited.text == memory.text:
        copy = f"{Path(edit.name).stem}.conflict.md"
        replace_file(index.folder / copy, edit.file)
        summary.conflicts.append((edit.name, f"its tags or dates were also changed here. Your version is in {copy}."))
    else:
        draft = Draft(edited.text, edited.tags, edited.importance, expires_at=edited.expires_at)
        kept = remember(actor, RememberRequest(draft, DedupPolicy.INSERT))
        summary.conflicts.append((edit.name, f"it was also changed here. Your version is memory {kept.memory_id}."))


def _is_as_written(index: FolderIndex, name: str, memory: Memory) -> bool:
    """Return whether a memory has not been changed since its file was written."""
    if name in index.contents:
        return index.contents[name] == content_digest(Content.of(memory))
    # An older version has recorded whole files only.
    return index.hashes[name] == hashlib.sha256(markdown_of(memory)).hexdigest()


def _forget_deleted(
    actor: Actor, index: FolderIndex, names: Sequence[str], summary: SyncSummary, *, forgets: bool
) -> None:
    """Forget the memories whose files were deleted. One that was changed here since gets its file back."""
    for batch in batches(names, settings.MAX_BATCH_SIZE):
        memories = _memories(actor, batch)
        active = {name: memories[_id_of(name)] for name in batch if _id_of(name) in memories}
        active = {name: memory for name, memory in active.items() if memory.deleted_at is None}
        if not forgets:
            summary.deleted_files += len(active)
            continue
        ids = []
        for name, memory in active.items():
            if _is_as_written(index, name, memory):
                ids.append(memory.pk)
            else:
                summary.conflicts.append((name, "its file was deleted, but it was changed here. It stays."))
        outcomes = forget_memories(actor, ids, reason=FORGET_REASON) if ids else []
        summary.forgotten += sum(not isinstance(outcome, MemoriesError) for outcome in outcomes)
