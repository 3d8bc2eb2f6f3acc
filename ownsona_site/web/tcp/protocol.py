"""HTTP connection of a client: gunicorn's protocol class, which also reports its state to the connection table."""

from __future__ import annotations

import asyncio
from typing import Any

from gunicorn.asgi.protocol import ASGIProtocol

from ownsona_site.web.tcp.table import ConnectionTable, State


class HttpConnection(ASGIProtocol):  # type: ignore[misc] # gunicorn has no types
    """One connection. It overrides private methods of gunicorn, whose version is pinned.

    Tests with a real server fail if these methods change.
    """

    def __init__(self, worker: Any, table: ConnectionTable) -> None:
        super().__init__(worker)
        self._table = table
        self._has_begun_header = False
        self._is_given_up = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See asyncio.BaseProtocol. Close the connection if it was closed or timed out before it was made."""
        super().connection_made(transport)
        if self._is_given_up:
            self.close_now()

    def connection_lost(self, exc: Exception | None) -> None:
        """See asyncio.BaseProtocol."""
        super().connection_lost(exc)
        self._table.remove(self)

    def close_now(self) -> None:
        """See `Connection.close_now`."""
        self._is_given_up = True
        if self.transport is not None:
            self._close_transport()
            self.transport.abort()
            self._end_wait()

    def time_out(self) -> None:
        """See `Connection.time_out`. Send a 408 only if a part of a header has arrived."""
        if self.transport is not None and self._has_begun_header:
            self._send_error_response(408, "The request header did not arrive in time.")
        self._is_given_up = True
        self._close_transport()
        self._end_wait()

    def _end_wait(self) -> None:
        """Wake gunicorn's task for this connection, so that it sees the closed connection and ends."""
        if self._request_ready is not None:
            self._request_ready.set()

    def _feed_callback_parser(self, data: bytes) -> bool:
        """See gunicorn. Parse `data` and report the new state to the table."""
        try:
            goes_on: bool = super()._feed_callback_parser(data)
        except ValueError:
            # int() refuses numbers of more than 4,300 digits, and gunicorn does not catch that.
            self._send_error_response(400, "The request is not valid HTTP.")
            self._close_transport()
            self._end_wait()
            return False
        self._has_begun_header = self._current_request is None
        if self._current_request is not None:
            self._table.move(self, State.BUSY if self._body_receiver._complete else State.BODY)
        elif self.req_count > 1:
            self._table.move(self, State.HEADER)
        return goes_on

    def _arm_keepalive_timer(self) -> None:
        """See gunicorn. Called when the last response has been sent and no further request has arrived."""
        super()._arm_keepalive_timer()
        self._table.move(self, State.HEADER if self._has_begun_header else State.IDLE)
