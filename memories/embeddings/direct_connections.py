"""Kept connections to an embedding endpoint that is reached without a proxy.

A question waits for its vector, and a request takes a third of the processor time that it takes with urllib3: head and
body are sent at once, and an ordinary response is read without parsing its header in full.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections import deque
from http.client import HTTPException
from http.client import HTTPResponse as ParsedResponse
from io import BufferedReader, RawIOBase
from typing import TYPE_CHECKING, Any, cast

from urllib3 import HTTPHeaderDict, HTTPResponse, Timeout
from urllib3.exceptions import DecodeError, HTTPError, ReadTimeoutError
from urllib3.util import Url
from urllib3.util.wait import wait_for_read

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

RECEIVED_BYTES = 65_536
"""Size of one read from a connection. A vector of 3,072 dimensions in base64 has 16,000 bytes."""

# Header fields that need more than the length of the body. They lead to the complete parser.
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,12})[ \t]*\r\n", re.IGNORECASE)
_SPECIAL = re.compile(
    rb"\r\n(?:transfer-encoding:|content-encoding:|connection:(?![ \t]*keep-alive[ \t]*\r)|[ \t])", re.IGNORECASE
)
_DEFAULT_PORTS = {"http": 80, "https": 443}


class ExchangeFailed(Exception):
    """An error for an endpoint that cannot be reached, breaks HTTP, or with `is_late` did not respond in time."""

    def __init__(self, cause: Exception, *, is_late: bool = False) -> None:
        super().__init__(str(cause))
        self.is_late = is_late


class DirectConnections:
    """Connections to one URL, each used by one request at a time. Thread-safe."""

    def __init__(self, url: Url, headers: dict[str, str], context: ssl.SSLContext, most_kept: int) -> None:
        self._address = (url.host or "").strip("[]"), url.port or _DEFAULT_PORTS[url.scheme or "http"]
        self._context = context if url.scheme == "https" else None
        self._most_kept = most_kept
        self._kept: deque[socket.socket] = deque()
        is_default = url.port in {None, _DEFAULT_PORTS[url.scheme or "http"]}
        named = {"Host": f"{url.host}" if is_default else f"{url.host}:{url.port}", **headers}
        lines = [f"POST {url.request_uri} HTTP/1.1", *(f"{name}: {value}" for name, value in named.items())]
        self._head = "".join(f"{line}\r\n" for line in [*lines, "Accept-Encoding: identity"]).encode("latin-1")

    def post(self, body: bytes, timeout: Timeout) -> DirectResponse:
        """Send `body` and return the response, whose body is still to be read. Raises ExchangeFailed."""
        try:
            connection = self._reused() or self._opened(timeout)
            try:
                connection.settimeout(timeout.read_timeout)
                connection.sendall(b"%sContent-Length: %d\r\n\r\n%s" % (self._head, len(body), body))
                return DirectResponse(self, connection)
            except BaseException:
                connection.close()
                raise
        except (OSError, HTTPException) as error:
            raise ExchangeFailed(error, is_late=isinstance(error, TimeoutError)) from error

    def keep(self, connection: socket.socket) -> None:
        """Keep a connection for the next request. Its last response has been read."""
        if len(self._kept) < self._most_kept:
            self._kept.append(connection)
        else:
            connection.close()

    def _reused(self) -> socket.socket | None:
        """Return a kept connection, the one used last, unless the endpoint has closed all of them."""
        while self._kept:
            try:
                connection = self._kept.pop()
            except IndexError:  # Another thread has taken it.
                break
            # An idle connection has nothing to read except its end.
            if not wait_for_read(connection, 0):
                return connection
            connection.close()
        return None

    def _opened(self, timeout: Timeout) -> socket.socket:
        connection = socket.create_connection(self._address, cast(float, timeout.connect_timeout))
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return (
                self._context.wrap_socket(connection, server_hostname=self._address[0]) if self._context else connection
            )
        except BaseException:
            connection.close()
            raise


class DirectResponse:
    """A response whose body is read piece by piece. The rest of its connection must be kept or closed."""

    def __init__(self, connections: DirectConnections, connection: socket.socket) -> None:
        """Receive the header. Raises OSError and HTTPException."""
        self._connections = connections
        self._connection = connection
        self._parsed: HTTPResponse | None = None
        self._original: ParsedResponse | None = None
        received = bytearray()
        end = -1
        while end < 0 and len(received) < RECEIVED_BYTES:
            piece = connection.recv(RECEIVED_BYTES)
            if not piece:
                break
            received += piece
            end = received.find(b"\r\n\r\n")
        head = bytes(received[: end + 2])
        length = _LENGTH.findall(head) if end >= 0 and head.startswith(b"HTTP/1.1 200") else []
        if len(length) == 1 and not _SPECIAL.search(head):
            self.status = 200
            self._begun = bytes(received[end + 4 :])
            self._left = int(length[0])
        else:
            self._parse(bytes(received))

    @property
    def retry_after(self) -> str:
        """The header Retry-After; empty if it is absent."""
        return self._parsed.headers.get("Retry-After", "") if self._parsed else ""

    def read(self) -> bytes:
        """Return the next piece of the body, as it arrives; nothing at its end.

        Raises ExchangeFailed, and urllib3's DecodeError.
        """
        try:
            if self._parsed is not None:
                return self._parsed.read1(RECEIVED_BYTES, decode_content=True)
            if not self._left:
                return b""
            piece = self._begun or self._connection.recv(min(self._left, RECEIVED_BYTES))
        except DecodeError:
            raise
        except (OSError, HTTPError) as error:
            raise ExchangeFailed(error, is_late=isinstance(error, TimeoutError | ReadTimeoutError)) from error
        self._begun = b""
        if not 0 < len(piece) <= self._left:
            raise ExchangeFailed(ValueError("The body is not as long as the header says."))
        self._left -= len(piece)
        return piece

    def release(self) -> None:
        """Keep the connection, if the whole body has been read and the endpoint does not close it."""
        is_read = self._original is None or (self._original.isclosed() and not self._original.will_close)
        if is_read:
            self._connections.keep(self._connection)
        else:
            self.close()

    def close(self) -> None:
        """Close the connection: the rest of the body is not wanted."""
        self._connection.close()

    def _parse(self, received: bytes) -> None:
        """Parse the header in full: another status than 200, chunks, compression, or no length."""
        source = _Source(_Replayed(received, self._connection))
        self._original = original = ParsedResponse(cast(socket.socket, source), method="POST")
        original.begin()
        self.status = original.status
        self._parsed = HTTPResponse(
            body=cast(Any, original),
            headers=HTTPHeaderDict(original.msg.items()),
            status=original.status,
            preload_content=False,
            original_response=original,
            enforce_content_length=True,
            request_method="POST",
        )


class _Replayed(RawIOBase):
    """The bytes that were received already, followed by what the connection receives."""

    def __init__(self, received: bytes, connection: socket.socket) -> None:
        self._received = received
        self._connection = connection

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """See `io.RawIOBase`."""
        view = memoryview(buffer)
        if not self._received:
            return self._connection.recv_into(view)
        piece, self._received = self._received[: len(view)], self._received[len(view) :]
        view[: len(piece)] = piece
        return len(piece)


class _Source:
    """What http.client's response wants of a socket."""

    def __init__(self, raw: RawIOBase) -> None:
        self._raw = raw

    def makefile(self, _mode: str) -> BufferedReader:
        """Return the file to read from."""
        return BufferedReader(self._raw)
