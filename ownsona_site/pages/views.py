"""The pages that belong to no app: what this is, and whether it is well."""

from __future__ import annotations

import json
import sys

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memories.vectors.spaces import space_if_any
from ownsona_site.monitoring.health import parts


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What OwnSona is, the URL to paste into a client, and how, client by client. Tells nothing private."""
    is_only_here = settings.PUBLIC_URL_IS_LOOPBACK
    # They tell where on the disk this is, and often who its user is.
    shows_paths = is_only_here or request.user.is_authenticated
    context = {
        "mcp_url": f"{settings.PUBLIC_URL}/mcp",
        "is_only_here": is_only_here,
        "is_for_the_internet": settings.PUBLIC_URL.startswith("https://") and not is_only_here,
        "program_entry": _program_entry(with_paths=shows_paths),
        "shows_paths": shows_paths,
    }
    return render(request, "home.html", context)


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """200 when the server can do its work, else 503 with the parts that fail. Needs no login, tells nothing private."""
    failing = [part.name for part in parts() if not part.is_well]
    status = {"status": "failing", "failing": ", ".join(failing)} if failing else {"status": "ok"}
    if "database" not in failing:
        status["embedding_space"] = str(space_if_any() or "")
    return _health_answer(status, 503 if failing else 200)


def health_timed_out() -> JsonResponse:
    """What `health` is taken to say when it does not answer in time: what can hang is the database."""
    return _health_answer({"status": "failing", "failing": "database"}, 503)


def _health_answer(told: dict[str, str], status: int) -> JsonResponse:
    return JsonResponse({**told, "version": settings.VERSION}, status=status, headers={"Cache-Control": "no-store"})


def _program_entry(*, with_paths: bool) -> str:
    """The JSON by which a client starts `mcp_stdio`, with full paths or with those in the folder."""
    python, program = (
        (sys.executable, str(settings.BASE_DIR / "manage.py")) if with_paths else (".venv/bin/python", "manage.py")
    )
    entry = {"command": python, "args": [program, "mcp_stdio"]}
    return json.dumps({"mcpServers": {"ownsona": entry}}, indent=2, ensure_ascii=False)
