"""Messages as lines: one in each, without a line break in it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from io import RawIOBase
from typing import BinaryIO


def read_lines(stream: BinaryIO, limit: int) -> Iterator[bytes | None]:
    """Every line that is not blank, to the end of the stream; None for one of more than `limit` bytes, unread."""
    while line := stream.readline(limit + 1):
        if len(line) > limit and not line.endswith(b"\n"):
            _skip_rest(stream)
            yield None
        elif not line.isspace():
            yield line


def _skip_rest(stream: BinaryIO) -> None:
    while (part := stream.readline(65_536)) and not part.endswith(b"\n"):
        pass


class LineWriter:
    """What the client reads, a line at a time, from any thread. `on_disconnect` is called when the client has left."""

    def __init__(self, stream: RawIOBase, on_disconnect: Callable[[], None]) -> None:
        self._stream = stream
        self._on_disconnect = on_disconnect
        self._lock = threading.Lock()
        self._is_closed = False

    def send(self, message: bytes) -> None:
        """Write `message` whole; waits for a client that is slow to read. Once closed, nothing."""
        if self._is_closed:
            return
        try:
            with self._lock:
                self._write(message + b"\n")
        except OSError:
            self.close()
            self._on_disconnect()

    def close(self) -> None:
        """Write nothing more than what is being written. Never waits."""
        self._is_closed = True

    def _write(self, content: bytes) -> None:
        rest = memoryview(content)
        while rest:
            rest = rest[self._stream.write(rest) :]


class LineSink:
    """What one stream tells, among all other lines; see `Sink`. `on_close` runs once when it is over."""

    def __init__(self, output: LineWriter, on_close: Callable[[], None]) -> None:
        self._output = output
        self._on_close = on_close
        self._lock = threading.Lock()
        self._closed = False

    def send(self, message: bytes, event_id: str | None = None) -> None:
        """See `Sink.send`: there is no resuming, for the client's end is this process's end."""
        if not self._closed:
            self._output.send(message)

    def end(self) -> None:
        """See `Sink.end`: what was sent is written already."""
        self.close()

    def close(self) -> None:
        """See `Sink.close`."""
        with self._lock:
            was_closed, self._closed = self._closed, True
        if not was_closed:
            self._on_close()
