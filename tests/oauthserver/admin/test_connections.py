"""Tests of the page of connected apps: viewing, restricting, pausing and revoking connections."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import connection as database
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from oauth2_provider.models import AccessToken, RefreshToken
from pytest_django import Settings

from common.risks import Risk
from mcpapi.models import Approval
from oauthserver import models
from oauthserver.connections.connection_changes import disconnect
from oauthserver.connections.usage import format_permission_key, pending_uses
from oauthserver.models import Application, User
from oauthserver.resource_server.bearer import Forbidden, Unauthorized, authenticate, record_usage
from tests.oauthserver.admin.clicks import APPS, CONNECTIONS, TOKENS, choose, shown
from tests.support.factories import make_access_token, make_app, make_personal_token, make_user
from tests.support.oauth.flow import Browser, Connection, call, http_client


def own_page() -> str:
    return f"{CONNECTIONS}{models.Connection.objects.get().pk}/change/"


def test_an_app_is_shown_with_what_it_may_and_did(pages: Browser, connection: Connection) -> None:
    principal = authenticate(call(connection.access_token))
    for is_write in (False, False, False, True, True):
        record_usage(principal, is_write=is_write)
    pending_uses.flush()
    kept = models.Connection.objects.get()
    assert (kept.reads, kept.writes) == (3, 2)
    assert kept.last_used_at is not None
    assert timezone.now() - kept.last_used_at < timedelta(minutes=1)
    page = shown(pages, CONNECTIONS)
    for expected in ("Notebook", "reads, changes and deletes permanently", "just now"):
        assert expected in page
    page = shown(pages, own_page())
    for expected in (
        "Notebook can read your memories",
        "Notebook can add, change and forget memories",
        "5 successful, 2 of them to change something",
        "http://127.0.0.1:33418/callback",
    ):
        assert expected in page


def test_an_app_without_a_token_is_not_said_to_do_anything(pages: Browser, connection: Connection) -> None:
    disconnect(models.Connection.objects.get())
    page = shown(pages, CONNECTIONS)
    assert "not connected" in page
    assert "deletes permanently" not in page


def test_the_identifiers_of_an_app_are_shown_on_demand(pages: Browser, connection: Connection) -> None:
    about, technical, on_demand = shown(pages, own_page()).partition("Technical details")
    assert technical
    client_id = models.Application.objects.get().client_id
    for identifier in (f"<dd>{client_id}</dd>", "<dd>http://127.0.0.1:33418/callback</dd>"):
        assert identifier not in about
        assert identifier in on_demand


def test_the_page_of_an_app_says_how_many_are_many(pages: Browser, connection: Connection, settings: Settings) -> None:
    settings.APPROVAL_BULK_FORGET = 12
    assert "More than 12 memories or documents in one call." in shown(pages, own_page())


def test_without_apps_the_page_says_once_how_to_connect_one(db: None) -> None:
    browser = http_client()
    browser.force_login(make_user())
    page = browser.get(CONNECTIONS).content.decode()
    assert page.count("It asks you for access") == 1
    assert "Connect another app" not in page
    assert "/mcp" in page


def test_apps_with_a_personal_token_are_listed_below_the_others(owner: User, pages: Browser) -> None:
    make_personal_token(owner, "Kitchen <b>Tablet")
    make_personal_token(make_user("other"), "Hall Tablet")
    page = shown(pages, CONNECTIONS)
    assert "No app is connected through the login page" in page
    assert "No app is connected yet" not in page
    token = models.PersonalToken.objects.get(user=owner)
    assert re.search(f'href="{TOKENS}{token.pk}/change/"><b>Kitchen &lt;b&gt;Tablet</b>', page)
    assert "Hall Tablet" not in page
    models.Connection.objects.create(user=owner, application=make_app("Notebook"), scopes=["memory:read"])
    page = shown(pages, CONNECTIONS)
    assert ("Kitchen &lt;b&gt;Tablet" in page, "No app is connected" in page) == (True, False)


@pytest.mark.parametrize(
    ("language", "periods"),
    [
        ("en", ("in the last hour", "in the last 24 hours", "in the last 7 days", "at any time")),
        ("de", ("in der letzten Stunde", "in den letzten 24 Stunden", "in den letzten 7 Tagen", "von Anfang an")),
    ],
)
def test_the_page_of_an_app_names_the_periods_to_undo(
    pages: Browser, connection: Connection, language: str, periods: tuple[str, ...]
) -> None:
    page = pages.client.get(own_page(), headers={"accept-language": language}).content.decode()
    assert [period for period in periods if period in page] == list(periods)


def test_no_page_shows_a_hash_of_a_secret_or_a_token(pages: Browser, connection: Connection) -> None:
    app, token = Application.objects.get(), AccessToken.objects.get()
    Application.objects.update(client_secret="salt$digest", registration_token_sha256="f" * 64)
    secrets = ["salt$digest", "f" * 64, token.token_checksum, RefreshToken.objects.get().token_checksum]
    for url in (APPS, f"{APPS}{app.pk}/change/", CONNECTIONS, own_page()):
        page = shown(pages, url)
        for secret in (*secrets, connection.access_token, connection.refresh_token):
            assert secret not in page


def test_revoking_an_app_ends_all_that_it_was_granted(browser: Browser, connection: Connection) -> None:
    other = Connection.of(browser, connection.registration)
    late_code = browser.decide(connection.registration.authorize_url())["code"]
    assert "2 tokens revoked" in choose(browser, CONNECTIONS, "revoke", models.Connection.objects.get())
    for tokens in (connection, other):
        with pytest.raises(Unauthorized):
            authenticate(call(tokens.access_token))
        assert connection.registration.refresh(tokens.refresh_token).status_code == 400
    assert connection.registration.exchange(late_code).status_code == 400
    assert not AccessToken.objects.exists()
    assert "not connected" in shown(browser, CONNECTIONS)


def test_an_app_is_disconnected_with_two_clicks(browser: Browser, connection: Connection) -> None:
    page = own_page()
    assert f'href="{page}"' in shown(browser, CONNECTIONS)
    button = page.replace("change", "disconnect")
    assert f'action="{button}"' in shown(browser, page)
    assert browser.client.get(button).status_code == 405
    response = browser.client.post(button, follow=True)
    assert "Notebook is disconnected" in response.content.decode()
    with pytest.raises(Unauthorized):
        authenticate(call(connection.access_token))
    page = shown(browser, page)
    assert "Not connected" in page
    assert button not in page
    assert 'role="switch"' not in page
    assert "it asks you for access" in page


def test_removing_an_app_is_asked_for_in_the_same_words(browser: Browser, connection: Connection) -> None:
    delete = own_page().replace("change", "delete")
    assert "Remove Notebook</a>" in shown(browser, own_page())
    page = shown(browser, delete)
    assert "Remove Notebook?</h1>" in page
    assert "Remove Notebook</button>" in page


def test_times_are_in_the_owners_time_zone(browser: Browser, connection: Connection, settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = ZoneInfo("Asia/Tokyo")
    models.Connection.objects.update(created_at=datetime(2030, 6, 1, 20, 30, tzinfo=UTC))
    page = shown(browser, own_page())
    assert "2 Jun 2030, 05:30<" in page


def test_a_paused_app_is_refused_until_it_is_resumed(browser: Browser, connection: Connection) -> None:
    kept = models.Connection.objects.get()
    assert "1 paused" in choose(browser, CONNECTIONS, "pause", kept)
    assert "0 paused" in choose(browser, CONNECTIONS, "pause", kept)
    with pytest.raises(Forbidden):
        authenticate(call(connection.access_token))
    assert "1 resumed" in choose(browser, CONNECTIONS, "resume", kept)
    assert authenticate(call(connection.access_token)).client_name == "Notebook"


def test_narrowing_an_app_bites_at_its_next_call_and_at_its_next_refresh(
    browser: Browser, connection: Connection
) -> None:
    assert authenticate(call(connection.access_token)).scopes == set(models.Connection.objects.get().scopes)
    narrowed = {"scopes": ["memory:read"], "tags": "Work, home", "profile": "auto"}
    assert browser.client.post(own_page(), narrowed).status_code == 302

    principal = authenticate(call(connection.access_token))
    assert (set(principal.scopes), principal.tags) == ({"memory:read"}, ("work", "home"))
    assert connection.registration.refresh(connection.refresh_token).json()["scope"] == "memory:read"


def test_an_app_is_limited_to_tools_and_keeps_that_when_it_is_let_in_again(
    browser: Browser, connection: Connection
) -> None:
    before = authenticate(call(connection.access_token))
    assert (before.tools, before.profile) == ((), "auto")
    chosen = {"scopes": ["memory:read"], "tags": "", "tools": "recall, *_memory,recall", "profile": "maintenance"}
    assert browser.client.post(own_page(), chosen).status_code == 302
    after = authenticate(call(connection.access_token))
    assert (after.tools, after.profile) == (("recall", "*_memory"), "maintenance")
    assert [after.can_call(tool) for tool in ("recall", "get_memory", "forget")] == [True, True, False]
    assert 'value="recall, *_memory"' in shown(browser, own_page())
    again = Connection.of(browser, connection.registration)
    assert authenticate(call(again.access_token)).tools == ("recall", "*_memory")


def test_the_inferences_of_an_app_can_be_made_to_wait(browser: Browser, connection: Connection) -> None:
    assert not authenticate(call(connection.access_token)).quarantine
    chosen = {"scopes": ["memory:read"], "tags": "", "profile": "auto", "quarantine": "on"}
    assert browser.client.post(own_page(), chosen).status_code == 302
    assert authenticate(call(connection.access_token)).quarantine
    again = Connection.of(browser, connection.registration)
    assert authenticate(call(again.access_token)).quarantine


def test_the_inferences_of_an_app_can_be_refused(browser: Browser, connection: Connection) -> None:
    assert authenticate(call(connection.access_token)).refused_inferences == ()
    chosen = {"scopes": ["memory:read"], "profile": "auto", "refused_inferences": "Health, money", "tags": ""}
    assert browser.client.post(own_page(), chosen).status_code == 302
    assert authenticate(call(connection.access_token)).refused_inferences == ("health", "money")
    assert 'value="health, money"' in shown(browser, own_page())
    assert browser.client.post(own_page(), {**chosen, "stores_only_told": "on"}).status_code == 302
    again = Connection.of(browser, connection.registration)
    assert authenticate(call(again.access_token)).refused_inferences == ("*", "health", "money")
    page = shown(browser, own_page())
    assert 'value="health, money"' in page
    assert re.search(r'name="stores_only_told" value="on" checked', page)
    assert browser.client.post(own_page(), {**chosen, "refused_inferences": ""}).status_code == 302
    assert authenticate(call(connection.access_token)).refused_inferences == ()


def test_a_wrong_tag_of_refused_inferences_is_named_and_nothing_is_stored(
    browser: Browser, connection: Connection
) -> None:
    page = browser.client.post(own_page(), {"scopes": ["memory:read"], "profile": "auto", "refused_inferences": "*"})
    assert "A tag must have at least two characters" in page.content.decode()
    assert authenticate(call(connection.access_token)).refused_inferences == ()


def test_the_calls_to_ask_about_first_are_ticked_on_the_page_of_the_app(
    browser: Browser, connection: Connection
) -> None:
    before = authenticate(call(connection.access_token))
    assert (before.approvals, before.asks_in_app) == (frozenset(), True)
    ticked = {"scopes": ["memory:read"], "profile": "auto", "approvals": ["hard_delete", "export"]}
    assert browser.client.post(own_page(), ticked).status_code == 302
    after = authenticate(call(connection.access_token))
    assert set(after.approvals) == {"hard_delete", "export"}
    assert not after.asks_in_app
    page = shown(browser, own_page())
    for risk in Risk:
        assert f'name="approvals" value="{risk}"' in page
    assert page.count('name="approvals"') == len(Risk)
    assert re.search(r'value="export" checked', page)
    assert browser.client.post(own_page(), {**ticked, "approvals": ["theft"]}).status_code == 200
    again = {"scopes": ["memory:read"], "profile": "auto", "asks_in_app": "on"}
    assert browser.client.post(own_page(), again).status_code == 302
    assert authenticate(call(connection.access_token)).approvals == frozenset()


def waiting_of(permission: models.Permission) -> None:
    """Create a pending approval for a call of the connection."""
    Approval.objects.create(
        owner_id=permission.user_id,
        permission=format_permission_key((type(permission), permission.pk)),
        memory_ids=[],
        digest=b"",
        expires_at=timezone.now() + timedelta(hours=1),
    )


@pytest.mark.parametrize("way", ["revoke", "delete_selected"])
def test_the_calls_that_wait_end_with_the_connection(browser: Browser, connection: Connection, way: str) -> None:
    kept = models.Connection.objects.get()
    waiting_of(kept)
    other = models.Connection.objects.create(user=make_user(), application=kept.application)
    waiting_of(other)
    chosen = {"action": way, "_selected_action": [kept.pk], "post": "yes"}
    assert browser.client.post(CONNECTIONS, chosen, follow=True).status_code == 200
    assert Approval.objects.get().owner_id == other.user_id


@pytest.mark.parametrize("path", ["{pk}/delete/", ""])
def test_the_calls_that_wait_end_with_a_personal_token(browser: Browser, connection: Connection, path: str) -> None:
    user = models.Connection.objects.get().user
    token = models.PersonalToken.objects.create(user=user, name="script", token_sha256="x")
    waiting_of(token)
    chosen = {"action": "delete_selected", "_selected_action": [token.pk], "post": "yes"}
    assert browser.client.post(TOKENS + path.format(pk=token.pk), chosen, follow=True).status_code == 200
    assert not models.PersonalToken.objects.exists()
    assert not Approval.objects.exists()


def test_what_is_typed_over_a_permission_must_mean_something(browser: Browser, connection: Connection) -> None:
    for change, problem in (
        ({"tags": ""}, "Select at least one permission"),
        ({"scopes": ["memory:everything"], "tags": ""}, "Select a valid choice"),
        ({"scopes": ["memory:read"], "tags": "!"}, "A tag must have at least two characters"),
        ({"scopes": ["memory:read"], "tags": "x" * 2000}, "at most 1000 characters"),
        ({"scopes": ["memory:read"], "tags": "a\0b"}, "Null characters are not allowed"),
        ({"scopes": ["memory:read"], "tools": "recal"}, "“recal” matches no tool. The tools are: remember,"),
        ({"scopes": ["memory:read"], "tools": "recall, [a-z]*"}, "“[a-z]*” matches no tool"),
        ({"scopes": ["memory:read"], "tools": " ".join("*" * n for n in range(1, 52))}, "at most 50"),
        ({"scopes": ["memory:read"], "profile": "huge"}, "Select a valid choice"),
        ({"scopes": ["memory:read"]}, "This field is required"),
    ):
        response = browser.client.post(own_page(), change)
        assert response.status_code == 200
        assert problem in response.content.decode()
    wrong = {"scopes": ["memory:read"], "tools": "recal"}
    german = browser.client.post(own_page(), wrong, headers={"accept-language": "de"}).content.decode()
    assert "„recal“ passt zu keinem Werkzeug." in german
    assert models.Connection.objects.get().tags == []


def test_pausing_by_the_switch_keeps_the_calls_counted_meanwhile(browser: Browser, connection: Connection) -> None:
    browser.client.get(own_page())
    models.Connection.objects.update(reads=7)
    browser.client.post(own_page(), {"scopes": ["memory:read"], "tags": "", "profile": "auto", "is_paused": "on"})
    kept = models.Connection.objects.get()
    assert kept.paused_at is not None
    assert kept.reads == 7


def test_deleting_a_connection_forgets_the_app_that_nobody_else_let_in(
    browser: Browser, connection: Connection
) -> None:
    assert "Notebook" in shown(browser, own_page().replace("change", "delete"))
    browser.client.post(own_page().replace("change", "delete"), {"post": "yes"})
    assert not models.Connection.objects.exists()
    assert not Application.objects.exists()
    with pytest.raises(Unauthorized):
        authenticate(call(connection.access_token))


def test_removing_an_app_that_is_not_connected_ends_no_access(browser: Browser, connection: Connection) -> None:
    page = own_page().replace("change", "delete")
    assert "Its access ends at once" in shown(browser, page)
    disconnect(models.Connection.objects.get())
    asked = shown(browser, page)
    assert "It is not connected." in asked
    assert "access ends" not in asked


def test_deleting_a_connection_leaves_that_of_somebody_else(browser: Browser, connection: Connection) -> None:
    foreign = make_access_token(make_user(), app=Application.objects.get())
    mine = models.Connection.objects.get(user__username="owner")
    browser.client.post(f"{CONNECTIONS}{mine.pk}/delete/", {"post": "yes"})
    assert authenticate(call(foreign)).client_name == "Notebook"


def test_nobody_sees_or_changes_what_another_one_allowed(pages: Browser) -> None:
    make_access_token(make_user(), app=make_app("Somebody else's app"))
    foreign = models.Connection.objects.get()
    assert "Somebody" not in shown(pages, CONNECTIONS)
    for page in ("change", "delete"):
        assert pages.client.get(f"{CONNECTIONS}{foreign.pk}/{page}/").status_code == 404
    assert pages.client.post(f"{CONNECTIONS}{foreign.pk}/change/", {"scopes": ["memory:read"]}).status_code == 404
    assert pages.client.post(f"{CONNECTIONS}{foreign.pk}/disconnect/").status_code == 404
    choose(pages, CONNECTIONS, "revoke", foreign)
    choose(pages, CONNECTIONS, "pause", foreign)
    assert AccessToken.objects.exists()
    assert models.Connection.objects.get().paused_at is None


@pytest.mark.parametrize("url", [APPS, CONNECTIONS])
def test_a_list_costs_as_many_queries_for_ten_rows_as_for_one(owner: User, pages: Browser, url: str) -> None:
    def queries_after(count: int) -> int:
        for number in range(count):
            make_access_token(owner, app=make_app(f"App {number}"))
        with CaptureQueriesContext(database) as queries:
            pages.client.get(url)
        return len(queries)

    assert queries_after(1) == queries_after(9)


@pytest.mark.parametrize("url", [APPS, f"{APPS}1/change/", CONNECTIONS, f"{CONNECTIONS}1/change/"])
def test_without_login_the_pages_lead_to_the_login(db: None, url: str) -> None:
    response = http_client().get(url, follow=True)
    assert response.redirect_chain[-1][0] == f"/login/?next={url}"
