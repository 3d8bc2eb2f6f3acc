"""Settings for a server with a tool that prints."""

from ownsona_site.settings import *  # noqa: F403

MCP_CATALOG = "tests.ownsona_site.chatter.CATALOG"
