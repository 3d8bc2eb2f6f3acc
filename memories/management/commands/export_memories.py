"""The command `export_memories`."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.core.management.base import BaseCommand, CommandError

from common.new_file import UnusableTarget, new_file
from memories.management.owners import add_user_argument, chosen_view
from memories.transfer.exporting import Counted, exported_json, exported_lines, exported_memories


class Command(BaseCommand):
    """A command that writes all memories of a user, oldest first, to a file or to standard output."""

    help = "Export all memories, tombstones included, as JSON Lines or as one JSON document."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_user_argument(parser)
        parser.add_argument("--output", metavar="FILE", default="-", help="output file; default: standard output")
        parser.add_argument("--format", choices=["jsonl", "json"], default="jsonl")
        parser.add_argument("--no-deleted", action="store_true", help="leave out forgotten memories")

    def handle(self, *args: object, **options: Any) -> None:
        memories = Counted(exported_memories(chosen_view(options["user"]), include_deleted=not options["no_deleted"]))
        write = exported_json if options["format"] == "json" else exported_lines
        try:
            with _opened(options["output"]) as stream:
                for part in write(memories):
                    stream.write(part)
                stream.flush()
        except BrokenPipeError:
            # The reader has closed the pipe (`| head`). Without this, Python reports the error again at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except OSError as error:
            raise CommandError(f"{options['output']} cannot be written: {error.strerror or error}.") from None
        if options["output"] != "-":
            self.stderr.write(f"{memories.in_words} written to {options['output']}")


@contextmanager
def _opened(name: str) -> Iterator[IO[bytes]]:
    """Open the target of the export. A file gets its name only when it is complete; only its owner may read it.

    Raises CommandError if the target is a folder.
    """
    if name == "-":
        yield sys.stdout.buffer
        return
    try:
        with new_file(Path(name), overwrite=True) as stream:
            yield stream
    except UnusableTarget as error:
        raise CommandError(str(error)) from None
