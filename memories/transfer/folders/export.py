"""Export of memories as a folder of Markdown files, which later exports bring up to date."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import yaml

from memories.models import Memory
from memories.transfer.folders.edits import Content, content_digest
from memories.transfer.folders.index import FolderIndex
from memories.transfer.private_files import make_private_folder, replace_file
from memories.transfer.records import owner_record_of, time_text


@dataclass(slots=True)
class FolderSummary:
    """The outcome of an export for a folder's files. `kept` names those that somebody else has written or changed."""

    written: int = 0
    unchanged: int = 0
    removed: int = 0
    kept: list[str] = field(default_factory=list)


def export_markdown(memories: Iterable[Memory], folder: Path, *, overwrite: bool = False) -> FolderSummary:
    """Write a file for each memory, and remove the files of earlier exports whose memory is not among them any more.

    A file is touched only if its content changes, and if it is still as the last export wrote it, or with `overwrite`.
    All other files stay. Raises UnusableTarget and OSError. After an error, the next export continues.
    """
    make_private_folder(folder)
    summary, index = FolderSummary(), FolderIndex.read(folder)
    stale = set(index.hashes)
    try:
        for memory in memories:
            name = file_name_of(memory)
            stale.discard(name)
            _bring_up_to_date(index, name, memory, summary, overwrite=overwrite)
        for name in sorted(stale):
            _remove(index, name, summary, overwrite=overwrite)
    finally:
        index.write()
    return summary


def file_name_of(memory: Memory) -> str:
    """Return the name of a memory's file: its id, which never changes. Nothing of the text is in it."""
    return f"memory-{memory.pk}.md"


def markdown_of(memory: Memory) -> bytes:
    """Return YAML front matter with all fields that have a value, and below it the exact text and a line break."""
    record = owner_record_of(memory)
    text = record.pop("text")
    properties = {
        name: time_text(value) if isinstance(value, datetime) else value
        for name, value in record.items()
        if value is not None
    }
    front_matter = yaml.safe_dump(properties, allow_unicode=True, sort_keys=False, width=sys.maxsize)
    return f"---\n{front_matter}---\n{text}\n".encode()


def _bring_up_to_date(
    index: FolderIndex, name: str, memory: Memory, summary: FolderSummary, *, overwrite: bool
) -> None:
    content = markdown_of(memory)
    wanted, found = hashlib.sha256(content).hexdigest(), index.current_hash(name)
    if found == wanted:
        summary.unchanged += 1
    elif found is None or found == index.hashes.get(name) or overwrite:
        replace_file(index.folder / name, content)
        summary.written += 1
    else:
        summary.kept.append(name)
        return
    index.hashes[name] = wanted
    index.contents[name] = content_digest(Content.of(memory))


def _remove(index: FolderIndex, name: str, summary: FolderSummary, *, overwrite: bool) -> None:
    found = index.current_hash(name)
    if found not in (None, index.hashes[name]) and not overwrite:
        summary.kept.append(name)
        return
    if found is not None:
        (index.folder / name).unlink()
        summary.removed += 1
    del index.hashes[name]
