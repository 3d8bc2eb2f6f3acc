"""The command `remove_source`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from documents.sources.changes import remove_source
from documents.sources.selectors import get_source
from memories.errors import MemoriesError
from memories.management.owners import add_user_argument, chosen_view


class Command(BaseCommand):
    """A command that removes a source and, after asking, forgets its documents."""

    help = "Remove a source. Its documents are forgotten, unless you want to keep them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_user_argument(parser)
        parser.add_argument("name", metavar="NAME")
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument("--forget-documents", dest="forget", action="store_true", default=None, help="do not ask")
        choice.add_argument("--keep-documents", dest="forget", action="store_false", help="do not ask")

    def handle(self, *_: object, **options: Any) -> None:
        try:
            source = get_source(chosen_view(options["user"]), options["name"])
            forget = self._forgets(source.name) if options["forget"] is None else options["forget"]
            forgotten = remove_source(source, forget_documents=forget)
        except MemoriesError as error:
            raise CommandError(str(error)) from None
        documents = f"{forgotten} {'document was' if forgotten == 1 else 'documents were'} forgotten"
        self.stdout.write(f"The source {source.name} was removed; {documents if forget else 'its documents stay'}.")

    def _forgets(self, name: str) -> bool:
        try:
            answer = input(f"Forget the documents of {name}, too? You can restore them later. [Y/n] ")
        except EOFError:
            raise CommandError("No answer was given. Use --forget-documents or --keep-documents.") from None
        return not answer.strip().lower().startswith("n")
