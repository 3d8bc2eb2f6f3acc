"""The command `import_memories`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from tqdm import tqdm

from memories.access import Actor
from memories.errors import MemoriesError, StorageFull
from memories.management.owners import add_user_argument, chosen_view
from memories.transfer.import_parser import Format, UnreadableFile, open_import
from memories.transfer.importer import ImportRun
from memories.writing.deduplication import DedupPolicy

INTERRUPTED = 130
"""Exit code of a program ended by SIGINT, as in shells."""


class Command(BaseCommand):
    """A command that reads memories from a file or standard input.

    The exit code is 1 if some of them failed; the others are imported.
    """

    help = "Import memories from JSON, JSON Lines or plain text (one fact per line). Duplicates are skipped."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="file to import; - for standard input")
        add_user_argument(parser)
        parser.add_argument("--dry-run", action="store_true", help="check everything, but store nothing")
        parser.add_argument("--format", type=Format, choices=list(Format), default=Format.AUTO)
        parser.add_argument(
            "--dedup",
            type=DedupPolicy,
            choices=list(DedupPolicy),
            default=DedupPolicy.INSERT,
            help="how to treat near-duplicates of active memories; default: insert",
        )
        parser.add_argument("--source-provider", metavar="NAME", help="source_provider of memories without one")
        parser.add_argument("--tags", metavar="A,B", default="", help="tags to add to every memory")

    def handle(self, *args: object, **options: Any) -> None:
        run = ImportRun(
            Actor(chosen_view(options["user"]), "import", is_owner=True),
            policy=options["dedup"],
            source_provider=options["source_provider"],
            tags=tuple(tag for tag in options["tags"].split(",") if tag.strip()),
            dry_run=options["dry_run"],
        )
        try:
            self._run(run, options["file"], options["format"])
        except KeyboardInterrupt:
            self._print_summary(run)
            raise CommandError("Interrupted. Run the same command again to continue.", returncode=INTERRUPTED) from None
        except UnreadableFile as error:
            raise CommandError(str(error)) from None
        except StorageFull as error:
            self._print_summary(run)
            raise CommandError(f"{error} Then run the same command again to continue.") from None
        except DatabaseError as error:
            self._print_summary(run)
            raise CommandError(
                f"The database failed: {str(error).splitlines()[0]} Run the same command again to continue."
            ) from error
        self._print_summary(run)
        if run.summary.failed:
            sys.exit(1)

    def _run(self, run: ImportRun, name: str, chosen: Format) -> None:
        with _opened(name) as stream:
            source = open_import(stream, name, chosen)
            # `disable=None`: no progress bar unless the output is a terminal.
            run.run(tqdm(source.entries, total=source.total, unit=" memories", disable=None), self._report)

    def _report(self, place: str, error: MemoriesError) -> None:
        with tqdm.external_write_mode(file=sys.stderr):
            self.stderr.write(f"{place}: {error}")

    def _print_summary(self, run: ImportRun) -> None:
        summary = run.summary
        verb = "would be inserted" if run.dry_run else "inserted"
        duplicates = "1 duplicate" if summary.duplicates == 1 else f"{summary.duplicates} duplicates"
        self.stdout.write(f"{summary.inserted} {verb}, {duplicates}, {summary.failed} failed")
        if summary.unindexed:
            self.stdout.write(f"{summary.unindexed} have no vector yet: the job process adds it.")
        if summary.ignored:
            self.stdout.write(f"Ignored unknown fields: {', '.join(sorted(summary.ignored))}")


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    """Open the file, or standard input for "-". Raises CommandError."""
    if name == "-":
        yield sys.stdin.buffer
        return
    try:
        with Path(name).open("rb") as stream:
            yield stream
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror or error}.") from None
