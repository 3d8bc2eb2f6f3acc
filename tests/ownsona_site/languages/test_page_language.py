"""Tests of which language a page is in, and that everything that programs read is English."""

from __future__ import annotations

import io
import logging

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from oauthserver.models import User
from ownsona_site.doctor import page
from ownsona_site.doctor.findings import failed, passed
from ownsona_site.doctor.runner import CheckResult
from tests.ownsona_site.languages.world import addresses
from tests.support.factories import HOST, Assistant, make_memory, make_personal_token, make_user

GERMAN = {"accept-language": "de-AT,de;q=0.9,en;q=0.5", "host": HOST}
WORDS_OF_GERMAN = ("Erinnerung", "nicht", "muss", "darf", "Zeichen", "vor ", "gerade")


@pytest.fixture
def owner(db: None) -> User:
    return make_user("robin")


@pytest.fixture
def german(owner: User) -> Client:
    """The browser of an owner who reads German."""
    browser = Client(headers=GERMAN)
    browser.force_login(owner)
    return browser


def test_a_page_is_in_the_language_of_the_browser(german: Client) -> None:
    response = german.get("/admin/")
    page = response.content.decode()
    assert '<html lang="de">' in page
    assert "Übersicht" in page
    assert response["Content-Language"] == "de"
    assert "Accept-Language" in response["Vary"]


@pytest.mark.parametrize("accepted", ["", "en", "en-GB,en;q=0.9", "ja", "*", "not a language", "x" * 600])
def test_other_browsers_get_english(german: Client, accepted: str) -> None:
    page = german.get("/admin/", headers={"accept-language": accepted}).content.decode()
    assert '<html lang="en">' in page
    assert "Overview" in page


def test_the_choice_of_the_owner_counts_more(german: Client, owner: User) -> None:
    response = german.post("/admin/account/language/", {"language": "en"}, follow=True)
    assert '<html lang="en">' in response.content.decode()
    assert "Saved." in response.content.decode()
    owner.refresh_from_db()
    assert owner.language == "en"
    response = german.post("/admin/account/language/", {"language": ""}, follow=True)
    assert '<html lang="de">' in response.content.decode()
    assert "Gespeichert." in response.content.decode()


@pytest.mark.parametrize("language", ["fr", "../de", "de\x00", "DE"])
def test_a_language_without_pages_is_refused(german: Client, owner: User, language: str) -> None:
    assert german.post("/admin/account/language/", {"language": language}).status_code == 400
    owner.refresh_from_db()
    assert owner.language == ""


def test_the_language_is_changed_by_a_form_only(german: Client, owner: User) -> None:
    assert german.get("/admin/account/language/?language=en").status_code == 405
    assert Client(headers=GERMAN).post("/admin/account/language/", {"language": "en"}).status_code == 302


def test_a_chosen_language_that_is_gone_is_that_of_the_browser(german: Client, owner: User) -> None:
    User.objects.filter(pk=owner.pk).update(language="fr")
    assert '<html lang="de">' in german.get("/admin/").content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(("path", "text"), [("/", "Ein Gedächtnis für alle Assistenten"), ("/login/", "Anmelden")])
def test_the_pages_before_the_login_are_in_the_language_of_the_browser(path: str, text: str) -> None:
    page = Client(headers=GERMAN).get(path).content.decode()
    assert '<html lang="de">' in page
    assert text in page


def test_every_page_is_german_and_costs_no_more_queries(german: Client, owner: User) -> None:
    User.objects.filter(pk=owner.pk).update(is_superuser=True)
    for path in addresses(owner):
        # The first request fills caches.
        german.get(path, headers={"accept-language": "en"})
        with CaptureQueriesContext(connection) as in_english:
            german.get(path, headers={"accept-language": "en"})
        with CaptureQueriesContext(connection) as in_german:
            response = german.get(path)
        assert len(in_german) <= len(in_english), path
        if response.status_code == 200:
            assert '<html lang="de"' in response.content.decode(), path


def test_numbers_and_dates_are_written_as_in_the_language(german: Client, owner: User) -> None:
    memory = make_memory(owner, "Tea is green.")
    User.objects.filter(pk=owner.pk).update(language="de")
    page = german.get(f"/admin/memories/memory/{memory.pk}/change/").content.decode()
    assert "gerade eben" in page
    assert f"{memory.created_at:%d}. ".lstrip("0") in page
    # Attributes of charts are for browsers, which read no decimal comma.
    for path in ("/admin/ask/?q=tea", "/admin/"):
        page = german.get(path).content.decode()
        assert ' width="0,' not in page
        assert ' x="0,' not in page


