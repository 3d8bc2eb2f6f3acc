"""The methods by which clients subscribe to changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from common.scopes import READ
from mcpapi.calls.caller import Caller
from mcpapi.catalog import catalog
from mcpapi.methods.resources import MAX_URI_CHARS
from mcpapi.resources.base import ResourceNotFound
from mcpapi.rpc.jsonrpc import NO_SESSION, Params, RpcError, invalid_params
from mcpapi.state.sessions import MAX_SUBSCRIPTIONS, subscribe, unsubscribe
from mcpapi.subscriptions.filters import SubscriptionFilter


class ListenResult(dict[str, Any]):
    """The empty result of `subscriptions/listen`, sent when the stream ends, with the filter of the stream."""

    def __init__(self, subscription_filter: SubscriptionFilter) -> None:
        super().__init__()
        self.subscription_filter = subscription_filter


def subscribe_to_resource(caller: Caller, params: Params) -> Mapping[str, Any]:
    """Subscribe the session to a resource (MCP 2025-11-25, server/resources, "Subscriptions")."""
    caller.require_scope(READ)
    uri = _uri_in(params)
    if not is_resource_uri(uri):
        raise ResourceNotFound(uri)
    if caller.session is None:
        raise _no_session()
    subscribe(caller.session, uri)
    return {}


def unsubscribe_from_resource(caller: Caller, params: Params) -> Mapping[str, Any]:
    """End the session's subscription to a resource. Does nothing if there is none."""
    uri = _uri_in(params)
    if caller.session is None:
        raise _no_session()
    unsubscribe(caller.session, uri)
    return {}


def listen(caller: Caller, params: Params) -> ListenResult:
    """Open a stream of the requested changes (MCP 2026-07-28, basic/patterns/subscriptions).

    The acknowledgement names the requested changes that are supported.
    """
    asked = params.get("notifications")
    if not isinstance(asked, dict):
        raise invalid_params("notifications must be an object: the changes to subscribe to")
    caller.require_scope(READ)
    uris = asked.get("resourceSubscriptions", [])
    if not isinstance(uris, list) or not all(isinstance(uri, str) and len(uri) <= MAX_URI_CHARS for uri in uris):
        raise invalid_params(
            f"notifications.resourceSubscriptions must be a list of URIs of at most {MAX_URI_CHARS} characters"
        )
    if len(uris) > MAX_SUBSCRIPTIONS:
        raise invalid_params(f"notifications.resourceSubscriptions may have at most {MAX_SUBSCRIPTIONS} URIs")
    subscription_filter = SubscriptionFilter(
        frozenset(filter(is_resource_uri, uris)),
        tools_list=_flag(asked, "toolsListChanged"),
        resources_list=_flag(asked, "resourcesListChanged"),
        prompts_list=_flag(asked, "promptsListChanged"),
    )
    return ListenResult(subscription_filter)


def _flag(asked: Mapping[str, Any], name: str) -> bool:
    value = asked.get(name, False)
    if not isinstance(value, bool):
        raise invalid_params(f"notifications.{name} must be true or false")
    return value


def session_filter(caller: Caller) -> SubscriptionFilter:
    """Return the filter of the stream of the caller's session, or of all calls without a session."""
    subscribed = caller.session.subscriptions if caller.session is not None else []
    may_read = READ in caller.principal.scopes
    return SubscriptionFilter(frozenset(subscribed), tools_list=True, resources_list=may_read, prompts_list=may_read)


def filter_as_json(subscription_filter: SubscriptionFilter) -> Mapping[str, Any]:
    """Return `subscription_filter` as MCP's SubscriptionFilter."""
    return {
        **({"toolsListChanged": True} if subscription_filter.tools_list else {}),
        **({"promptsListChanged": True} if subscription_filter.prompts_list else {}),
        **({"resourcesListChanged": True} if subscription_filter.resources_list else {}),
        **({"resourceSubscriptions": sorted(subscription_filter.uris)} if subscription_filter.uris else {}),
    }


def is_resource_uri(uri: str) -> bool:
    """Return whether `uri` is, or could become, a resource: a memory that does not exist now may be restored."""
    offered = catalog()
    return any(resource.uri == uri for resource in offered.resources) or any(
        template.extract_value(uri) is not None for template in offered.templates
    )


def _uri_in(params: Params) -> str:
    uri = params.get("uri")
    if not isinstance(uri, str) or len(uri) > MAX_URI_CHARS:
        raise invalid_params(f"uri must be a string of at most {MAX_URI_CHARS} characters")
    return uri


def _no_session() -> RpcError:
    return RpcError(
        NO_SESSION,
        "Bad Request: No valid session ID provided",
        reason="no_session",
        status=400,
        details="A subscription belongs to a session: call initialize first.",
    )
