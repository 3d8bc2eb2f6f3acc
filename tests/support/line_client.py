"""A client for messages as lines, over standard input and output."""

from __future__ import annotations

import json
import os
import select
import time
from typing import Any

from mcpapi.eras.request_meta import CLIENT_CAPABILITIES, PROTOCOL_VERSION

LIMIT_SECONDS = 60.0
MODERN_META = {PROTOCOL_VERSION: "2026-07-28", CLIENT_CAPABILITIES: {}}

Message = dict[str, Any]


class LineClient:
    """A client that writes messages to one file descriptor and reads them from another."""

    def __init__(self, writes_to: int, reads_from: int) -> None:
        self._writes_to = writes_to
        self._reads_from = reads_from
        self._received = b""

    def send_line(self, line: bytes) -> None:
        """Send a line, which need not be a message."""
        rest = line + b"\n"
        while rest:
            rest = rest[os.write(self._writes_to, rest) :]

    def send(self, method: str, params: Message | None = None, *, request_id: object = None) -> None:
        """Send a request, or without an id a notification."""
        named = {} if request_id is None else {"id": request_id}
        self.send_line(json.dumps({"jsonrpc": "2.0", **named, "method": method, "params": params or {}}).encode())

    def reply(self, request_id: object, result: Message) -> None:
        """Respond to a server request."""
        self.send_line(json.dumps({"jsonrpc": "2.0", "id": request_id, "result": result}).encode())

    def next(self) -> Message | None:
        """Return the next message, or None at the end."""
        deadline = time.monotonic() + LIMIT_SECONDS
        while b"\n" not in self._received:
            readable, _, _ = select.select([self._reads_from], [], [], max(0.0, deadline - time.monotonic()))
            assert readable, f"Nothing came. Before: {self._received!r}"
            if not (part := os.read(self._reads_from, 65_536)):
                assert not self._received, f"This is no line: {self._received!r}"
                return None
            self._received += part
        line, _, self._received = self._received.partition(b"\n")
        message: Message = json.loads(line)
        return message

    def message(self) -> Message:
        """Return the next message, which must exist."""
        found = self.next()
        assert found is not None
        return found

    def answer_to(self, method: str, **params: Any) -> Message:
        """Send a request and return the next message, which must be its response."""
        self.send(method, params, request_id=method)
        answer = self.message()
        assert answer["id"] == method, answer
        return answer

    def initialize(self, version: str = "2025-11-25", **capabilities: Any) -> Message:
        """Begin a session and return the result."""
        client = {"name": "tests", "version": "1"}
        answer = self.answer_to("initialize", protocolVersion=version, capabilities=capabilities, clientInfo=client)
        result: Message = answer["result"]
        self.send("notifications/initialized")
        return result

    def call(self, tool: str, **arguments: Any) -> Message:
        """Call a tool and return its payload."""
        result = self.answer_to("tools/call", name=tool, arguments=arguments)["result"]
        payload: Message = json.loads(result["content"][0]["text"])
        return payload

    def hang_up(self) -> None:
        """Close this end, since the client has nothing more to send."""
        os.close(self._writes_to)
