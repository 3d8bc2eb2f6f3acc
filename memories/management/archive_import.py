"""Import of a complete archive by a command."""

from __future__ import annotations

import sys
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from memories.access import Actor
from memories.errors import StorageFull
from memories.management.import_output import undo_hint
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.importing import import_archive, read_manifest
from memories.transfer.archive.restoration import Summary


def import_complete_archive(command: BaseCommand, actor: Actor, path: Path, *, is_preview: bool = False) -> None:
    """Import an archive, or show what it has, and print the counts. Exit with 1 if something was refused.

    Raises CommandError.
    """
    try:
        if is_preview:
            _show_contents(command, path)
            return
        summary = import_archive(actor, path)
    except (UnusableArchive, StorageFull) as error:
        raise CommandError(str(error)) from None
    _show(command, summary)
    if summary.counts["memories"].added:
        command.stdout.write(undo_hint(actor))
    if any(counts.refused for counts in summary.counts.values()):
        sys.exit(1)


def _show_contents(command: BaseCommand, path: Path) -> None:
    manifest = read_manifest(path, str(path))
    command.stdout.write(f"A complete archive of OwnSona {manifest.ownsona_version}, made on {manifest.created_at}")
    for name, count in manifest.counts.items():
        command.stdout.write(f"{name}: {count}")
    command.stdout.write("What is already here stays as it is, and the rest would be added.")


def _show(command: BaseCommand, summary: Summary) -> None:
    for kind, counts in summary.counts.items():
        refused = f", {counts.refused} refused" if counts.refused else ""
        command.stdout.write(f"{kind}: {counts.added} added, {counts.present} already there{refused}")
    for note in summary.notes:
        command.stderr.write(note)
