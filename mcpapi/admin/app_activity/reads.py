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


def shows_something() -> Q:
    """Select calls that showed memories or documents, or looked for them: not a ping or a list of tags."""
    return Q(memory_count__gt=0) | Q(document_count__gt=0) | ~Q(query="")


def is_read() -> Q:
    """Select calls by which memories or documents were read."""
    return (Q(tool__in=reading_tools()) | Q(method="resources/read")) & shows_something()


def reads_of(owner_id: int, client: str) -> QuerySet[AuditLine]:
    """Return the calls by which the app read memories or documents, newest first."""
    lines = AuditLine.objects.filter(is_read(), owner_id=owner_id, client_id=client, result=AuditLine.OK)
    return lines.order_by("-at", "-id")
