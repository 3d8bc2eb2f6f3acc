"""Processes that misbehave, started instead of the one that extracts. No file can cause them to be started."""

from __future__ import annotations

import os
import sys
import time

from documents.extraction import child
from documents.extraction.formats import registry
from documents.extraction.output import Output
from documents.extraction.source import Source


def main() -> None:
    """Run the real process, with an extractor that does what the text of the file names."""
    registry.EXTRACTORS["text/plain"] = "plain:misbehave"
    from documents.extraction.formats import plain

    plain.misbehave = misbehave  # type: ignore[attr-defined]
    child.main()


def misbehave(source: Source, output: Output) -> None:
    """Do what the file names."""
    deed, _, argument = source.path.read_text().partition(" ")
    DEEDS[deed](output, argument)


def _loop(_output: Output, _argument: str) -> None:
    while True:
        pass


def _sleep(_output: Output, argument: str) -> None:
    if argument:
        # A process of its own, which would survive.
        if os.fork() == 0:
            time.sleep(60)
        output = os.open(argument, os.O_WRONLY)
        os.write(output, f"{os.getpid()}\n".encode())
    time.sleep(60)


def _hog(_output: Output, _argument: str) -> None:
    kept = []
    while True:
        # Written, so that it is really used.
        kept.append(bytearray(b"x") * (16 << 20))
        time.sleep(0.02)


def _crash(_output: Output, _argument: str) -> None:
    os.abort()


def _flood(_output: Output, _argument: str) -> None:
    while True:
        os.write(_message_descriptor(), b"x" * 65536)


def _forge(_output: Output, argument: str) -> None:
    os.write(_message_descriptor(), argument.encode() + b"\n")
    time.sleep(60)


def _close(_output: Output, _argument: str) -> None:
    os.close(_message_descriptor())
    time.sleep(60)


def _write(output: Output, argument: str) -> None:
    try:
        with open(argument, "w", encoding="utf-8") as opened:
            opened.write("x")
    except OSError as error:
        output.text(f"refused: {type(error).__name__}")


def _connect(output: Output, argument: str) -> None:
    import socket

    try:
        socket.create_connection(("127.0.0.1", int(argument)), timeout=1).close()
    except PermissionError:
        output.text("refused")


def _surroundings(output: Output, _argument: str) -> None:
    output.text("\n".join(sorted(os.environ)))
    output.text(os.getcwd())
    output.text(" ".join(name for name in ("django", "memories", "pydantic", "numpy") if name in sys.modules) or "none")
    output.text(
        f"{os.getsid(0) == os.getpid()} {os.nice(0) >= 10} {os.fstat(0).st_rdev == os.stat(os.devnull).st_rdev}"
    )


def _message_descriptor() -> int:
    # The standard output at the start, of which the process keeps a copy.
    pipes = [each for each in range(3, 64) if _is_pipe(each)]
    return next(each for each in pipes if os.get_blocking(each) and _is_writable(each))


def _is_pipe(descriptor: int) -> bool:
    import stat

    try:
        return stat.S_ISFIFO(os.fstat(descriptor).st_mode)
    except OSError:
        return False


def _is_writable(descriptor: int) -> bool:
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY


DEEDS = {
    "loop": _loop,
    "sleep": _sleep,
    "hog": _hog,
    "crash": _crash,
    "flood": _flood,
    "forge": _forge,
    "close": _close,
    "write": _write,
    "connect": _connect,
    "surroundings": _surroundings,
}
