"""What a method is, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mcpapi.calls.context import Caller
from mcpapi.rpc.jsonrpc import Params
from mcpapi.subscriptions.filters import Wants


class Outcome:
    """The result of a method, and the headers that go with it. With `listening` a stream of that comes first."""

    __slots__ = ("headers", "listening", "result")

    def __init__(
        self, result: Mapping[str, Any], headers: Mapping[str, str] | None = None, listening: Wants | None = None
    ) -> None:
        self.result = result
        self.headers = headers or {}
        self.listening = listening


Method = Callable[[Caller, Params], Outcome]
