"""What a method may ask of the client in the middle of a call, whatever the era's way of asking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from mcpapi.rpc.jsonrpc import INVALID_REQUEST, MISSING_CAPABILITY, RpcError, invalid_params
from mcpapi.rpc.suspension import CallSuspended

CAPABILITIES = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
"""By method: the capability that a client must have declared to be asked it."""

InputResponse = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class InputRequest:
    """One thing to ask: `elicitation/create`, `sampling/createMessage` or `roots/list`, and its parameters."""

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def needed_capability(self) -> dict[str, Any]:
        """The ClientCapabilities that a client must have to answer this."""
        return {CAPABILITIES[self.method]: {"url": {}} if self.params.get("mode") == "url" else {}}

    def is_answerable_with(self, capabilities: Mapping[str, Any]) -> bool:
        """Whether a client with these capabilities can answer."""
        declared = capabilities.get(CAPABILITIES[self.method])
        if not isinstance(declared, dict):
            return False
        # An empty declaration of elicitation stands for forms alone (MCP 2026-07-28, client/elicitation).
        if self.method == "elicitation/create" and (declared or self.params.get("mode") == "url"):
            return self.params.get("mode", "form") in declared
        return True

    def as_json(self) -> dict[str, Any]:
        """The request as it goes over the wire."""
        return {"method": self.method, "params": self.params}

    def check(self, where: str, response: object) -> InputResponse:
        """`response`, which stands at `where`, if it looks like an answer to this. Raises RpcError -32602."""
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
    """The call cannot go on without answers to `requests`; `state` brings those that came already."""

    def __init__(self, requests: Mapping[str, InputRequest], state: str) -> None:
        super().__init__("The client has to be asked")
        self.requests = requests
        self.state = state


class ClientInput(Protocol):
    """The way to the client of one call."""

    def can_answer(self, request: InputRequest) -> bool:
        """Whether the client can be asked this."""
        ...

    def ask(self, **requests: InputRequest) -> Mapping[str, InputResponse]:
        """The client's response to each request. May leave the method for good: ask before anything is changed.

        Raises RpcError where the client cannot be asked, or has answered with nonsense; NotAnswered where it has not
        answered.
        """
        ...

    def close(self) -> None:
        """The call is over: what is still asked needs no answer any more."""
        ...


class NoClientInput:
    """A client that nothing can be asked."""

    def can_answer(self, request: InputRequest) -> bool:
        """See `ClientInput.can_answer`."""
        return False

    def ask(self, **requests: InputRequest) -> Mapping[str, InputResponse]:
        """See `ClientInput.ask`."""
        raise missing_capability(*requests.values())

    def close(self) -> None:
        """See `ClientInput.close`."""


class NotAnswered(RpcError):
    """The client was asked and said that it cannot answer, or with `timed_out` nothing within its time."""

    def __init__(self, *, timed_out: bool) -> None:
        details = "It did not answer in time." if timed_out else "It answered with an error."
        super().__init__(
            INVALID_REQUEST, "The client did not answer what it was asked", reason="not_answered", details=details
        )
        self.timed_out = timed_out


def missing_capability(*requests: InputRequest) -> RpcError:
    """The answer to a client that has not declared what `requests` need."""
    needed: dict[str, Any] = {}
    for request in requests:
        needed |= request.needed_capability
    return RpcError(
        MISSING_CAPABILITY,
        f"This needs a client with the capability {', '.join(needed)}",
        reason="missing_capability",
        requiredCapabilities=needed,
    )
