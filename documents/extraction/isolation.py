"""Extraction in a separate process with limits on time, memory and output.

The parsers of documents are large, some are written in C++, and the files may come from anybody. A file that crashes or
takes over a parser finds little: the process has no database connection and no secrets in its environment, cannot write
files, and is killed when a limit is reached. It runs as the same user, however, and can read what that user can:
docs/decisions/document-formats.md.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Final

import psutil

from common.isolated_process import kill_group, start_isolated
from common.texts import translatable
from documents.extraction.cleaning import clean_name
from documents.extraction.extracted import Extracted, ExtractionError
from documents.extraction.limits import Limits
from documents.extraction.received import Receiver

__all__ = ["Limits", "extract_isolated"]

DEFAULT_LIMITS: Final = Limits()
CHILD_MODULE = "documents.extraction.child"
WATCH_SECONDS: Final = 0.25
"""Interval in which the memory of the process is read."""

END_SECONDS: Final = 2.0
"""Time in which the process must end after it has closed its output."""

_READ_BYTES: Final = 1 << 16


def extract_isolated(
    path: Path, name: str, limits: Limits = DEFAULT_LIMITS, on_progress: Callable[[int, int | None], None] | None = None
) -> Extracted:
    """Return the text and the structure of the file at `path`.

    `name` is the name that the owner knows, which is only a hint for the format of a text. `on_progress` is called with
    the number of pages that were read, and their total or None. Raises ExtractionError.
    """
    request: dict[str, object] = {
        "path": os.fsencode(path.absolute()).hex(),
        "name": clean_name(name),
        "limits": asdict(limits),
    }
    receiver = Receiver(limits, on_progress)
    with _folder() as folder, _child(folder, request) as child:
        _receive(child, receiver, limits)
        if receiver.extracted is None:
            raise _unfinished(_status(child))
    return receiver.extracted


def _folder() -> tempfile.TemporaryDirectory[str]:
    # The process may have made its folder unreadable, which must not hide the result.
    return tempfile.TemporaryDirectory(prefix="ownsona-extraction-", ignore_cleanup_errors=True)


@contextmanager
def _child(folder: str, request: dict[str, object]) -> Iterator[subprocess.Popen[bytes]]:
    """Start the process, send the request, and kill the process and all that it started at the end."""
    reader, writer = os.pipe()
    try:
        try:
            child = start_isolated(
                CHILD_MODULE,
                [str(reader)],
                folder=folder,
                environment={"TMPDIR": folder, "OMP_THREAD_LIMIT": "1"},
                pass_fds=(reader,),
            )
        finally:
            os.close(reader)
        try:
            # A pipe takes at least 16 kB at once, which is more than a request has. The process may have ended already.
            with suppress(BrokenPipeError):
                os.write(writer, json.dumps(request).encode() + b"\n")
            yield child
        finally:
            kill_group(child)
    finally:
        os.close(writer)


def _receive(child: subprocess.Popen[bytes], receiver: Receiver, limits: Limits) -> None:
    """Read messages until the result is complete or the process closes its output. Raises ExtractionError."""
    assert child.stdout is not None
    ends_at = time.monotonic() + limits.seconds
    watched_at = time.monotonic()
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        while True:
            now = time.monotonic()
            if now >= ends_at:
                raise ExtractionError(
                    "timeout",
                    translatable(
                        "Reading the file took longer than %(seconds)s seconds.", seconds=f"{limits.seconds:g}"
                    ),
                )
            if now - watched_at >= WATCH_SECONDS:
                watched_at = now
                _refuse_memory(child.pid, limits)
            if selector.select(min(WATCH_SECONDS, ends_at - now)):
                data = os.read(child.stdout.fileno(), _READ_BYTES)
                if not data:
                    return
                receiver.feed(data)
                if receiver.extracted is not None:
                    return


def _refuse_memory(pid: int, limits: Limits) -> None:
    """Raise ExtractionError if the process and the programs that it started need more memory than allowed."""
    try:
        process = psutil.Process(pid)
        used = sum(each.memory_info().rss for each in (process, *process.children(recursive=True)))
    except psutil.Error:
        return
    if used > limits.memory_mb << 20:
        raise ExtractionError("out_of_memory", translatable("Reading the file needs more memory than is allowed."))


def _status(child: subprocess.Popen[bytes]) -> int | None:
    """Return how the process ended that has closed its output; None if it has not ended."""
    try:
        return child.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        return None


def _unfinished(status: int | None) -> ExtractionError:
    """Return the error of a process that ended without a result. `status` is negative for a signal."""
    if status == -signal.SIGXCPU:
        return ExtractionError("timeout", translatable("Reading the file took more processor time than is allowed."))
    if status == -signal.SIGKILL:
        return ExtractionError(
            "out_of_memory", translatable("The system ended the program that reads the file, for lack of memory.")
        )
    if status is not None and status < 0:
        return ExtractionError(
            "failed", translatable("The program that reads the file crashed. The file is probably damaged.")
        )
    return ExtractionError("failed", translatable("The file could not be read because of an error in the program."))
