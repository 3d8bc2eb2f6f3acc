"""The command `import_archive`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memories.access import Actor
from memories.errors import StorageFull
from memories.management.owners import add_user_argument, chosen_view
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.importing import import_archive
from memories.transfer.archive.restoration import Summary


class Command(BaseCommand):
    """A command that adds everything in an archive that its user does not have yet.

    The exit code is 1 if something was refused; the rest is imported.
    """

    help = "Import an archive of `manage.py export`: all that is missing here, or nothing if it cannot be imported."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", metavar="PATH", type=Path, help="the archive")
        add_user_argument(parser)

    def handle(self, *args: object, **options: Any) -> None:
        actor = Actor(chosen_view(options["user"]), "import", is_owner=True)
        try:
            summary = import_archive(actor, options["path"])
        except (UnusableArchive, StorageFull) as error:
            raise CommandError(str(error)) from None
        self._report(summary)
        if any(counts.refused for counts in summary.counts.values()):
            sys.exit(1)

    def _report(self, summary: Summary) -> None:
        for kind, counts in summary.counts.items():
            refused = f", {counts.refused} refused" if counts.refused else ""
            self.stdout.write(f"{kind}: {counts.added} added, {counts.present} already there{refused}")
        for note in summary.notes:
            self.stderr.write(note)
