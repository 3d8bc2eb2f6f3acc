"""The command `export_memories`."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any

from django.core.management.base import BaseCommand, CommandError

from memories.management.owners import add_user_argument, chosen_view
from memories.transfer.exporting import exported_json, exported_lines, exported_memories


class Command(BaseCommand):
    """A command that writes all memories of a user, oldest first, to a file or to standard output."""

    help = "Export all memories, tombstones included, as JSON Lines or as one JSON document."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_user_argument(parser)
        parser.add_argument("--output", metavar="FILE", default="-", help="output file; default: standard output")
        parser.add_argument("--format", choices=["jsonl", "json"], default="jsonl")
        parser.add_argument("--no-deleted", action="store_true", help="leave out forgotten memories")

    def handle(self, *args: object, **options: Any) -> None:
        memories = exported_memories(chosen_view(options["user"]), include_deleted=not options["no_deleted"])
        counter = count()
        counted = (memory for memory, _ in zip(memories, counter, strict=False))
        write = exported_json if options["format"] == "json" else exported_lines
        try:
            with _opened(options["output"]) as stream:
                for part in write(counted):
                    stream.write(part)
                stream.flush()
        except BrokenPipeError:
            # The reader has closed the pipe (`| head`). Without this, Python reports the error again at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except OSError as error:
            raise CommandError(f"{options['output']} cannot be written: {error.strerror or error}.") from None
        if options["output"] != "-":
            written = next(counter)
            self.stderr.write(f"{written} {'memory' if written == 1 else 'memories'} written to {options['output']}")


@contextmanager
def _opened(name: str) -> Iterator[IO[bytes]]:
    """Open the target of the export. A file gets its name only when it is complete; only its owner may read it.

    Raises CommandError if the target is a folder.
    """
    if name == "-":
        yield sys.stdout.buffer
        return
    target = Path(name).absolute()
    if target.is_dir():
        raise CommandError(f"{name} is a folder. Name a file in it.")
    with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as stream:
        try:
            yield stream.file
            stream.flush()
            os.fsync(stream.fileno())
            Path(stream.name).replace(target)
        except BaseException:
            Path(stream.name).unlink(missing_ok=True)
            raise
