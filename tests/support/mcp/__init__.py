"""Clients and tools for tests of the MCP endpoint."""
