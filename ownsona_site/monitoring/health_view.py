"""`/health`, for monitoring tools."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from memories.vectors.spaces import space_in_use_or_none
from ownsona_site.monitoring.health import components


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """Return 200 if all parts work, else 503 with the failing parts. Requires no login and reveals nothing private."""
    failing = [component.name for component in components() if not component.is_healthy]
    status = {"status": "failing", "failing": ", ".join(failing)} if failing else {"status": "ok"}
    if "database" not in failing:
        status["embedding_space"] = str(space_in_use_or_none() or "")
    return _health_answer(status, 503 if failing else 200)


def health_timed_out() -> JsonResponse:
    """Return the response when `health` is not done in time. It names the database, the only part that can hang."""
    return _health_answer({"status": "failing", "failing": "database"}, 503)


def _health_answer(told: dict[str, str], status: int) -> JsonResponse:
    return JsonResponse({**told, "version": settings.VERSION}, status=status, headers={"Cache-Control": "no-store"})