def test_tools_answer_in_english_whatever_the_browser_or_owner_prefers(owner: User) -> None:
    User.objects.filter(pk=owner.pk).update(language="de")
    assistant = Assistant(make_personal_token(owner), Client(headers=GERMAN))
    assistant.call("remember", text="The tea is green.")
    for tool, arguments in (
        ("remember", {"text": ""}),
        ("remember", {"text": "My password is hunter2hunter2"}),
        ("get_memory", {"id": 10**6}),
        ("forget", {"id": 10**6}),
        ("update_memory", {"id": 10**6, "importance": 7}),
        ("recall", {"query": ""}),
        ("undo", {"change_set": "00000000-0000-0000-0000-000000000000"}),
    ):
        error = assistant.error_of(tool, **arguments)
        assert not any(word in str(error) for word in WORDS_OF_GERMAN), error
    for tool, valid in (("recall", {"query": "tea", "explain": True}), ("list_changes", {}), ("memory_stats", {})):
        answer = str(assistant.call(tool, **valid))
        assert not any(word in answer for word in WORDS_OF_GERMAN), answer
    listed = str(assistant.result("tools/list"))
    assert not any(word in listed for word in WORDS_OF_GERMAN)


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/api/v1/memories/1000000", None),
        ("/api/v1/tools/remember", {"text": ""}),
        ("/oauth/token", {"grant_type": "password"}),
        ("/oauth/register", {"redirect_uris": []}),
        ("/health", None),
        ("/.well-known/oauth-authorization-server", None),
        ("/nowhere", None),
    ],
)
def test_what_programs_read_is_the_same_for_every_browser(owner: User, path: str, sent: object) -> None:
    headers = {"authorization": f"Bearer {make_personal_token(owner)}", "host": HOST}
    answers = []
    for language in ("en", "de"):
        client = Client(headers={**headers, "accept-language": language})
        response = client.post(path, sent, content_type="application/json") if sent else client.get(path)
        answers.append((response.status_code, response.content, response.get("Content-Language")))
    assert answers[0] == answers[1]
    assert answers[0][2] is None


def test_a_page_leaves_no_language_behind_for_the_next_request(german: Client, owner: User) -> None:
    assert "Übersicht" in german.get("/admin/").content.decode()
    assistant = Assistant.of(owner)
    assert "must not be empty" in str(assistant.error_of("remember", text=""))


def test_logs_and_commands_are_english(
    german: Client, owner: User, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    with caplog.at_level(logging.DEBUG):
        german.get("/admin/memories/memory/0/change/")
        german.get("/admin/")
    assert not any(word in caplog.text for word in WORDS_OF_GERMAN)
    out = io.StringIO()
    call_command("check", stdout=out)
    assert not any(word in out.getvalue() for word in WORDS_OF_GERMAN)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("accept", "text"), [("text/html,*/*", "Seite nicht gefunden"), ("*/*", "Page not found"), ("", "Page not found")]
)
def test_an_address_that_leads_nowhere_says_so_to_a_browser_in_its_language(accept: str, text: str) -> None:
    response = Client(headers={**GERMAN, "accept": accept}).get("/nowhere")
    assert response.status_code == 404
    assert text in response.content.decode()


@pytest.mark.parametrize("path", ["/admin/nowhere/", "/admin/memories/memory/999999/change/", "/admin/undo/nowhere/"])
def test_an_owner_gets_the_navigation_on_a_page_that_does_not_exist(german: Client, path: str) -> None:
    response = german.get(path, headers={"accept-language": "en"})
    page = response.content.decode()
    assert response.status_code == 404
    assert "default-src 'none'" in response["Content-Security-Policy"]
    assert "<h1>There is nothing at this address</h1>" in page
    assert '<nav class="nav"' in page
    assert 'href="/admin/memories/memory/"' in page


def test_a_visitor_sees_no_navigation_on_a_page_that_does_not_exist(db: None) -> None:
    page = Client(headers={"host": HOST, "accept": "text/html"}).get("/admin/nowhere/", follow=True).content.decode()
    assert '<nav class="nav"' not in page


def test_an_error_within_the_pages_is_in_the_language_of_the_reader(german: Client) -> None:
    assert "Seite nicht gefunden" in german.get("/admin/memories/memory/999999/change/").content.decode()
    assert "Ungültige Anfrage" in german.get("/admin/memories/memory/?q=%00").content.decode()
    sent = german.post("/admin/add/", {"text": "My password is hunter2hunter2"}).content.decode()
    assert "Das scheint ein Passwort zu enthalten." in sent


def test_the_connection_check_is_german(german: Client, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    User.objects.filter(pk=owner.pk).update(is_superuser=True)
    findings = [
        CheckResult("The clocks agree", passed("The clocks agree.")),
        CheckResult("The host name resolves", failed("The key set is not valid.", "Set DEBUG=false, and restart.")),
    ]
    monkeypatch.setattr(page, "check", lambda *_: findings)
    shown = german.post("/admin/connection-check/").content.decode()
    for text in ("1 fehlgeschlagen", "Der Hostname lässt sich auflösen", "Der Schlüsselsatz ist ungültig."):
        assert text in shown
    assert "1 Schritt bestanden" in shown
    assert '<li class="note failed bad">' in shown
