"""Messages as lines: one message per line, without line breaks in it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from io import RawIOBase
from typing import BinaryIO


def read_lines(stream: BinaryIO, limit: int) -> Iterator[bytes | None]:
    """Yield every line that is not blank, and None for each line of more than `limit` bytes, which is skipped."""
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
    """The output to the client, one line at a time, from any thread. Calls `on_disconnect` when the client has left."""

    def __init__(self, stream: RawIOBase, on_disconnect: Callable[[], None]) -> None:
        self._stream = stream
        self._on_disconnect = on_disconnect
        self._lock = threading.Lock()
        self._is_closed = False

    def send(self, message: bytes) -> None:
        """Write the whole of `message`, however slowly the client reads. Does nothing once closed."""
        if self._is_closed:
            return
        try:
            with self._lock:
                self._write(message + b"\n")
        except OSError:
            self.close()
            self._on_disconnect()

    def close(self) -> None:
        """Stop writing after the current message. Never waits."""
        self._is_closed = True

    def _write(self, content: bytes) -> None:
        rest = memoryview(content)
        while rest:
            rest = rest[self._stream.write(rest) :]


class LineSink:
    """The messages of one stream among all other lines; see `Sink`. `on_close` runs once when it is closed.

    Messages are held until `release`, because a client that has received the first one relies on the stream.
    """

    def __init__(self, output: LineWriter, on_close: Callable[[], None]) -> None:
        self._output = output
        self._on_close = on_close
        self._lock = threading.Lock()
        self._held: list[bytes] | None = []
        self._closed = False

    def send(self, message: bytes, event_id: str | None = None) -> None:
        """See `Sink.send`. There is no resuming, since this process ends with its client."""
        with self._lock:
            if self._closed:
                return
            if self._held is not None:
                self._held.append(message)
                return
        self._output.send(message)

    def release(self) -> None:
        """Write the messages that were held, and hold no more."""
        with self._lock:
            held, self._held = self._held or [], None
            for message in held:
                self._output.send(message)

    def end(self) -> None:
        """See `Sink.end`. The messages that were sent are written already, or with `release`."""
        self._close(discard=False)

    def close(self) -> None:
        """See `Sink.close`."""
        self._close(discard=True)

    def _close(self, *, discard: bool) -> None:
        with self._lock:
            was_closed, self._closed = self._closed, True
            if discard and self._held:
                self._held = []
        if not was_closed:
            self._on_close()
