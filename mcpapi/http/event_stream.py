"""The HTTP response that is a stream of events."""

from __future__ import annotations

from django.http import StreamingHttpResponse

from mcpapi.subscriptions.outbox import Outbox


class EventStream(StreamingHttpResponse):
    """Sends what comes into `outbox` until that ends or the client leaves."""

    def __init__(self, outbox: Outbox) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(outbox, content_type="text/event-stream", headers=headers)
