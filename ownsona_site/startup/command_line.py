"""`manage.py`: Django's commands with OwnSona's version, and one clear line where the database is not ready."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from django.core.management import BaseCommand, ManagementUtility
from django.db import DatabaseError

from ownsona_site.configuration.version import VERSION
from ownsona_site.startup.database_errors import explained


def run(arguments: Sequence[str]) -> None:
    """Run the command that `arguments`, `sys.argv`, name. Exit code 1, with one line, where the database cannot serve.

    `--traceback` shows what happened in full. The version is told without the settings, which would make a data folder.
    """
    if list(arguments[1:]) in (["--version"], ["version"]):
        sys.stdout.write(f"{_version()}\n")
        return
    try:
        _Utility(list(arguments)).execute()
    except DatabaseError as error:
        line = explained(error)
        if line is None or "--traceback" in arguments:
            raise
        sys.exit(line)


def _version() -> str:
    return f"OwnSona {VERSION}"


class _Utility(ManagementUtility):
    def fetch_command(self, subcommand: str) -> BaseCommand:
        """Django's, telling OwnSona's version when asked for one, and without a hint to run the migrations by hand."""
        command = super().fetch_command(subcommand)
        command.requires_migrations_checks = False
        setattr(command, "get_version", _version)  # noqa: B010 - mypy takes an assignment to a method for a mistake
        return command
