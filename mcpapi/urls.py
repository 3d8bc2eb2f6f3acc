"""The machines' paths."""

from django.urls import include, path

from mcpapi.views import mcp

MCP_PATHS = ("mcp", "mcp/", "mcp/http")
"""One endpoint under all the names that clients may have been given."""

urlpatterns = [*(path(name, mcp) for name in MCP_PATHS), path("", include("mcpapi.rest.urls"))]
