"""Queries on the activity log that stay fast with a million lines."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from mcpapi.models import AuditLine
from mcpapi.tools.arguments import MAX_INT64

MOST_FOUND = 1_000
"""The most calls about one memory or document that are found, newest first."""

# Jumps from each app to the next one in the index, instead of scanning all lines.
APPS = """
    WITH RECURSIVE app AS (
        (SELECT client_id FROM mcpapi_auditline WHERE owner_id = %(owner)s ORDER BY client_id LIMIT 1)
        UNION ALL
        SELECT (SELECT client_id FROM mcpapi_auditline
                 WHERE owner_id = %(owner)s AND client_id > app.client_id ORDER BY client_id LIMIT 1)
          FROM app WHERE app.client_id IS NOT NULL)
    SELECT client_id, (SELECT client_name FROM mcpapi_auditline AS line
                        WHERE line.owner_id = %(owner)s AND line.client_id = app.client_id
                        ORDER BY at DESC, id DESC LIMIT 1) AS name
      FROM app WHERE client_id IS NOT NULL ORDER BY name, client_id
"""


def apps_of(owner_id: int) -> list[tuple[str, str]]:
    """Return the apps in the owner's activity log: their ids and latest names."""
    with connection.cursor() as cursor:
        cursor.execute(APPS, {"owner": owner_id})
        return [(client_id, name) for client_id, name in cursor.fetchall()]


def calls_about(lines: QuerySet[AuditLine], item_id: int | UUID) -> QuerySet[AuditLine]:
    """Filter `lines` by the calls that showed or changed the memory or document. Always uses the index of its kind."""
    if isinstance(item_id, UUID):
        found = lines.filter(document_count__gt=0, document_ids__contains=[item_id])
    elif item_id <= MAX_INT64:
        found = lines.filter(memory_ids__contains=[item_id])
    else:
        return lines.none()
    return _newest_of(found, lines)


def calls_about_any(lines: QuerySet[AuditLine], memory_ids: Sequence[int]) -> QuerySet[AuditLine]:
    """Filter `lines` by the calls that showed or changed one of the memories. Uses the same index as `calls_about`."""
    return _newest_of(lines.filter(memory_ids__overlap=list(memory_ids)), lines) if memory_ids else lines.none()


def _newest_of(found: QuerySet[AuditLine], lines: QuerySet[AuditLine]) -> QuerySet[AuditLine]:
    ids = found.order_by("-id").values_list("pk", flat=True)
    return lines.filter(pk__in=list(ids[:MOST_FOUND]))
