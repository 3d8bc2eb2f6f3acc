"""The settings of the server that the conformance suite calls: the suite's own tools, and no token needed.

Everything else is as the owner runs it.
"""

from ownsona_site.settings import *  # noqa: F403
from ownsona_site.settings import MIDDLEWARE

MCP_CATALOG = "tests.conformance.catalog.CATALOG"
MCP_RATE_LIMIT_PER_MINUTE = 0
MIDDLEWARE = ["tests.conformance.principal.bring_a_token", *MIDDLEWARE]
