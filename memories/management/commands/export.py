"""The command `export`."""

from __future__ import annotations

from argparse import ArgumentParser
from enum import StrEnum
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from common.new_file import UnusableTarget, new_file
from memories.access import View
from memories.management.owners import add_user_argument, chosen_view
from memories.transfer.archive.exporting import export_archive
from memories.transfer.csv_export import exported_csv
from memories.transfer.exporting import Counted, exported_lines, exported_memories
from memories.transfer.folders.export import FolderSummary, export_markdown


class ExportFormat(StrEnum):
    """The formats of an export."""

    JSONL = "jsonl"
    CSV = "csv"
    MARKDOWN = "markdown"
    ARCHIVE = "archive"


_FORMAT_BY_SUFFIX = {".jsonl": ExportFormat.JSONL, ".csv": ExportFormat.CSV, ".zip": ExportFormat.ARCHIVE}
_NAMED_FILES = 5
"""Number of files that a message names."""


class Command(BaseCommand):
    """A command that exports the memories of a user, or everything that a user has as an archive."""

    help = "Export memories as JSON Lines, CSV or a folder of Markdown files, or all data of a user as an archive."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", metavar="PATH", type=Path, help="the file or folder to write")
        add_user_argument(parser)
        parser.add_argument(
            "--format",
            type=ExportFormat,
            choices=list(ExportFormat),
            help="default: by the name: .jsonl, .csv, .zip for an archive; without an extension, a folder of markdown",
        )
        parser.add_argument("--no-deleted", action="store_true", help="leave out forgotten memories")
        parser.add_argument(
            "--with-hidden-values",
            action="store_true",
            help="with an archive: include the values that are hidden from apps, in plain text",
        )
        parser.add_argument("--overwrite", action="store_true", help="replace files that exist or were changed")

    def handle(self, *args: object, **options: Any) -> None:
        path, chosen = options["path"], options["format"]
        try:
            self._export(path, chosen or _format_of(path), options)
        except UnusableTarget as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror or error}.") from None

    def _export(self, path: Path, chosen: ExportFormat, options: dict[str, Any]) -> None:
        view = chosen_view(options["user"])
        if chosen is ExportFormat.ARCHIVE:
            self._export_archive(view, path, options)
            return
        if options["with_hidden_values"]:
            raise CommandError("Only an archive can have hidden values: choose a name that ends in .zip.")
        memories = _memories(view, options)
        if chosen is ExportFormat.MARKDOWN:
            self._report_folder(path, memories, export_markdown(memories, path, overwrite=options["overwrite"]))
            return
        write = exported_csv if chosen is ExportFormat.CSV else exported_lines
        with new_file(path, overwrite=options["overwrite"]) as stream:
            stream.writelines(write(memories))
        self.stdout.write(f"{memories.in_words} written to {path}")

    def _export_archive(self, view: View, path: Path, options: dict[str, Any]) -> None:
        if options["no_deleted"]:
            raise CommandError("An archive is complete: --no-deleted cannot be used with it.")
        manifest = export_archive(
            view, path, overwrite=options["overwrite"], with_hidden_values=options["with_hidden_values"]
        )
        counts = [f"{name.replace('_', ' ')}: {count}" for name, count in manifest.counts.items() if count]
        self.stdout.write(f"Written to {path} ({', '.join(counts) or 'empty'})")
        if manifest.hidden_values_left_out:
            self.stdout.write(
                f"Hidden values left out: {manifest.hidden_values_left_out}. --with-hidden-values includes them."
            )
        self.stdout.write("Keep it private: it contains all memories and documents in plain text.")

    def _report_folder(self, path: Path, memories: Counted, summary: FolderSummary) -> None:
        changes = f"{summary.written} written, {summary.unchanged} unchanged, {summary.removed} removed"
        self.stdout.write(f"{memories.in_words} in {path}. Files: {changes}")
        if summary.kept:
            named = ", ".join(summary.kept[:_NAMED_FILES]) + (", …" if len(summary.kept) > _NAMED_FILES else "")
            self.stderr.write(
                f"Left as they are, because they were changed since the last export or are not from one: {named}. "
                "--overwrite replaces them."
            )


def _format_of(path: Path) -> ExportFormat:
    """Return the format for a name. Raises CommandError if its extension does not tell."""
    if path.is_dir() or not (path.suffix or path.exists()):
        return ExportFormat.MARKDOWN
    try:
        return _FORMAT_BY_SUFFIX[path.suffix.lower()]
    except KeyError:
        raise CommandError(f"Choose the format of {path} with --format {'|'.join(ExportFormat)}.") from None


def _memories(view: View, options: dict[str, Any]) -> Counted:
    return Counted(exported_memories(view, include_deleted=not options["no_deleted"]))
