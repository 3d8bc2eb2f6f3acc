"""The command `sync_sources`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from documents.models import Source
from documents.sources.report import SyncReport, counts_in_words
from documents.sources.selectors import get_source, visible_sources
from documents.sources.sync import sync
from memories.access import View
from memories.errors import MemoriesError
from memories.management.owners import add_user_argument, chosen_view


class Command(BaseCommand):
    """A command that syncs one source, or all that are not paused."""

    help = "Sync a source now, or all of them. Texts are read and indexed by the job process."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_user_argument(parser)
        parser.add_argument("name", metavar="NAME", nargs="?", help="default: all sources that are not paused")
        parser.add_argument("--dry-run", action="store_true", help="only say what would change")
        parser.add_argument(
            "--confirm-removals", action="store_true", help="forget documents even if most of a source are gone"
        )

    def handle(self, *_: object, **options: Any) -> None:
        if options["confirm_removals"] and options["name"] is None:
            raise CommandError("confirm-removals: is for one source. Name it.")
        try:
            sources = self._chosen(chosen_view(options["user"]), options["name"])
            failed = [source.name for source in sources if not self._sync(source, options)]
        except MemoriesError as error:
            raise CommandError(str(error)) from None
        if failed:
            raise CommandError(f"Not synced: {', '.join(failed)}.")

    def _chosen(self, view: View, name: str | None) -> list[Source]:
        if name is not None:
            return [get_source(view, name)]
        sources = [source for source in visible_sources(view) if source.paused_at is None]
        if not sources:
            self.stdout.write("There are no sources to sync. Add one with manage.py add_source.")
        return sources

    def _sync(self, source: Source, options: dict[str, Any]) -> bool:
        report = sync(source, dry_run=options["dry_run"], confirm_removals=options["confirm_removals"])
        self.stdout.write(f"{source.name}: {_result(report)}")
        for note in report.notes:
            self.stdout.write(f"  {note}")
        if report.unconfirmed_removals:
            self.stdout.write(f"  To confirm it here: manage.py sync_sources {source.name} --confirm-removals")
        return report.is_ok


def _result(report: SyncReport) -> str:
    if report.is_already_running:
        return "is already being synced."
    counts = counts_in_words(report.added, report.changed, report.removed, report.skipped, report.unchanged)
    planned = "would be: " if report.dry_run else ""
    return f"{planned}{counts}. {report.problem}".rstrip()
