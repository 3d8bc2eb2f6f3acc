"""Pages of the owner in the design of docs/design-language.md: their content security policy, and toasts with undo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest
from django.template.response import TemplateResponse

OWNER_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Only files of this server, and nothing inline: templates use no `style` attributes and no scripts in the page."""

UNDO = "undo "
"""Prefix of the tags of a message that has an undo button. The address to post to follows."""


def owner_page(
    request: HttpRequest, template: str, context: Mapping[str, Any], *, title: str, status: int = 200
) -> TemplateResponse:
    """Return a page whose template extends `owner/base.html`.

    The area and the tab follow from the name of the URL: see `ownsona_site/pages/areas.py`. `title` is the heading, and
    on pages of single things only the title of the window.
    """
    shown = {**admin.site.each_context(request), **context, "title": title}
    return TemplateResponse(request, template, shown, status=status, headers={"Content-Security-Policy": OWNER_POLICY})


def is_part(request: HttpRequest) -> bool:
    """Return whether a script asks for a part of the page, which it puts into the page that is shown."""
    return request.headers.get("X-Part") == "1"


def say(request: HttpRequest, text: str, *, undo_url: str = "") -> None:
    """Show `text` in a toast on the next page, with a button that posts to `undo_url`, if there is one."""
    messages.success(request, text, extra_tags=f"{UNDO}{undo_url}" if undo_url else "")
