"""The stream of the HTTP+SSE transport (MCP 2024-11-05, basic/transports): all that the server says goes out on it."""

from __future__ import annotations

from mcpapi.http.event_stream import Outbox, frame
from mcpapi.models import Session
from mcpapi.state.sessions import remove_session
from mcpapi.state.sse_mailbox import take, topic_of
from mcpapi.subscriptions.filters import Wants
from mcpapi.subscriptions.streams import Present, StandingStream
from oauthserver.resource_server.bearer import Principal


class SseStream(StandingStream[Outbox]):
    """One open stream and the session that lives as long as it: what changes, and answers to its client's messages."""

    def __init__(self, principal: Principal, wants: Wants, present: Present, session: Session) -> None:
        super().__init__(principal, wants, present, Outbox, session)
        self._own = session
        self._topic = topic_of(session)

    def begin(self, message_url: str) -> Outbox:
        """Tell the client where to send its messages, then all that there is to tell; what goes out."""
        self.sink.put(frame(message_url.encode(), name="endpoint"))
        self.open([], lambda: [])
        return self.sink

    def hear_of_call(self, topic: str) -> None:
        """See `Listener.hear_of_call`."""
        if topic == self._topic:
            self._send_messages()

    def hear_of_gap(self) -> None:
        """See `Listener.hear_of_gap`."""
        super().hear_of_gap()
        self._send_messages()

    def _leave(self) -> None:
        super()._leave()
        remove_session(self._own)

    def _send_messages(self) -> None:
        for message in take(self._own):
            self.sink.send(message)
