"""The class of the commands `import` and `import_memories`.

`import` is a keyword of Python, so that no module can import a command of that name.
"""

from __future__ import annotations

import shutil
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, cast

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from tqdm import tqdm

from common.tag_lists import split_tags
from memories.access import Actor
from memories.errors import MemoriesError, StorageFull
from memories.management.archive_import import import_complete_archive
from memories.management.import_output import OutcomeFile, preview_lines, summary_lines, undo_hint
from memories.management.owners import add_user_argument, chosen_view
from memories.transfer.archive.recognition import is_complete_archive
from memories.transfer.entries import Entry, ImportSource, Notes, UnreadableFile
from memories.transfer.importer import ImportRun
from memories.transfer.opening import open_import, open_path
from memories.transfer.options import Conversations, Format, ImportOptions
from memories.transfer.preview import preview
from memories.writing.deduplication import DedupPolicy

INTERRUPTED = 130
"""Exit code of a program ended by SIGINT, as in shells."""


class ImportCommand(BaseCommand):
    """A command that reads memories from files, folders or standard input.

    The exit code is 1 if some of them failed; the others are imported.
    """

    help = (
        "Import memories from files, folders and ZIP archives of OwnSona and other programs. The format is detected. "
        "Duplicates are skipped. Begin with --dry-run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", metavar="PATH", nargs="+", help="file, folder or archive; - for standard input")
        add_user_argument(parser)
        parser.add_argument("--dry-run", action="store_true", help="show what would be imported, but store nothing")
        parser.add_argument(
            "--conversations",
            type=Conversations,
            choices=list(Conversations),
            default=Conversations.SKIP,
            help="what to import of conversations: nothing, your statements about yourself, or each message as a quote",
        )
        parser.add_argument(
            "--format", type=Format, choices=list(Format), default=Format.AUTO, help="the format; default: detected"
        )
        parser.add_argument(
            "--dedup",
            type=DedupPolicy,
            choices=list(DedupPolicy),
            default=DedupPolicy.INSERT,
            help="how to treat near-duplicates of active memories; default: insert",
        )
        parser.add_argument("--source-provider", metavar="NAME", help="source_provider of memories without one")
        parser.add_argument("--tags", metavar="A,B", default="", help="tags to add to every memory")
        parser.add_argument("--report", metavar="FILE", help="write the outcome of every entry to this file")

    def handle(self, *args: object, **options: Any) -> None:
        actor = Actor(chosen_view(options["user"]), "import", is_owner=True)
        if archive := _complete_archive(options["paths"]):
            import_complete_archive(self, actor, archive, is_preview=options["dry_run"])
            return
        run = ImportRun(
            actor,
            policy=options["dedup"],
            source_provider=options["source_provider"],
            tags=tuple(split_tags(options["tags"])),
            dry_run=options["dry_run"],
        )
        try:
            with ExitStack() as files:
                source = _opened(files, options["paths"], ImportOptions(options["format"], options["conversations"]))
                if options["dry_run"]:
                    self._show_preview(run, source)
                    return
                if options["report"]:
                    run.observe = files.enter_context(OutcomeFile(Path(options["report"]))).add
                self._run(run, source)
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

    def _show_preview(self, run: ImportRun, source: ImportSource) -> None:
        found = preview(run, source, _with_progress(source))
        for place, problem in found.rejections:
            self.stderr.write(f"{place}: {problem}")
        self.stdout.write("\n".join(preview_lines(found)))
        self._explain(found.notes)
        if found.summary.failed:
            sys.exit(1)

    def _run(self, run: ImportRun, source: ImportSource) -> None:
        run.run(_with_progress(source), self._report)
        self._print_summary(run)
        notes = source.notes.lines()
        for note in notes:
            self.stdout.write(note)
        self._explain(notes)
        if run.summary.inserted:
            self.stdout.write(undo_hint(run.actor))
        if run.summary.failed:
            sys.exit(1)

    def _explain(self, notes: Sequence[str]) -> None:
        """Say how to choose what the notes, which pages show too, offer."""
        if notes:
            self.stdout.write("Choose it with --conversations about-me, or --conversations messages.")

    def _report(self, place: str, error: MemoriesError) -> None:
        with tqdm.external_write_mode(file=sys.stderr):
            self.stderr.write(f"{place}: {error}")

    def _print_summary(self, run: ImportRun) -> None:
        self.stdout.write("\n".join(summary_lines(run.summary, is_preview=run.dry_run)))


def _complete_archive(names: list[str]) -> Path | None:
    """Return the path of the complete archive that is to be imported, if there is one. Raises CommandError."""
    archives = [path for name in names if (path := Path(name)).is_file() and _is_complete_archive(path)]
    if archives and len(names) > 1:
        raise CommandError(f"{archives[0]} is a complete archive. Import it alone.")
    return archives[0] if archives else None


def _is_complete_archive(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return is_complete_archive(stream)
    except OSError:
        return False


def _with_progress(source: ImportSource) -> Iterable[Entry]:
    # `disable=None`: no progress bar unless the output is a terminal.
    return tqdm(source.entries, total=source.total, unit=" memories", disable=None)


def _opened(files: ExitStack, names: list[str], options: ImportOptions) -> ImportSource:
    """Open all files before any of them is imported. Raises CommandError and UnreadableFile."""
    sources = [_open_one(files, name, options) for name in names]
    if len(sources) == 1:
        return sources[0]
    notes = Notes()
    totals = [source.total for source in sources if source.total is not None]
    total = sum(totals) if len(totals) == len(sources) else None
    return ImportSource(f"{len(sources)} files", _chained(names, sources, notes), total, notes)


def _chained(names: list[str], sources: list[ImportSource], notes: Notes) -> Iterator[Entry]:
    for name, source in zip(names, sources, strict=True):
        for entry in source.entries:
            yield replace(entry, place=f"{name}: {entry.place}")
        notes.add(source.notes)


def _open_one(files: ExitStack, name: str, options: ImportOptions) -> ImportSource:
    """Open a file, a folder or standard input. Raises CommandError and UnreadableFile."""
    try:
        if name == "-":
            # The format is detected by the content, so it must be possible to go back to the beginning.
            temporary = TemporaryFile(prefix="ownsona-import-")  # noqa: SIM115 - `files` closes it
            copy = cast(BinaryIO, files.enter_context(temporary))
            shutil.copyfileobj(sys.stdin.buffer, copy, 1 << 20)
            return open_import(copy, "standard input", options)
        path = Path(name)
        if path.is_dir():
            return open_path(path, None, options)
        return open_path(path, files.enter_context(path.open("rb")), options)
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror or error}.") from None
