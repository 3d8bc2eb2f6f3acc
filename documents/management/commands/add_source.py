"""The command `add_source`."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable, Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from documents.connectors.registry import CONNECTORS
from documents.management.setting_arguments import add_settings_argument, given_settings, given_tags
from documents.sources.changes import create_source
from documents.sources.drafts import SourceDraft
from memories.errors import MemoriesError
from memories.management.owners import add_user_argument, chosen_view


class Command(BaseCommand):
    """A command that stores a source, which the job process then syncs."""

    help = "Add a source, whose documents are imported and kept up to date. docs/sources.md lists the settings."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_user_argument(parser)
        parser.add_argument("name", metavar="NAME", help="lower-case letters, digits and hyphens, such as my-notes")
        parser.add_argument("kind", metavar="KIND", help=f"one of {', '.join(CONNECTORS)}")
        add_settings_argument(parser)
        parser.add_argument("--tags", metavar="TAG,TAG", default="", help="tags for all documents of the source")
        parser.add_argument(
            "--every", metavar="MINUTES", type=int, default=60, help="time between two syncs; 0: only manually"
        )
        parser.add_argument(
            "--limit",
            metavar="NAME=NUMBER",
            action="append",
            default=[],
            help="another limit for one sync: items, item_bytes, total_bytes, seconds or request_seconds",
        )

    def handle(self, *_: object, **options: Any) -> None:
        draft = SourceDraft(
            options["name"],
            options["kind"],
            given_settings(options["kind"], options["pairs"]),
            tags=given_tags(options["tags"]),
            interval_minutes=options["every"],
            limits=_limits(options["limit"]),
        )
        try:
            source = create_source(chosen_view(options["user"]).owner_id, draft)
        except MemoriesError as error:
            raise CommandError(str(error)) from None
        when = f"every {source.interval_minutes} minutes" if source.interval_minutes else "only manually"
        self.stdout.write(f"The source {source.name} was added. It is synced {when}.")
        self.stdout.write(f"To sync it now, run: manage.py sync_sources {source.name}")


def _limits(pairs: Iterable[str]) -> Mapping[str, float]:
    limits = {}
    for pair in pairs:
        name, _, number = pair.partition("=")
        try:
            limits[name] = float(number)
        except ValueError:
            raise CommandError(f"limit: {name} must have a number, such as items=500.") from None
    return limits
