"""What an owner clicks on these pages."""

from __future__ import annotations

from django.db.models import Model

from tests.support.oauth.flow import Browser

APPS = "/admin/oauthserver/application/"
CONNECTIONS = "/admin/oauthserver/connection/"
TOKENS = "/admin/oauthserver/personaltoken/"


def choose(pages: Browser, url: str, action: str, *rows: Model) -> str:
    """What the list says after `action` on `rows`."""
    chosen = {"action": action, "_selected_action": [row.pk for row in rows]}
    response = pages.client.post(url, chosen, follow=True)
    assert response.status_code == 200
    return str(response.content.decode())


def shown(pages: Browser, url: str) -> str:
    """The page at `url`."""
    response = pages.client.get(url)
    assert response.status_code == 200, response
    return str(response.content.decode())
