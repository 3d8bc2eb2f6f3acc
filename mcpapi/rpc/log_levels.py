"""How severe a message to a client is (MCP, server/utilities/logging)."""

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""RFC 5424's severities by their MCP names, least severe first."""
