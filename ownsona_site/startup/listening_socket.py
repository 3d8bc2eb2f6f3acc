"""Listening socket of the server, and a check whether a server answers on it."""

from __future__ import annotations

import errno
import http.client
import json
import socket

from ownsona_site.web.tcp.limits import BACKLOG

ANSWER_LIMIT_SECONDS = 0.5
"""Timeout of a request to /health on the port."""
UNREAD_LIMIT_MS = 60_000
LONGEST_HEALTH_BYTES = 1000
LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - read, not bound


class CannotListen(Exception):
    """The server cannot listen on the address. `str(error)` is one line with the setting and the fix."""


def listen(host: str, port: int) -> socket.socket:
    """Return a TCP socket that listens on the address. Raises CannotListen."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise CannotListen(f"HOST={host}: this is not an address of this machine ({error.strerror}).") from error
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _set_for_connections(listener)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise CannotListen(_explain(host, port, error)) from error
    return listener


def _set_for_connections(listener: socket.socket) -> None:
    """Set the options that accepted connections inherit from the listening socket."""
    # The parts of an event stream are small, and Nagle's algorithm would delay them.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Without this, a client that reads nothing would keep a closed connection and its send buffer in the kernel.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_LIMIT_MS)


def _explain(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE and _is_ownsona(host, port):
        return f"OwnSona is already running at http://{_reachable(host)}:{port}. Stop it first."
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} is used by another program, or by OwnSona itself, which is still starting or stopping. Wait "
            f"a moment and retry, or choose another port, for example `PORT={port + 1} make run`."
        )
    if error.errno == errno.EACCES:
        return (
            f"Port {port} requires more privileges than this user has. Choose one from 1024 up, for example PORT=8000."
        )
    return f"Cannot listen on HOST={host} PORT={port}: {error.strerror}."


def is_answering(listener: socket.socket) -> bool:
    """Return whether an HTTP server answers on the socket's address."""
    return _health(*listener.getsockname()[:2]) is not None


def _is_ownsona(host: str, port: int) -> bool:
    """Return whether the program on a taken port answers like OwnSona's /health."""
    try:
        status = json.loads(_health(host, port) or b"")
    except ValueError:
        return False
    return isinstance(status, dict) and {"status", "version"} <= status.keys()


def _health(host: str, port: int) -> bytes | None:
    """Return the body of /health from the HTTP server at the address, or None if none answers in time."""
    connection = http.client.HTTPConnection(LOOPBACK.get(host, host), port, timeout=ANSWER_LIMIT_SECONDS)
    try:
        connection.request("GET", "/health", headers={"Host": "localhost"})
        return connection.getresponse().read(LONGEST_HEALTH_BYTES)
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def _reachable(host: str) -> str:
    """Return the host as it appears in a URL for a browser on this machine."""
    reachable = LOOPBACK.get(host, host)
    return f"[{reachable}]" if ":" in reachable else reachable
