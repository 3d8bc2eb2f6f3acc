"""The separate process that reads one file: it limits itself, then writes messages to its parent.

It imports neither Django nor the rest of the project. The parent starts it with the number of a pipe, on which it sends
the request as one line of JSON. The pipe stays open for as long as the parent lives.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO

from common.texts import translatable
from documents.extraction.cleaning import clean_name
from documents.extraction.extracted import Block, ExtractionError
from documents.extraction.extraction import extract
from documents.extraction.limits import Limits
from documents.extraction.output import Output
from documents.extraction.resource_limits import limit_this_process
from documents.extraction.source import Source


def main() -> None:
    """Read the request, extract, and write messages to standard output."""
    requests = int(sys.argv[1])
    messages = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace")
    # A library that prints must not write between the messages.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    request = json.loads(_read_line(requests))
    limits = Limits(**request["limits"])
    limit_this_process(limits)
    _end_with_parent(requests)
    source = Source(Path(os.fsdecode(bytes.fromhex(request["path"]))), clean_name(request["name"]), limits)
    try:
        _run(source, messages)
    except MemoryError:
        _send(
            messages,
            "error",
            reason="out_of_memory",
            message=translatable("Reading the file needs more memory than is allowed."),
        )
    messages.close()


def _run(source: Source, messages: IO[str]) -> None:
    def send(block: Block) -> None:
        _send(messages, "block", **asdict(block))

    def report(done: int, total: int | None) -> None:
        _send(messages, "progress", done=done, total=total)
        messages.flush()

    output = Output(source.limits.output_chars, send, report)
    try:
        extract(source, output)
    except ExtractionError as error:
        _send(messages, "error", reason=error.reason, message=str(error))
        return
    _send(
        messages,
        "document",
        media_type=output.media_type,
        title=output.title,
        author=output.author,
        created_at=output.created_at.isoformat() if output.created_at else None,
        tags=output.tags,
        pages=output.pages,
        metadata=output.metadata,
        notes=output.notes,
        is_truncated=output.is_truncated,
    )


def _send(messages: IO[str], message_kind: str, **content: object) -> None:
    messages.write(json.dumps({"message_kind": message_kind, **content}, ensure_ascii=False) + "\n")


def _read_line(descriptor: int) -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        chunk = os.read(descriptor, 65536)
        if not chunk:
            sys.exit(1)
        line += chunk
    return line


def _end_with_parent(requests: int) -> None:
    """End this process and the programs that it started as soon as the parent has closed the pipe or has died."""

    def watch() -> None:
        os.read(requests, 1)
        # The parent removes the folder, unless it was killed.
        with suppress(OSError):
            os.rmdir(os.getcwd())
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()
