"""The stream of the HTTP+SSE transport (MCP 2024-11-05, basic/transports), which carries all the server's messages."""

from __future__ import annotations

from mcpapi.http.event_stream import Outbox, frame
from mcpapi.models import Session
from mcpapi.state.sessions import remove_session
from mcpapi.state.sse_mailbox import take, topic_of
from mcpapi.subscriptions.filters import SubscriptionFilter
from mcpapi.subscriptions.streams import NotificationStream, PrincipalSource
from oauthserver.resource_server.principal import Principal


class SseStream(NotificationStream[Outbox]):
    """An open stream and its session, which ends with it: notifications, and the responses to its client's messages."""

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
        """Send the URL for the client's messages, open the stream, and return its outbox."""
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
