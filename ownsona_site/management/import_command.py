"""The import command, which also works before the first start of OwnSona."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from memories.management.import_command import ImportCommand
from ownsona_site.startup.database_errors import NotPrepared
from ownsona_site.startup.database_setup import prepare_new_database
from ownsona_site.startup.owner_account import UsernameTaken


class Command(ImportCommand):
    """The import command of `memories`, which knows no owner and no start, preceded by the setup of a new database.

    Many users import before they start OwnSona for the first time.
    """

    def handle(self, *args: object, **options: Any) -> None:
        """Prepare a new database, then import. Raises CommandError."""
        try:
            prepare_new_database()
        except (UsernameTaken, NotPrepared) as error:
            raise CommandError(str(error)) from None
        super().handle(*args, **options)
