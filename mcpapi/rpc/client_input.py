"""Requests for input from the client in the middle of a call, independent of the era."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from mcpapi.rpc.jsonrpc import INVALID_REQUEST, MISSING_CAPABILITY, RpcError, invalid_params
from mcpapi.rpc.suspension import CallSuspended

CAPABILITIES = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
"""By method: the capability that a client must have declared to receive the request."""

InputResponse = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class InputRequest:
    """One input request: `elicitation/create`, `sampling/createMessage` or `roots/list`, and its parameters."""

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def needed_capability(self) -> dict[str, Any]:
        """The ClientCapabilities that a client needs to respond."""
        return {CAPABILITIES[self.method]: {"url": {}} if self.params.get("mode") == "url" else {}}

    def is_answerable_with(self, capabilities: Mapping[str, Any]) -> bool:
        """Return whether a client with these capabilities can respond."""
        declared = capabilities.get(CAPABILITIES[self.method])
        if not isinstance(declared, dict):
            return False
        # An empty declaration of elicitation means forms only (MCP 2026-07-28, client/elicitation).
        if self.method == "elicitation/create" and (declared or self.params.get("mode") == "url"):
            return self.params.get("mode", "form") in declared
        return True

    def as_json(self) -> dict[str, Any]:
        """Return the request as it is sent."""
        return {"method": self.method, "params": self.params}

    def check(self, where: str, response: object) -> InputResponse:
        """Return `response` if it is valid for this request. `where` names it in errors. Raises RpcError -32602."""
        if not isinstance(response, dict):
            raise invalid_params(f"{where} must be an object")
        match self.method:
            case "elicitation/create" if response.get("action") not in ("accept", "decline", "cancel"):
                raise invalid_params(f"{where}.action must be accept, decline or cancel")
            case "sampling/createMessage" if not isinstance(response.get("content"), dict | list):
                raise invalid_params(f"{where}.content must be an object or a list")
            case "roots/list" if not isinstance(response.get("roots"), list):
                raise invalid_params(f"{where}.roots must be a list")
        return response


class InputRequired(CallSuspended):
    """The call needs responses to `requests`. `state` carries the responses that arrived earlier."""

    def __init__(self, requests: Mapping[str, InputRequest], state: str) -> None:
        super().__init__("Input from the client is required")
        self.requests = requests
        self.state = state


class ClientInput(Protocol):
    """The means to ask the client of one call for input."""

    def can_answer(self, request: InputRequest) -> bool:
        """Return whether the client supports this request."""
        ...

    def ask(self, **requests: InputRequest) -> Mapping[str, InputResponse]:
        """Return the client's response to each request.

        May raise CallSuspended, after which the method runs again from its beginning: call it before changing anything.
        Raises RpcError if the client cannot be asked or its response is invalid, and NotAnswered if it did not respond.
        """
        ...

    def close(self) -> None:
        """End the call: open requests need no response any more."""
        ...


class NoClientInput:
    """The input of a client that cannot be asked."""

    def can_answer(self, request: InputRequest) -> bool:
        """See `ClientInput.can_answer`."""
        return False

    def ask(self, **requests: InputRequest) -> Mapping[str, InputResponse]:
        """See `ClientInput.ask`."""
        raise missing_capability(*requests.values())

    def close(self) -> None:
        """See `ClientInput.close`."""


class NotAnswered(RpcError):
    """The client replied with an error, or, with `timed_out`, did not reply in time."""

    def __init__(self, *, timed_out: bool) -> None:
        details = "It did not respond in time." if timed_out else "It responded with an error."
        super().__init__(
            INVALID_REQUEST, "The client did not provide the input", reason="not_answered", details=details
        )
        self.timed_out = timed_out


def missing_capability(*requests: InputRequest) -> RpcError:
    """Return the error for a client that has not declared the capabilities that `requests` need."""
    needed: dict[str, Any] = {}
    for request in requests:
        needed |= request.needed_capability
    return RpcError(
        MISSING_CAPABILITY,
        f"This needs a client with the capability {', '.join(needed)}",
        reason="missing_capability",
        requiredCapabilities=needed,
    )
