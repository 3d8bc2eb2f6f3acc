"""The owner's pages on connected apps and tokens."""

from __future__ import annotations

import pytest
from django.db import connection as database
from django.test.utils import CaptureQueriesContext
from oauth2_provider.models import AccessToken, RefreshToken

from oauthserver.bearer import Unauthorized, authenticate
from oauthserver.models import Application, User
from tests.factories import make_access_token, make_app, make_user
from tests.oauthserver.flow import Browser, Connection, call, http_client

APPS = "/admin/oauthserver/application/"
TOKENS = "/admin/oauth2_provider/accesstoken/"


@pytest.fixture
def superuser_pages(owner: User, browser: Browser) -> Browser:
    """The browser of an owner who runs the server too."""
    owner.is_superuser = True
    owner.save()
    return browser


def choose(pages: Browser, url: str, action: str, *rows: Application | AccessToken) -> str:
    """What the list says after `action` on `rows`."""
    chosen = {"action": action, "_selected_action": [row.pk for row in rows]}
    response = pages.client.post(url, chosen, follow=True)
    assert response.status_code == 200
    return str(response.content.decode())


def test_an_app_is_shown_with_what_it_may_and_where_it_leads(superuser_pages: Browser, connection: Connection) -> None:
    apps = superuser_pages.client.get(APPS).content.decode()
    assert "Notebook" in apps
    assert "by itself" in apps
    assert "http://127.0.0.1:33418/callback" in apps
    tokens = superuser_pages.client.get(TOKENS).content.decode()
    assert "Read your memories; Add and change memories" in tokens
    assert connection.access_token not in apps + tokens
    assert connection.refresh_token not in apps + tokens


def test_no_page_shows_a_hash_of_a_secret_or_a_token(superuser_pages: Browser, connection: Connection) -> None:
    app, token = Application.objects.get(), AccessToken.objects.get()
    Application.objects.update(client_secret="salt$digest", registration_token_sha256="f" * 64)
    for url in (APPS, f"{APPS}{app.pk}/change/", TOKENS, f"{TOKENS}{token.pk}/change/"):
        response = superuser_pages.client.get(url)
        assert response.status_code == 200
        page = response.content.decode()
        for secret in ("salt$digest", "f" * 64, token.token_checksum, RefreshToken.objects.get().token_checksum):
            assert secret not in page


def test_revoking_a_token_ends_the_access_and_its_renewal(browser: Browser, connection: Connection) -> None:
    assert authenticate(call(connection.access_token)).client_name == "Notebook"
    assert "1 revoked" in choose(browser, TOKENS, "revoke", AccessToken.objects.get())
    with pytest.raises(Unauthorized):
        authenticate(call(connection.access_token))
    assert connection.registration.refresh(connection.refresh_token).status_code == 400


def test_revoking_an_app_ends_all_that_it_was_granted(
    superuser_pages: Browser, browser: Browser, connection: Connection
) -> None:
    other = Connection.of(browser, connection.registration)
    late_code = browser.decide(connection.registration.authorize_url())["code"]
    assert "2 tokens revoked" in choose(superuser_pages, APPS, "revoke", Application.objects.get())
    for tokens in (connection, other):
        assert connection.registration.refresh(tokens.refresh_token).status_code == 400
    assert connection.registration.exchange(late_code).status_code == 400
    assert not AccessToken.objects.exists()


def test_a_paused_app_is_refused_until_it_is_resumed(superuser_pages: Browser, connection: Connection) -> None:
    app = Application.objects.get()
    assert "1 paused" in choose(superuser_pages, APPS, "pause", app)
    app.refresh_from_db()
    paused_at = app.paused_at
    assert paused_at is not None
    assert "0 paused" in choose(superuser_pages, APPS, "pause", app)
    assert "1 resumed" in choose(superuser_pages, APPS, "resume", app)
    assert authenticate(call(connection.access_token)).client_name == "Notebook"


def test_deleting_an_app_deletes_its_tokens(superuser_pages: Browser, connection: Connection) -> None:
    app = Application.objects.get()
    assert "Notebook" in superuser_pages.client.get(f"{APPS}{app.pk}/delete/").content.decode()
    superuser_pages.client.post(f"{APPS}{app.pk}/delete/", {"post": "yes"})
    assert not Application.objects.exists()
    assert not AccessToken.objects.exists()


def test_only_a_superuser_sees_the_apps(browser: Browser, connection: Connection) -> None:
    app = Application.objects.get()
    for url in (APPS, f"{APPS}{app.pk}/change/", f"{APPS}{app.pk}/delete/"):
        assert browser.client.get(url).status_code == 403
    response = browser.client.post(APPS, {"action": "revoke", "_selected_action": [app.pk]})
    assert response.status_code == 403
    assert AccessToken.objects.exists()


def test_nobody_sees_or_revokes_the_tokens_of_another(superuser_pages: Browser) -> None:
    make_access_token(make_user(), app=make_app("Somebody else's app"))
    foreign = AccessToken.objects.get()
    assert "Somebody" not in superuser_pages.client.get(TOKENS).content.decode()
    assert superuser_pages.client.get(f"{TOKENS}{foreign.pk}/change/").status_code == 404
    choose(superuser_pages, TOKENS, "revoke", foreign)
    assert AccessToken.objects.exists()


def test_tokens_and_apps_are_neither_added_nor_edited_by_hand(superuser_pages: Browser, connection: Connection) -> None:
    app, token = Application.objects.get(), AccessToken.objects.get()
    for url in (f"{APPS}add/", f"{TOKENS}add/"):
        assert superuser_pages.client.get(url).status_code == 403
    for url in (f"{APPS}{app.pk}/change/", f"{TOKENS}{token.pk}/change/"):
        assert superuser_pages.client.post(url, {"name": "Renamed", "scope": "memory:admin"}).status_code == 403


@pytest.mark.parametrize("url", [APPS, TOKENS])
def test_a_list_costs_as_many_queries_for_ten_rows_as_for_one(owner: User, superuser_pages: Browser, url: str) -> None:
    def queries_after(count: int) -> int:
        for number in range(count):
            make_access_token(owner, app=make_app(f"App {number}"))
        with CaptureQueriesContext(database) as queries:
            superuser_pages.client.get(url)
        return len(queries)

    assert queries_after(1) == queries_after(9)


@pytest.mark.parametrize("url", [APPS, f"{APPS}1/change/", TOKENS, f"{TOKENS}1/change/"])
def test_without_login_the_pages_lead_to_the_login(db: None, url: str) -> None:
    response = http_client().get(url, follow=True)
    assert response.redirect_chain[-1][0] == f"/login/?next={url}"
