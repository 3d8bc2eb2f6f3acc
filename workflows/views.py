"""The published JSON Schema of workflows."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from workflows.schema import SCHEMA_BYTES


@require_safe
def workflow_schema(request: HttpRequest) -> HttpResponse:
    """Return the schema. It needs no login, so that editors can use it."""
    return HttpResponse(SCHEMA_BYTES, content_type="application/schema+json")
