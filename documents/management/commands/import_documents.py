"""The command `import_documents`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from common.tag_lists import split_tags
from documents.drafts import DocumentDraft
from documents.models import Version
from documents.writing.adding import AddOutcome, add_document
from memories.access import Actor
from memories.errors import MemoriesError, StorageFull
from memories.management.owners import add_user_argument, chosen_view

INTERRUPTED = 130
"""Exit code of a program ended by SIGINT, as in shells."""

ADDED, CHANGED, KNOWN, UNREADABLE, FAILED = "added", "new version", "already there", "could not be read", "failed"


class Command(BaseCommand):
    """A command that adds files as documents. A file that has changed since becomes a new version of its document.

    The exit code is 1 if some of them failed; the others are added.
    """

    help = "Add files, or all files in folders, as documents. Run it again after changes: known files are skipped."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="file or folder")
        add_user_argument(parser)
        parser.add_argument("--tags", metavar="A,B", default="", help="tags to add to every document")

    def handle(self, *args: object, **options: Any) -> None:
        actor = Actor(chosen_view(options["user"]), "import", is_owner=True)
        tags = tuple(split_tags(options["tags"]))
        files = list(self._files(options["paths"]))
        results: Counter[str] = Counter()
        try:
            # `disable=None`: no progress bar unless the output is a terminal.
            for path in tqdm(files, unit=" files", disable=None):
                results[self._add(actor, path, tags)] += 1
        except KeyboardInterrupt:
            self._print_summary(results)
            raise CommandError("Interrupted. Run the same command again to continue.", returncode=INTERRUPTED) from None
        except StorageFull as error:
            self._print_summary(results)
            raise CommandError(f"{error} Then run the same command again to continue.") from None
        self._print_summary(results)
        if results[FAILED] or results[UNREADABLE]:
            sys.exit(1)

    def _files(self, paths: list[Path]) -> Iterator[Path]:
        """Yield the files, and those in folders by name, without hidden ones and links. Raises CommandError."""
        for path in paths:
            if path.is_file():
                yield path
            elif path.is_dir():
                yield from (
                    found
                    for found in sorted(path.rglob("*"))
                    if found.is_file() and not found.is_symlink() and not _is_hidden(found.relative_to(path))
                )
            else:
                raise CommandError(f"There is no file or folder {path}.")

    def _add(self, actor: Actor, path: Path, tags: tuple[str, ...]) -> str:
        draft = DocumentDraft(path.name, tags=tags, source_key=str(path.resolve()))
        try:
            with path.open("rb") as file:
                outcome = add_document(actor, draft, file, at_once=True)
        except StorageFull:
            raise
        except (MemoriesError, OSError) as error:
            self._report(path, str(error))
            return FAILED
        if outcome.version.state == Version.State.FAILED:
            self._report(path, outcome.version.problem)
            return UNREADABLE
        return _result_of(outcome)

    def _report(self, path: Path, problem: str) -> None:
        with tqdm.external_write_mode(file=sys.stderr):
            self.stderr.write(f"{path}: {problem}")

    def _print_summary(self, results: Counter[str]) -> None:
        self.stdout.write(", ".join(f"{results[name]} {name}" for name in (ADDED, CHANGED, KNOWN, UNREADABLE, FAILED)))


def _result_of(outcome: AddOutcome) -> str:
    if outcome.is_known:
        return KNOWN
    return ADDED if outcome.version.number == 1 else CHANGED


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
