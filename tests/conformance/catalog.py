"""Everything that the conformance suite expects a server to offer."""

from mcpapi.catalog import Catalog
from tests.conformance.asking_tools import ASKING_TOOLS
from tests.conformance.plain_tools import PLAIN_TOOLS
from tests.conformance.prompts import PROMPTS
from tests.conformance.resources import RESOURCES, TEMPLATES

CATALOG = Catalog(
    tools=(*PLAIN_TOOLS, *ASKING_TOOLS),
    resources=RESOURCES,
    templates=TEMPLATES,
    prompts=PROMPTS,
)
