"""The stateless era, 2026-07-28: every request carries all that is needed to respond to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcpapi.calls.caller import Caller, Method
from mcpapi.eras.base import INSTRUCTIONS, INTERACTIVE_METHODS, server_info
from mcpapi.eras.mirrored_headers import check_headers
from mcpapi.eras.request_meta import SERVER_INFO, RequestMeta
from mcpapi.eras.round_trips import RoundTripInput, with_input_requests
from mcpapi.eras.versions import STATELESS_VERSIONS, unsupported_version
from mcpapi.methods import registry
from mcpapi.methods.subscriptions import listen
from mcpapi.rpc import jsonrpc
from mcpapi.rpc.envelope import Envelope
from mcpapi.rpc.jsonrpc import Call, Params, Reply, invalid_request
from mcpapi.rpc.notifier import notifier_for
from oauthserver.resource_server.principal import Principal

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
CACHING: Mapping[str, Mapping[str, Any]] = {
    "server/discover": {"ttlMs": HOUR_MS, "cacheScope": "public"},
    "resources/templates/list": {"ttlMs": HOUR_MS, "cacheScope": "public"},
    # The owner may change a memory or a prompt, or the tools that the app may call, at any time.
    "tools/list": {"ttlMs": 0, "cacheScope": "private"},
    "resources/list": {"ttlMs": 0, "cacheScope": "private"},
    "resources/read": {"ttlMs": 0, "cacheScope": "private"},
    "prompts/list": {"ttlMs": 0, "cacheScope": "private"},
}
"""By method: how long its result may be cached, and by whom (server/utilities/caching)."""


def discover(caller: Caller, params: Params) -> Mapping[str, Any]:
    """Return the supported revisions and capabilities (MCP 2026-07-28, server/discover)."""
    return {
        "supportedVersions": list(STATELESS_VERSIONS),
        "capabilities": registry.capabilities(StatelessEra.methods),
        "instructions": INSTRUCTIONS,
    }


class StatelessEra:
    """Revisions without sessions: every request carries its revision and the client's capabilities."""

    methods: Mapping[str, Method] = {
        "server/discover": discover,
        "subscriptions/listen": listen,
        **{
            name: with_input_requests(method) if name in INTERACTIVE_METHODS else method
            for name, method in registry.SHARED_METHODS.items()
        },
    }
    http_statuses: Mapping[int, int] = {
        jsonrpc.PARSE_ERROR: 400,
        jsonrpc.INVALID_REQUEST: 400,
        jsonrpc.INVALID_PARAMS: 400,
        jsonrpc.HEADER_MISMATCH: 400,
        jsonrpc.MISSING_CAPABILITY: 400,
        jsonrpc.UNSUPPORTED_VERSION: 400,
        jsonrpc.METHOD_NOT_FOUND: 404,
    }
    error_codes: Mapping[int, int] = {jsonrpc.RESOURCE_NOT_FOUND: jsonrpc.INVALID_PARAMS}
    omits_null_id = True
    cancel_on_disconnect = True

    def admit(self, envelope: Envelope, principal: Principal, call: Call) -> Caller:
        """See `Era.admit`. Headers are compared with the body before the revision is checked."""
        if call.is_notification:
            # No notification of these revisions is sent by POST, and none is required to carry metadata.
            return Caller.of(principal, STATELESS_VERSIONS[-1], conversation_key=envelope.connection)
        meta = RequestMeta.of(call.params)
        if envelope.headers is not None:
            check_headers(envelope.headers, call, meta.protocol_version)
        if meta.protocol_version not in STATELESS_VERSIONS:
            raise unsupported_version(meta.protocol_version, STATELESS_VERSIONS)
        if call.method not in INTERACTIVE_METHODS:
            return Caller.of(principal, meta.protocol_version)
        return Caller.of(
            principal,
            meta.protocol_version,
            inputs=RoundTripInput(principal, call, meta.client_capabilities),
            notifier=notifier_for(call, meta.protocol_version, envelope.send_message, meta.log_level),
            conversation_key=envelope.connection,
            can_wait=envelope.send_message is not None,
        )

    def admit_batch(self, envelope: Envelope, principal: Principal, messages: Sequence[object]) -> Caller:
        """See `Era.admit_batch`."""
        raise invalid_request("This revision has no batches: send one message per request.")

    def take_reply(self, envelope: Envelope, principal: Principal, reply: Reply) -> None:
        """See `Era.take_reply`."""
        raise invalid_request("This revision has no responses from clients: send inputResponses with the request.")

    def shape_result(self, caller: Caller, method: str, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Era.shape_result`. Adds the result type, the server's metadata and the caching rules."""
        meta = {**result.get("_meta", {}), SERVER_INFO: server_info()}
        if "resultType" in result:
            return {**result, "_meta": meta}
        return {"resultType": "complete", **CACHING.get(method, {}), **result, "_meta": meta}
