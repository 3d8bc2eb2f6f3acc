"""The URLs of MCP and of the REST API."""

from collections.abc import Mapping

from django.urls import include, path

from mcpapi.http.entry import View
from mcpapi.http.http_sse import sse, sse_message
from mcpapi.http.streamable_http import mcp

MCP_VIEWS: Mapping[str, View] = {
    "mcp": mcp,
    "mcp/": mcp,
    "mcp/http": mcp,
    "mcp/sse": sse,
    "mcp/sse/message": sse_message,
}
"""The URLs of MCP: the endpoint under every name that clients may have been given, and the two of HTTP+SSE."""

urlpatterns = [*(path(name, view) for name, view in MCP_VIEWS.items()), path("", include("mcpapi.rest.urls"))]
