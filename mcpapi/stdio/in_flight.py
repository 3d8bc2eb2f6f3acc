"""The requests of one client that are in flight, so that it can cancel them."""

from __future__ import annotations

import threading
from collections.abc import Callable

from mcpapi.rpc.jsonrpc import RequestId


class InFlightRequests:
    """Requests by id: calls, which end with a response, and streams, which last until they are stopped. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._calls: dict[RequestId, Callable[[], None] | None] = {}
        self._streams: dict[RequestId, Callable[[], None]] = {}

    def begin(self, request_id: RequestId) -> bool:
        """Register a request. Return False if another one with this id is in flight."""
        with self._changed:
            if request_id in self._calls or request_id in self._streams:
                return False
            self._calls[request_id] = None
            return True

    def mark_pending(self, request_id: RequestId, stop: Callable[[], None]) -> bool:
        """Mark the call as pending until `stop` is called or it ends. Return False if it was cancelled."""
        with self._changed:
            if request_id not in self._calls:
                return False
            self._calls[request_id] = stop
            return True

    def mark_streaming(self, request_id: RequestId, stop: Callable[[], None]) -> bool:
        """Turn the call into a stream that lasts until `stop` is called. Return False if it was cancelled."""
        with self._changed:
            if request_id not in self._calls:
                return False
            self._streams[request_id] = stop
            del self._calls[request_id]
            self._changed.notify_all()
            return True

    def has(self, request_id: RequestId) -> bool:
        """Return whether the request is in flight, and messages about it are still wanted."""
        with self._changed:
            return request_id in self._calls or request_id in self._streams

    def end(self, request_id: RequestId) -> bool:
        """End the request, whose response is ready. Return whether the client still wants it."""
        with self._changed:
            is_wanted = request_id in self._calls or request_id in self._streams
            self._calls.pop(request_id, None)
            self._streams.pop(request_id, None)
            self._changed.notify_all()
            return is_wanted

    def cancel(self, request_id: RequestId) -> None:
        """Cancel the request on behalf of the client. Does nothing if it is unknown or has ended."""
        with self._changed:
            stop = self._calls.pop(request_id, None) or self._streams.pop(request_id, None)
            self._changed.notify_all()
        if stop is not None:
            stop()

    def wait_for_answers(self) -> None:
        """Wait until every call has its response."""
        with self._changed:
            self._changed.wait_for(lambda: not self._calls)
