"""What an era is: a family of protocol revisions with one way of admitting a request and of dressing a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from django.http import HttpRequest

from mcpapi.context import Caller
from mcpapi.jsonrpc import Call, Params
from oauthserver.bearer import Principal


class Outcome:
    """The result of a method, and the headers that go with it."""

    __slots__ = ("headers", "result")

    def __init__(self, result: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        self.result = result
        self.headers = headers or {}


Method = Callable[[Caller, Params], Outcome]


class Era(Protocol):
    """One family of revisions. A method that it lacks is an absent key of `methods`."""

    methods: Mapping[str, Method]

    def admit(self, request: HttpRequest, principal: Principal, call: Call) -> Caller:
        """Who calls, and in which revision. Raises RpcError for a session or a header that does not hold."""
        ...

    def dress(self, caller: Caller, method: str, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """`result` in the shape of the caller's revision."""
        ...
