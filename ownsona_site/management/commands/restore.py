"""The command `restore`."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from ownsona_site.backup.archive import Archive
from ownsona_site.backup.errors import BackupError, DamagedArchive
from ownsona_site.backup.external import restore_database
from ownsona_site.backup.keys import OTHER_KEY, require_key, unreadable_values
from ownsona_site.backup.last_backup import record_check, record_damage, record_restored
from ownsona_site.backup.restore_report import content, different_settings, report
from ownsona_site.backup.restoring import restore_data_folder, undo_interrupted
from ownsona_site.backup.schema import require_known_schema
from ownsona_site.backup.stopping import stop_in_order
from ownsona_site.configuration.checks import require_valid_settings
from ownsona_site.embedded_postgres.errors import EmbeddedServerError


class Command(BaseCommand):
    """The command `restore`, which atomically creates a data folder or fills an empty database from an archive."""

    help = "Restore an archive of `manage.py backup`. An existing data folder is moved aside first."
    # The command itself runs the checks that matter.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="the archive; restore only archives that you created yourself")
        parser.add_argument(
            "--check", action="store_true", help="check the whole archive and show its contents, but change nothing"
        )
        parser.add_argument(
            OTHER_KEY, action="store_true", help="restore even if SECRET_KEY differs from that of the archive"
        )

    def handle(self, *args: object, **options: Any) -> None:
        """Restore the archive and report the result. Raises CommandError."""
        stop_in_order()
        try:
            require_valid_settings()
            if not options["check"] and not settings.DATABASE_URL:
                undo_interrupted(settings.DATA_DIR)
            path = Path(options["file"])
            with _opened(path) as archive:
                require_known_schema(archive.manifest)
                if options["check"]:
                    record_check(path)
                    self.stdout.write(f"The archive is complete: {content(archive.manifest)}.")
                    return
                self._restore(archive, other_key=options["other_key"])
                record_restored(archive.manifest, path)
        except (BackupError, EmbeddedServerError, ImproperlyConfigured) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{error.filename or settings.DATA_DIR}: {error.strerror or error}.") from error
        except (DatabaseError, psycopg.Error) as error:
            raise CommandError(f"The database is not usable: {str(error).partition(chr(10))[0]}") from error

    def _restore(self, archive: Archive, *, other_key: bool) -> None:
        if not other_key:
            require_key(archive)
        restore = restore_database if settings.DATABASE_URL else restore_data_folder
        restored = restore(archive, settings.DATA_DIR)
        for line in report(archive.manifest, restored):
            self.stdout.write(line)
        for line in filter(None, [unreadable_values(archive), *different_settings(archive.manifest)]):
            self.stderr.write(f"Warning. {line}", self.style.WARNING)


def _opened(path: Path) -> Archive:
    """Return the archive at `path`. A damaged one is recorded. Raises BackupError."""
    try:
        return Archive(path)
    except DamagedArchive as error:
        record_damage(path, str(error))
        raise
