"""The machines' door: MCP over HTTP."""

from django.apps import AppConfig


class McpApiConfig(AppConfig):
    name = "mcpapi"
    verbose_name = "MCP"
