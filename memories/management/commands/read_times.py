"""The command `read_times`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from memories.management.owners import add_user_argument, chosen_view
from memories.writing.stated_times import read_missing_times


class Command(BaseCommand):
    """A command that reads the dates in older memories. It can be interrupted and run again."""

    help = (
        "Read the dates, such as 'until Friday', in memories that were stored by a version that did not read them. "
        "OwnSona can keep running. Dates are relative to the time at which the text was stored."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_user_argument(parser)

    def handle(self, *_: object, **options: Any) -> None:
        count = sum(read_missing_times(chosen_view(options["user"])))
        self.stdout.write(f"{count} {'memory names' if count == 1 else 'memories name'} a date.")
