"""The command `import_archive`."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from memories.access import Actor
from memories.management.archive_import import import_complete_archive
from memories.management.owners import add_user_argument, chosen_view


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
        import_complete_archive(self, actor, options["path"])
