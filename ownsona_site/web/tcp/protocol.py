"""A client's HTTP connection: gunicorn's own, which also says what it is doing."""

from __future__ import annotations

import asyncio
from typing import Any

from gunicorn.asgi.protocol import ASGIProtocol

from ownsona_site.web.tcp.table import ConnectionTable, State


class HttpConnection(ASGIProtocol):  # type: ignore[misc] # gunicorn has no types
    """One connection. It overrides two private methods of gunicorn, whose version is pinned; tests on a real server
    fail when these change.
    """

    def __init__(self, worker: Any, table: ConnectionTable) -> None:
        super().__init__(worker)
        self._table = table
        self._has_begun_header = False
        self._is_given_up = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See asyncio.BaseProtocol. It may have had to go before it began."""
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
        """See `Connection.time_out`. Whoever sent a part of a header is told; a socket that is only open is closed."""
        if self.transport is not None and self._has_begun_header:
            self._send_error_response(408, "The request header did not come in time.")
        self._is_given_up = True
        self._close_transport()
        self._end_wait()

    def _end_wait(self) -> None:
        """Let gunicorn's task for this connection see that it is closed, and end."""
        if self._request_ready is not None:
            self._request_ready.set()

    def _feed_callback_parser(self, data: bytes) -> bool:
        """Read on; see gunicorn."""
        try:
            goes_on: bool = super()._feed_callback_parser(data)
        except ValueError:
            # Python reads no number of more than 4,300 digits, and gunicorn does not expect that.
            self._send_error_response(400, "The request cannot be read.")
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
        """The last answer is out, and the next request has not come; see gunicorn."""
        super()._arm_keepalive_timer()
        self._table.move(self, State.HEADER if self._has_begun_header else State.IDLE)
