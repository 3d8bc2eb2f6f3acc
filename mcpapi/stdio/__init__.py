"""The Model Context Protocol over standard input and output (MCP 2026-07-28, basic/transports/stdio)."""
