"""All that the conformance suite expects a server to offer."""

from mcpapi.catalog import Catalog
from tests.conformance.asking_tools import ASKING_TOOLS
from tests.conformance.plain_tools import PLAIN_TOOLS

CATALOG = Catalog(tools=(*PLAIN_TOOLS, *ASKING_TOOLS))
