"""The stream of the HTTP+SSE transport (MCP 2024-11-05, basic/transports): all that the server says goes out on it."""

from __future__ import annotations

from mcpapi.http.event_stream import Outbox, frame
from mcpapi.models import Session
from mcpapi.state.sessions import remove_session
from mcpapi.state.sse_mailbox import take, topic_of
from mcpapi.subscriptions.filters import SubscriptionFilter
from mcpapi.subscriptions.streams import NotificationStream, PrincipalSource
from oauthserver.resource_server.bearer import Principal


class SseStream(NotificationStream[Outbox]):
    """One open stream and the session that lives as long as it: what changes, and answers to its client's messages."""

    def __init__(
        self,
        principal: Principal,
        subscription_filter: SubscriptionFilter,
        current_principal: PrincipalSource,
        session: Session,
    ) -> None:
        super().__init__(principal, subscription_filter, current_principal, Outbox, session)
        self._own = session
        self._topic = topic_of(session)

    def begin(self, message_url: str) -> Outbox:
        """Tell the client where to send its messages, then all that there is to tell; what goes out."""
        self.sink.put(frame(message_url.encode(), name="endpoint"))
        self.open([], lambda: [])
        return self.sink

    def on_topic(self, topic: str) -> None:
        """See `Listener.on_topic`."""
        if topic == self._topic:
            self._send_messages()

    def on_gap(self) -> None:
        """See `Listener.on_gap`."""
        super().on_gap()
        self._send_messages()

    def _on_close(self) -> None:
        super()._on_close()
        remove_session(self._own)

    def _send_messages(self) -> None:
        for message in take(self._own):
            self.sink.send(message)
