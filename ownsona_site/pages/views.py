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


def _program_entry(*, with_paths: bool) -> str:
    """The JSON by which a client starts `mcp_stdio`, with full paths or with those in the folder."""
    python, program = (
        (sys.executable, str(settings.BASE_DIR / "manage.py")) if with_paths else (".venv/bin/python", "manage.py")
    )
    entry = {"command": python, "args": [program, "mcp_stdio"]}
    return json.dumps({"mcpServers": {"ownsona": entry}}, indent=2, ensure_ascii=False)
