"""Input from the client while its call waits (MCP 2025-11-25, client/elicitation, client/sampling, client/roots).

A server request is sent on the stream of the call. The reply is an HTTP request of its own, which any process may
receive. The call then runs again from its beginning, and finds the reply.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from django.conf import settings

from mcpapi.models import Session
from mcpapi.rpc.client_input import InputRequest, InputResponse, NotAnswered, missing_capability
from mcpapi.rpc.notifier import SendMessage
from mcpapi.rpc.suspension import WaitForTopic
from mcpapi.state import server_requests
from mcpapi.state.server_requests import RequestState


class SessionInput:
    """The server requests and replies of one call in a session whose client accepts messages before the response."""

    def __init__(self, session: Session, send_message: SendMessage) -> None:
        self._session = session
        self._send_message = send_message
        self._topic = server_requests.new_topic()
        self._has_asked: set[str] = set()
        self._until = time.monotonic()

    def can_answer(self, request: InputRequest) -> bool:
        """See `ClientInput.can_answer`."""
        return request.is_answerable_with(self._session.client_capabilities)

    def ask(self, **requests: InputRequest) -> Mapping[str, InputResponse]:
        """See `ClientInput.ask`. Raises WaitForTopic until there is a reply to every request."""
        if impossible := [request for request in requests.values() if not self.can_answer(request)]:
            raise missing_capability(*impossible)
        if new := {name: request for name, request in requests.items() if name not in self._has_asked}:
            self._send(new)
        found = server_requests.find_requests(self._topic)
        answered = [self._is_answered(found.get(name)) for name in requests]
        if not all(answered):
            raise WaitForTopic(self._topic, self._until)
        return {
            name: request.check(f"the response to {request.method}", found[name].reply)
            for name, request in requests.items()
        }

    def close(self) -> None:
        """See `ClientInput.close`."""
        if self._has_asked:
            server_requests.delete_requests(self._topic)

    def _send(self, requests: Mapping[str, InputRequest]) -> None:
        messages = server_requests.store_requests(self._session, self._topic, requests)
        self._has_asked |= requests.keys()
        self._until = time.monotonic() + settings.MCP_QUESTION_SECONDS
        for message in messages:
            self._send_message(message)

    def _is_answered(self, asked: RequestState | None) -> bool:
        """Return whether the client has replied. Raises NotAnswered on an error, a timeout or the session's end."""
        # The requests of a session are deleted with it.
        if asked is None or asked.is_error:
            raise NotAnswered(timed_out=False)
        if not asked.is_answered and time.monotonic() >= self._until:
            raise NotAnswered(timed_out=True)
        return asked.is_answered
