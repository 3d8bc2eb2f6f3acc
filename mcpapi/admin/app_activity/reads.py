"""Calls by which apps read memories."""

from __future__ import annotations

from functools import cache

from django.db.models import Q, QuerySet

from mcpapi.catalog import catalog
from mcpapi.models import AuditLine


@cache
def reading_tools() -> tuple[str, ...]:
    """Return the names of the tools that only read."""
    known = catalog()
    definitions = [*known.tool_definitions.values(), *(tool.definition() for tool in known.unlisted)]
    return tuple(sorted(each["name"] for each in definitions if each.get("annotations", {}).get("readOnlyHint")))


def reads_of(owner_id: int, client: str) -> QuerySet[AuditLine]:
    """Return the calls by which the app read memories or documents, newest first."""
    shown = Q(tool__in=reading_tools()) | Q(method="resources/read")
    some = Q(memory_count__gt=0) | Q(document_count__gt=0) | ~Q(query="")
    lines = AuditLine.objects.filter(shown & some, owner_id=owner_id, client_id=client, result=AuditLine.OK)
    return lines.order_by("-at", "-id")
