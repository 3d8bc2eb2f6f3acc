"""The command `change_source`."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from documents.connectors.base import SourceError
from documents.management.setting_arguments import add_settings_argument, given_settings, given_tags
from documents.models import Source
from documents.sources.changes import change_source
from documents.sources.selectors import get_source
from documents.sources.stored_settings import changed_settings
from memories.errors import MemoriesError
from memories.management.owners import add_user_argument, chosen_view


class Command(BaseCommand):
    """A command that changes the settings, tags and schedule of a source, and pauses or resumes it."""

    help = "Change a source. Settings that you do not name stay. KEY= without a value resets a setting."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_user_argument(parser)
        parser.add_argument("name", metavar="NAME")
        add_settings_argument(parser)
        parser.add_argument("--tags", metavar="TAG,TAG", help='tags in place of the earlier ones; "" for none')
        parser.add_argument("--every", metavar="MINUTES", type=int, help="time between two syncs; 0: only manually")
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument(
            "--pause", dest="is_paused", action="store_true", default=None, help="sync it only manually until --resume"
        )
        choice.add_argument("--resume", dest="is_paused", action="store_false", help="sync it on its schedule again")

    def handle(self, *_: object, **options: Any) -> None:
        try:
            source = get_source(chosen_view(options["user"]), options["name"])
            changes = _changes(source, options)
            if not changes:
                raise CommandError("Nothing to change. Give settings, --tags, --every, --pause or --resume.")
            change_source(source, **changes)
        except (MemoriesError, SourceError) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"The source {source.name} was changed.")


def _changes(source: Source, options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `change_source`. Raises CommandError and SourceError."""
    given = {
        "tags": None if options["tags"] is None else given_tags(options["tags"]),
        "interval_minutes": options["every"],
        "is_paused": options["is_paused"],
        "settings": _settings(source, options["pairs"]) if options["pairs"] else None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _settings(source: Source, pairs: Iterable[str]) -> dict[str, Any]:
    given = given_settings(source.kind, pairs)
    return changed_settings(source, {key: None if value in ("", [""]) else value for key, value in given.items()})
