"""The Model Context Protocol over standard input and output (MCP 2026-07-28, basic/transports/stdio)."""

CLIENT = "stdio"
"""The client name in the journal and in the activity log, in place of an app."""
