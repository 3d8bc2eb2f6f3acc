"""`manage.py import_archive`, which also works before the first start of OwnSona."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from memories.management.commands import import_archive
from ownsona_site.startup.database_errors import NotPrepared
from ownsona_site.startup.database_setup import prepare_new_database
from ownsona_site.startup.owner_account import UsernameTaken


class Command(import_archive.Command):
    """The command of `memories`, preceded by the setup of a new database: an archive may be its first content."""

    def handle(self, *args: object, **options: Any) -> None:
        """Prepare a new database, then import. Raises CommandError."""
        try:
            prepare_new_database()
        except (UsernameTaken, NotPrepared) as error:
            raise CommandError(str(error)) from None
        super().handle(*args, **options)
