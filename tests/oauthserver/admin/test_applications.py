"""Tests of the administrator's page of all registered apps."""

from __future__ import annotations

import pytest
from oauth2_provider.models import AccessToken

from oauthserver.models import Application
from tests.oauthserver.admin.clicks import APPS, shown
from tests.support.factories import make_app
from tests.support.oauth.flow import Browser, Connection


def test_an_app_is_shown_with_where_it_leads_and_who_let_it_in(pages: Browser, connection: Connection) -> None:
    make_app("Never let in")
    page = shown(pages, APPS)
    registered = shown(pages, f"{APPS}{Application.objects.get(name='Notebook').pk}/change/")
    assert "automatically" in registered
    for expected in (
        "Notebook",
        "http://127.0.0.1:33418/callback",
        "1 person",
        "Never let in",
        "nobody",
    ):
        assert expected in page


def test_deleting_an_app_deletes_its_tokens(pages: Browser, connection: Connection) -> None:
    app = Application.objects.get()
    assert "Notebook" in shown(pages, f"{APPS}{app.pk}/delete/")
    pages.client.post(f"{APPS}{app.pk}/delete/", {"post": "yes"})
    assert not Application.objects.exists()
    assert not AccessToken.objects.exists()


def test_only_a_superuser_sees_the_apps(browser: Browser, connection: Connection) -> None:
    app = Application.objects.get()
    for url in (APPS, f"{APPS}{app.pk}/change/", f"{APPS}{app.pk}/delete/"):
        assert browser.client.get(url).status_code == 403
    response = browser.client.post(APPS, {"action": "delete_selected", "_selected_action": [app.pk], "post": "yes"})
    assert response.status_code == 403
    assert AccessToken.objects.exists()


@pytest.mark.parametrize("page", ["add/", "{pk}/change/"])
def test_apps_are_neither_added_nor_edited_by_hand(pages: Browser, connection: Connection, page: str) -> None:
    url = APPS + page.format(pk=Application.objects.get().pk)
    assert pages.client.post(url, {"name": "Renamed"}).status_code == 403
