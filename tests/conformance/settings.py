"""Settings of the server that the conformance suite calls: the suite's own tools, and no token needed.

All other settings have their defaults.
"""

from ownsona_site.settings import *  # noqa: F403
from ownsona_site.settings import MIDDLEWARE

MCP_CATALOG = "tests.conformance.catalog.CATALOG"
MCP_RATE_LIMIT_PER_MINUTE = 0
MIDDLEWARE = ["tests.conformance.principal.bring_a_token", *MIDDLEWARE]
