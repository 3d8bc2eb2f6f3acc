"""The requests of one client that are not over, so that it can cancel them."""

from __future__ import annotations

import threading
from collections.abc import Callable

from mcpapi.rpc.jsonrpc import RequestId


class InFlightRequests:
    """Requests by their ids: calls, which come to an answer, and streams, which go on. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._calls: dict[RequestId, Callable[[], None] | None] = {}
        self._streams: dict[RequestId, Callable[[], None]] = {}

    def begin(self, request_id: RequestId) -> bool:
        """A request came in; False where another one of this id is not over."""
        with self._changed:
            if request_id in self._calls or request_id in self._streams:
                return False
            self._calls[request_id] = None
            return True

    def mark_pending(self, request_id: RequestId, stop: Callable[[], None]) -> bool:
        """The answer will come later, unless `stop` is called; False where nobody waits for it any more."""
        with self._changed:
            if request_id not in self._calls:
                return False
            self._calls[request_id] = stop
            return True

    def mark_streaming(self, request_id: RequestId, stop: Callable[[], None]) -> bool:
        """There will be a stream until `stop` is called; False where nobody waits for it any more."""
        with self._changed:
            if request_id not in self._calls:
                return False
            self._streams[request_id] = stop
            del self._calls[request_id]
            self._changed.notify_all()
            return True

    def has(self, request_id: RequestId) -> bool:
        """Whether the client still wants to hear something of the request."""
        with self._changed:
            return request_id in self._calls or request_id in self._streams

    def end(self, request_id: RequestId) -> bool:
        """The request has its answer; whether the client still wants that."""
        with self._changed:
            is_wanted = request_id in self._calls or request_id in self._streams
            self._calls.pop(request_id, None)
            self._streams.pop(request_id, None)
            self._changed.notify_all()
            return is_wanted

    def cancel(self, request_id: RequestId) -> None:
        """The client wants to hear nothing more of the request. One that is not known, or over, changes nothing."""
        with self._changed:
            stop = self._calls.pop(request_id, None) or self._streams.pop(request_id, None)
            self._changed.notify_all()
        if stop is not None:
            stop()

    def wait_for_answers(self) -> None:
        """Return when every call has its answer."""
        with self._changed:
            self._changed.wait_for(lambda: not self._calls)
