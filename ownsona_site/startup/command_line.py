"""Entry point of `manage.py`: Django's commands, OwnSona's version, and one-line errors of an unready database."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from django.core.management import BaseCommand, ManagementUtility
from django.core.management.base import ALL_CHECKS

from ownsona_site.configuration.check_tags import START
from ownsona_site.configuration.version import VERSION
from ownsona_site.startup.database_errors import explained
from ownsona_site.startup.serving import handover_in, serve_on
from ownsona_site.startup.supervisor import exit_if_stopped


def run(arguments: Sequence[str]) -> None:
    """Run the command in `arguments`, which are `sys.argv`. Exit with code 1 and one line if the database is not ready.

    `--traceback` shows the whole error. The version is printed without loading the settings, which would create a data
    folder.
    """
    if list(arguments[1:]) in (["--version"], ["version"]):
        sys.stdout.write(f"{_version()}\n")
        return
    if (handover := handover_in(arguments)) is not None:
        serve_on(handover)
        return
    # Until the apps are loaded: looking for garbage among their objects again and again takes an eighth of that time.
    gc.disable()
    try:
        _Utility(list(arguments)).execute()
    except BrokenPipeError:
        # The program that reads the output has ended, as `head` does. What is still to be written goes nowhere, or the
        # interpreter would report it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        # A stop signal in the middle of a query leaves a connection that cannot even release its locks.
        exit_if_stopped()
        line = explained(error)
        if line is None or "--traceback" in arguments:
            raise
        sys.exit(line)


def _version() -> str:
    return f"OwnSona {VERSION}"


class _Utility(ManagementUtility):
    def fetch_command(self, subcommand: str) -> BaseCommand:
        """Return Django's command, with OwnSona's version and without the hint to run the migrations by hand."""
        # The objects so far stay: a collection among them takes a tenth of a second.
        gc.freeze()
        gc.enable()
        command = super().fetch_command(subcommand)
        command.requires_migrations_checks = False
        if command.requires_system_checks == ALL_CHECKS:
            command.requires_system_checks = [START]
        setattr(command, "get_version", _version)  # noqa: B010 - mypy takes an assignment to a method for a mistake
        return command
