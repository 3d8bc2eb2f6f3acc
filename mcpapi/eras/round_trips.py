"""Input from the client without waiting for it (MCP 2026-07-28, basic/patterns/mrtr).

The input requests end the call; the client sends it again with the responses. The responses of earlier rounds return in
`requestState`, which is signed. So each request is sent once, and a method may make several in succession.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from django.core import signing

from mcpapi.calls.caller import Caller, Method
from mcpapi.rpc.client_input import InputRequest, InputRequired, InputResponse, missing_capability
from mcpapi.rpc.jsonrpc import Call, Params, encode_params, invalid_params
from oauthserver.resource_server.principal import Principal

STATE_LIFETIME_SECONDS = 900
"""The time that the user has to respond."""

STATE_SALT = "mcpapi.request_state"
UNBOUND_PARAMS = frozenset({"_meta", "inputResponses", "requestState"})


class RoundTripInput:
    """The input requests and responses of one call. Raises RpcError -32602 for invalid responses or an invalid state.

    A state is valid only for the same owner, app, method and arguments, and for STATE_LIFETIME_SECONDS. Replaying a
    state is harmless: it only repeats the responses of its call, which the client could send by itself. A response
    proves what the client says, not that it was asked.
    """

    def __init__(self, principal: Principal, call: Call, client_capabilities: Mapping[str, Any]) -> None:
        self._principal = principal
        self._call = call
        self._capabilities = client_capabilities
        self._answered = self._previous_responses()
        self._given = _input_responses(call.params)

    def can_answer(self, request: InputRequest) -> bool:
        """See `ClientInput.can_answer`."""
        return request.is_answerable_with(self._capabilities)

    def ask(self, **requests: InputRequest) -> Mapping[str, InputResponse]:
        """See `ClientInput.ask`. Raises InputRequired with the requests that have no response yet."""
        if impossible := [request for request in requests.values() if not self.can_answer(request)]:
            raise missing_capability(*impossible)
        for name, request in requests.items():
            if name in self._given:
                self._answered[name] = request.check(f"inputResponses.{name}", self._given[name])
        if missing := {name: request for name, request in requests.items() if name not in self._answered}:
            raise InputRequired(missing, self._state())
        return {name: self._answered[name] for name in requests}

    def close(self) -> None:
        """See `ClientInput.close`. There is nothing to do: the input requests ended the call."""

    def _state(self) -> str:
        return signing.dumps({"for": self._binding(), "answers": self._answered}, salt=STATE_SALT, compress=True)

    def _previous_responses(self) -> dict[str, InputResponse]:
        state = self._call.params.get("requestState")
        if state is None:
            return {}
        try:
            held = signing.loads(str(state), salt=STATE_SALT, max_age=STATE_LIFETIME_SECONDS)
        except signing.BadSignature:
            held = {}
        if held.get("for") != self._binding():
            raise invalid_params(
                "requestState is modified, expired, or from another request: call again without it and without "
                "inputResponses"
            )
        answers: dict[str, InputResponse] = held["answers"]
        return answers

    def _binding(self) -> str:
        """Return a digest of the caller and of the request."""
        params = {name: value for name, value in self._call.params.items() if name not in UNBOUND_PARAMS}
        request = [self._principal.owner_id, self._principal.client_id, self._call.method, params]
        return hashlib.sha256(encode_params("params", request)).hexdigest()


def with_input_requests(method: Method) -> Method:
    """Return `method` with its input requests returned as a result."""

    def answer(caller: Caller, params: Params) -> Mapping[str, Any]:
        try:
            return method(caller, params)
        except InputRequired as pause:
            requests = {name: request.as_json() for name, request in pause.requests.items()}
            return {"resultType": "input_required", "inputRequests": requests, "requestState": pause.state}

    return answer


def _input_responses(params: Params) -> Mapping[str, object]:
    given = params.get("inputResponses", {})
    if not isinstance(given, dict):
        raise invalid_params("inputResponses must be an object with the response to each input request under its name")
    encode_params("inputResponses", given)
    return given
