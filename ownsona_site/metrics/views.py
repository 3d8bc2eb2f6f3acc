"""View of `/metrics`, which requires METRICS_TOKEN and does not exist without that setting."""

from __future__ import annotations

from django.conf import settings
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from ownsona_site.metrics.collectors import ServerCollector

PLAIN = "text/plain; charset=utf-8"


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return 200, 401 without the token, or 503 if the database does not answer. 404 if METRICS_TOKEN is not set."""
    if not settings.METRICS_TOKEN:
        raise Http404
    if not _has_token(request):
        refusal = "Send METRICS_TOKEN as 'Authorization: Bearer <token>'.\n"
        return HttpResponse(refusal, status=401, content_type=PLAIN, headers={"WWW-Authenticate": "Bearer"})
    try:
        response = HttpResponse(generate_latest(ServerCollector()), content_type=CONTENT_TYPE_PLAIN_0_0_4)
    except DatabaseError:
        response = HttpResponse("The database does not respond.\n", status=503, content_type=PLAIN)
    response["Cache-Control"] = "no-store"
    return response


def _has_token(request: HttpRequest) -> bool:
    scheme, _, token = str(request.META.get("HTTP_AUTHORIZATION", "")).partition(" ")
    return scheme.lower() == "bearer" and constant_time_compare(token.strip(), settings.METRICS_TOKEN)
