"""The home page."""

from __future__ import annotations

import json
import sys

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Return the home page: what OwnSona is, its MCP URL, and how to connect each client. Reveals nothing private."""
    is_only_here = settings.PUBLIC_URL_IS_LOOPBACK
    # Full paths reveal the folder of the installation, and often the name of its user.
    shows_paths = is_only_here or request.user.is_authenticated
    context = {
        "mcp_url": f"{settings.PUBLIC_URL}/mcp",
        "is_only_here": is_only_here,
        "is_for_the_internet": settings.PUBLIC_URL.startswith("https://") and not is_only_here,
        "program_entry": _program_entry(with_paths=shows_paths),
        "shows_paths": shows_paths,
    }
    return render(request, "home.html", context)


def _program_entry(*, with_paths: bool) -> str:
    """Return the JSON by which a client starts `mcp_stdio`, with full paths or with those relative to the folder."""
    python, program = (
        (sys.executable, str(settings.BASE_DIR / "manage.py")) if with_paths else (".venv/bin/python", "manage.py")
    )
    entry = {"command": python, "args": [program, "mcp_stdio"]}
    return json.dumps({"mcpServers": {"ownsona": entry}}, indent=2, ensure_ascii=False)
