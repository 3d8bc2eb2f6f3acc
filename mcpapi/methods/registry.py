"""The methods and capabilities that every era shares."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from mcpapi.calls.caller import Method
from mcpapi.methods.completion import complete
from mcpapi.methods.prompts import get_prompt, list_prompts
from mcpapi.methods.resources import list_resources, list_templates, read_resource
from mcpapi.methods.tools import call_tool, list_tools

SUBSCRIPTION_CAPABILITIES: Mapping[str, Any] = {
    "tools": {"listChanged": True},
    "resources": {"subscribe": True, "listChanged": True},
    "prompts": {"listChanged": True},
}
"""The capabilities of an era whose clients can subscribe to changes."""

CAPABILITIES: Mapping[str, Mapping[str, Any]] = {
    "tools/list": {"tools": {}},
    # Calls may send log messages, in whichever way the clients of an era request them.
    "tools/call": {"logging": {}},
    "resources/list": {"resources": {}},
    "prompts/list": {"prompts": {}},
    "completion/complete": {"completions": {}},
    "resources/subscribe": SUBSCRIPTION_CAPABILITIES,
    "subscriptions/listen": SUBSCRIPTION_CAPABILITIES,
}
"""By method: the server capabilities that an era with this method has."""


def capabilities(methods: Container[str]) -> dict[str, Any]:
    """Return the ServerCapabilities of an era that has `methods`."""
    return {name: value for method, held in CAPABILITIES.items() if method in methods for name, value in held.items()}


SHARED_METHODS: Mapping[str, Method] = {
    "tools/list": list_tools,
    "tools/call": call_tool,
    "resources/list": list_resources,
    "resources/templates/list": list_templates,
    "resources/read": read_resource,
    "prompts/list": list_prompts,
    "prompts/get": get_prompt,
    "completion/complete": complete,
}
"""The methods that every era has."""
