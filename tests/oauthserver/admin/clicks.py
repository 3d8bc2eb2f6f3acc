"""Clicks of an owner on the admin pages."""

from __future__ import annotations

from django.db.models import Model

from tests.support.oauth.flow import Browser

APPS = "/admin/oauthserver/application/"
CONNECTIONS = "/admin/oauthserver/connection/"
TOKENS = "/admin/oauthserver/personaltoken/"


def choose(pages: Browser, url: str, action: str, *rows: Model) -> str:
    """Perform `action` on `rows` of the list at `url`. Return the page after it."""
    chosen = {"action": action, "_selected_action": [row.pk for row in rows]}
    response = pages.client.post(url, chosen, follow=True)
    assert response.status_code == 200
    return str(response.content.decode())


def shown(pages: Browser, url: str) -> str:
    """Return the page at `url`."""
    response = pages.client.get(url)
    assert response.status_code == 200, response
    return str(response.content.decode())
