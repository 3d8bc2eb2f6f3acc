"""The command `sync_markdown`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from common.new_file import UnusableTarget
from memories.admin.base import acting_owner
from memories.errors import StorageFull
from memories.management.owners import add_user_argument, chosen_view
from memories.transfer.folders.sync import SyncSummary, sync_folder


class Command(BaseCommand):
    """A command that syncs a folder of Markdown files in both directions. The exit code is 1 if edits were refused."""

    help = (
        "Import what was edited in the files of a folder, then bring the files up to date. The folder is one of "
        "`manage.py export --format markdown`, or a new one."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", metavar="FOLDER", type=Path, help="the folder")
        add_user_argument(parser)
        parser.add_argument(
            "--forget-deleted", action="store_true", help="forget the memories whose files were deleted since"
        )

    def handle(self, *args: object, **options: Any) -> None:
        actor = acting_owner(chosen_view(options["user"]).owner_id)
        try:
            summary = sync_folder(actor, options["path"], forgets_deleted=options["forget_deleted"])
        except (UnusableTarget, StorageFull) as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{options['path']} cannot be synced: {error.strerror or error}.") from None
        self._report(summary)
        if summary.updated or summary.forgotten or summary.conflicts:
            self.stdout.write(f"To take this back: manage.py undo --change-set {actor.change_set}")
        if summary.refused:
            sys.exit(1)

    def _report(self, summary: SyncSummary) -> None:
        files = summary.files
        self.stdout.write(
            f"{summary.updated} updated, {summary.forgotten} forgotten, {len(summary.conflicts)} conflicts. "
            f"Files: {files.written} written, {files.unchanged} unchanged, {files.removed} removed"
        )
        if summary.deleted_files:
            self.stdout.write(
                f"Deleted files that were written again: {summary.deleted_files}. --forget-deleted forgets their "
                "memories instead."
            )
        for name, sentence in summary.conflicts:
            self.stdout.write(f"Conflict: {name}: {sentence}")
        for name, sentence in summary.refused:
            self.stderr.write(f"Not imported: {name}: {sentence}")
