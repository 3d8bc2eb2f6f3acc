"""The pages that belong to no app: what this is, and whether it is well."""

from __future__ import annotations

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memories import embeddings


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What OwnSona is and the URL to paste into a client."""
    return render(request, "home.html", {"mcp_url": f"{settings.PUBLIC_URL}/mcp"})


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """200 when the server can do its work, else 503 with the part that fails. No login; nothing private."""
    failing = _failing_part()
    status = {"status": "failing", "failing": failing} if failing else {"status": "ok"}
    response = JsonResponse({**status, "version": settings.VERSION}, status=503 if failing else 200)
    response["Cache-Control"] = "no-store"
    return response


def _failing_part() -> str | None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_extension WHERE extname = 'vector'")
            if cursor.fetchone() != (1,):
                return "database: the pgvector extension is missing"
    except DatabaseError:
        return "database"
    return "embeddings" if embeddings.problems() else None
