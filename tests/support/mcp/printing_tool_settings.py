"""Settings for a server with a tool that prints."""

from ownsona_site.settings import *  # noqa: F403

MCP_CATALOG = "tests.support.mcp.printing_tool.CATALOG"
