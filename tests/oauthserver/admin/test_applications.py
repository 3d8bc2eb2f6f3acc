"""Tests of the administrator's page of all registered apps."""

from __future__ import annotations

import pytest
from oauth2_provider.models import AccessToken

from oauthserver.connections.connection_changes import disconnect
from oauthserver.models import Application
from oauthserver.models import Connection as ConnectionOfOwner
from tests.oauthserver.admin.clicks import APPS, shown
from tests.support.factories import make_app
from tests.support.oauth.flow import Browser, Connection


def test_an_app_is_shown_with_where_it_runs_and_whether_it_is_connected(pages: Browser, connection: Connection) -> None:
    web = make_app("Web app")
    Application.objects.filter(pk=web.pk).update(
        redirect_uris="https://chat.example.com/cb https://b.example/cb app://x"
    )
    rows = {row.text: list(map(str, row.said)) for _, _, row in pages.client.get(APPS).context["rows"]}
    assert rows["Notebook"][0] == "connected"
    assert rows["Notebook"][-1] == "on your own device"
    assert rows["Web app"] == ["not connected", "first seen just now", "b.example, chat.example.com"]
    context = pages.client.get(f"{APPS}{Application.objects.get(name='Notebook').pk}/change/").context
    technical = {fact.label: fact.text for fact in context["technical"]}
    assert technical["Registered"] == "automatically"
    assert technical["Redirect addresses"] == "http://127.0.0.1:33418/callback"
    assert technical["Client authentication"] == "without a secret"


@pytest.mark.parametrize(
    ("query", "names"), [("yes", ["Notebook"]), ("no", ["Web app"]), ("x", ["Web app", "Notebook"])]
)
def test_apps_can_be_filtered_by_whether_they_are_connected(
    pages: Browser, connection: Connection, query: str, names: list[str]
) -> None:
    make_app("Web app")
    rows = pages.client.get(f"{APPS}?connected={query}").context["rows"]
    assert [row.text for _, _, row in rows] == names


def test_an_app_without_a_usable_token_is_not_connected_as_on_its_own_page(
    pages: Browser, connection: Connection
) -> None:
    disconnect(ConnectionOfOwner.objects.get())
    [(_, _, row)] = pages.client.get(f"{APPS}?connected=no").context["rows"]
    assert str(row.said[0]) == "not connected"
    assert not pages.client.get(f"{APPS}?connected=yes").context["rows"]


def test_deleting_an_app_deletes_its_tokens(pages: Browser, connection: Connection) -> None:
    app = Application.objects.get()
    asked = shown(pages, f"{APPS}{app.pk}/delete/")
    assert "Notebook" in asked
    assert "The memories that it has stored stay." in asked
    pages.client.post(f"{APPS}{app.pk}/delete/", {"post": "yes"})
    assert not Application.objects.exists()
    assert not AccessToken.objects.exists()


def test_deleting_an_app_that_is_not_connected_ends_no_connection(pages: Browser, connection: Connection) -> None:
    disconnect(ConnectionOfOwner.objects.get())
    asked = shown(pages, f"{APPS}{Application.objects.get().pk}/delete/")
    assert "It is not connected." in asked
    assert "connections end" not in asked


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
