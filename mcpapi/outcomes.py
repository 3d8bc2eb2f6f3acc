"""What a method is, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mcpapi.context import Caller
from mcpapi.jsonrpc import Params


class Outcome:
    """The result of a method, and the headers that go with it."""

    __slots__ = ("headers", "result")

    def __init__(self, result: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        self.result = result
        self.headers = headers or {}


Method = Callable[[Caller, Params], Outcome]
