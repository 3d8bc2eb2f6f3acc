"""The registry of all resources, in listing order."""

from __future__ import annotations

from mcpapi.resources.agents import CONFIG, SOUL
from mcpapi.resources.base import Resource, Template
from mcpapi.resources.briefing import BRIEFING
from mcpapi.resources.documents import DOCUMENT, ORIGINAL
from mcpapi.resources.documents import LISTING as DOCUMENTS
from mcpapi.resources.memories import LISTING, MEMORY
from mcpapi.resources.stats import STATS
from mcpapi.resources.tags import TAG
from mcpapi.resources.workflows import LISTING as WORKFLOWS
from mcpapi.resources.workflows import WORKFLOW

RESOURCES: tuple[Resource, ...] = (LISTING, STATS, BRIEFING, DOCUMENTS, WORKFLOWS)
TEMPLATES: tuple[Template, ...] = (MEMORY, TAG, ORIGINAL, DOCUMENT, SOUL, CONFIG, WORKFLOW)
