"""The command `backup`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from common.new_file import UnusableTarget, new_file
from ownsona_site.backup.backing_up import write_archive
from ownsona_site.backup.database import configured_database, has_database
from ownsona_site.backup.errors import BackupError
from ownsona_site.backup.formatting import counts, moment, size
from ownsona_site.backup.last_backup import record_backup
from ownsona_site.backup.manifest import Manifest
from ownsona_site.backup.stopping import stop_in_order
from ownsona_site.configuration.checks import require_valid_settings

STANDARD_OUTPUT = "-"


class Command(BaseCommand):
    """The command `backup`, which writes one complete archive or none."""

    help = "Write the database and its keys to one archive. OwnSona may be running or stopped."
    # The command itself runs the checks that matter.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", metavar="FILE", help="the archive to write, such as ownsona.zip; - for standard output"
        )
        parser.add_argument(
            "--overwrite", action="store_true", help="replace FILE if it exists, once the new one is complete"
        )

    def handle(self, *args: object, **options: Any) -> None:
        """Write the archive and report its content. Raises CommandError."""
        stop_in_order()
        name = options["file"]
        try:
            require_valid_settings()
            if not settings.DATABASE_URL and not has_database(settings.DATA_DIR):
                raise CommandError(f"There is nothing to back up: {settings.DATA_DIR} has no database yet.")
            manifest, written = self._write(name, overwrite=options["overwrite"])
        except (BackupError, UnusableTarget, ImproperlyConfigured) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{name} cannot be written: {error.strerror or error}.") from error
        except psycopg.errors.UndefinedTable as error:
            raise CommandError("There is nothing to back up: the database has no tables of OwnSona.") from error
        except (DatabaseError, psycopg.Error) as error:
            raise CommandError(f"The database cannot be read: {str(error).partition(chr(10))[0]}") from error
        record_backup(manifest, "" if name == STANDARD_OUTPUT else str(Path(name).absolute()), written)
        if options["verbosity"] > 0:
            self._report(name, manifest, written)

    def _write(self, name: str, *, overwrite: bool) -> tuple[Manifest, int]:
        if name == STANDARD_OUTPUT:
            if sys.stdout.isatty():
                raise CommandError("An archive is binary: redirect standard output to a program or a file.")
            manifest = write_archive(sys.stdout.buffer, configured_database())
            sys.stdout.flush()
            return manifest, sum(member.bytes for member in manifest.members.values())
        target = Path(name).absolute()
        with new_file(target, overwrite=overwrite) as stream:
            manifest = write_archive(stream, configured_database())
        return manifest, target.stat().st_size

    def _report(self, name: str, manifest: Manifest, written: int) -> None:
        place = "standard output" if name == STANDARD_OUTPUT else name
        lines = [
            f"Written to {place}: {counts(manifest.rows)}, as of {moment(manifest.created_at)} ({size(written)}).",
            "Keep it private: it contains all memories in plain text, and keys.",
        ]
        if not manifest.secret_key.included:
            lines.append(
                "SECRET_KEY is set in the environment and is not in the archive. Keep it, too: a restore needs it."
            )
        stream = self.stderr if name == STANDARD_OUTPUT else self.stdout
        stream.write("\n".join(lines), lambda text: text)
