"""Tests of the whole check against a server in this process."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer as DjangoServer

from mcpapi.models import AuditLine
from mcpapi.observability.audit import audit_lines
from oauthserver.models import Application, User
from ownsona_site.doctor import oauth_flow, server_checks
from ownsona_site.doctor.context import APP_NAME, REDIRECT_URI
from ownsona_site.doctor.findings import CheckOutcome, Finding, failed, passed, skipped
from ownsona_site.doctor.http_client import HttpClient
from ownsona_site.doctor.oauth_flow import OwnServerContext
from ownsona_site.doctor.runner import CLEANUP_STEPS, OWN_SERVER_STEPS, CheckResult, check, own_url
from ownsona_site.doctor.temporary_apps import ABANDONED_AFTER, forget_abandoned_apps
from tests.support.factories import make_app

NOWHERE = OwnServerContext("https://memory.invalid/mcp", HttpClient("tests", 1))
BECOMES_USED = {"memories.embeddingspace", "oauthserver.signingkey", "oauthserver.registrationcount"}
"""Tables in which any first client leaves rows: the embedding space, the signing key, the count of registrations."""


@pytest.fixture
def owner(live_server: DjangoServer, settings: Settings) -> User:
    """The owner of the server at the public address, which runs in a thread of this process."""
    settings.PUBLIC_URL = live_server.url
    settings.PORT = int(live_server.url.rpartition(":")[2])
    return User.objects.create_superuser("robin")


def rows() -> dict[str, int]:
    """Return the number of rows of each other table."""
    models = [model for model in apps.get_models() if model._meta.label_lower not in BECOMES_USED]
    return {model._meta.label_lower: model._default_manager.count() for model in models}


def outcomes(person: User | None) -> dict[str, Finding]:
    return {line.title: line.finding for line in check(own_url(), person)}


def failures(found: dict[str, Finding]) -> list[str]:
    return [title for title, finding in found.items() if finding.outcome is CheckOutcome.FAILED]


def test_a_healthy_server_passes_every_step_and_nothing_stays_behind(owner: User) -> None:
    before = rows()
    found = outcomes(owner)
    assert list(found) == [*(step.title for step in OWN_SERVER_STEPS), *(step.title for step in CLEANUP_STEPS)]
    assert failures(found) == [], found
    assert found["A tool responds"].outcome is CheckOutcome.PASSED
    audit_lines.flush()
    assert not AuditLine.objects.exists()
    assert rows() == before


def test_an_interrupted_check_leaves_nothing_behind(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    before = rows()

    def interrupted(answer: object) -> None:
        assert Application.objects.filter(name=APP_NAME).exists()
        raise KeyboardInterrupt

    monkeypatch.setattr(oauth_flow, "result_of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        check(own_url(), owner)
    assert rows() == before


def test_what_the_server_will_not_delete_is_deleted_in_the_database(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows()
    monkeypatch.setattr("oauthserver.clients.registration._authenticated", lambda request, client_id: None)
    assert failures(outcomes(owner)) == ["Everything is cleaned up"]
    assert rows() == before


@pytest.mark.django_db
def test_what_a_killed_check_left_is_forgotten_after_a_while() -> None:
    abandoned, fresh = (make_app(APP_NAME) for _ in range(2))
    Application.objects.update(redirect_uris=REDIRECT_URI)
    namesake = make_app(APP_NAME)
    old = timezone.now() - ABANDONED_AFTER - timedelta(minutes=1)
    Application.objects.filter(pk__in=[abandoned.pk, namesake.pk]).update(created=old)
    assert forget_abandoned_apps() == 1
    assert set(Application.objects.all()) == {fresh, namesake}


def test_without_an_owner_the_handshake_is_not_tried(owner: User) -> None:
    found = outcomes(None)
    assert failures(found) == ["The owner can log in"]
    assert found["An authorized app gets a code"].outcome is CheckOutcome.SKIPPED
    assert found["The login page opens"].outcome is CheckOutcome.PASSED


def test_an_owner_who_is_switched_off_is_named(owner: User) -> None:
    owner.is_active = False
    owner.save()
    assert "robin is deactivated" in outcomes(owner)["The owner can log in"].seen


@pytest.mark.parametrize(
    ("changes", "outcome", "words"),
    [
        ({"PORT": 1}, CheckOutcome.WARNING, "remove OWNSONA_PUBLIC_URL"),
        ({"PORT": 1, "PUBLIC_URL": "https://localhost"}, CheckOutcome.PASSED, ""),
        ({"HOST": "0.0.0.0"}, CheckOutcome.WARNING, "Set OWNSONA_PUBLIC_URL"),
        ({"PUBLIC_URL": "https://memory.invalid", "DEBUG": True}, CheckOutcome.FAILED, "DEBUG=false"),
        ({"PUBLIC_URL": "https://memory.invalid"}, CheckOutcome.PASSED, ""),
    ],
)
@pytest.mark.django_db
def test_settings_that_contradict_each_other_are_named(
    settings: Settings, changes: dict[str, object], outcome: CheckOutcome, words: str
) -> None:
    settings.PORT = 8000
    for name, value in changes.items():
        setattr(settings, name, value)
    finding = server_checks.settings_are_consistent(NOWHERE)
    assert finding.outcome is outcome
    assert words in finding.fix


@pytest.mark.django_db
def test_a_table_that_waits_for_a_change_is_noticed() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'mcpapi'")
    assert server_checks.database_is_current(NOWHERE).outcome is CheckOutcome.FAILED


@pytest.mark.django_db
def test_the_job_process_is_looked_for() -> None:
    assert server_checks.job_process_is_running(NOWHERE).outcome is CheckOutcome.WARNING
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO procrastinate_workers DEFAULT VALUES")
    assert server_checks.job_process_is_running(NOWHERE).outcome is CheckOutcome.PASSED


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("host", "seen", "outcome"),
    [
        ("8.8.8.8", "127.0.0.1", CheckOutcome.WARNING),
        ("8.8.8.8", "::1", CheckOutcome.WARNING),
        ("8.8.8.8", "203.0.113.9", CheckOutcome.PASSED),
        ("127.0.0.1", "127.0.0.1", CheckOutcome.PASSED),
    ],
)
def test_a_proxy_that_does_not_say_who_asks_is_noticed(host: str, seen: str, outcome: CheckOutcome) -> None:
    app = make_app()
    Application.objects.update(registered_from=seen)
    context = OwnServerContext(f"https://{host}/mcp", HttpClient("tests", 1))
    context.__dict__["app"] = {"client_id": app.client_id}
    assert server_checks.client_address_arrives(context).outcome is outcome


def test_a_heading_states_the_result() -> None:
    def heading(finding: Finding) -> str:
        return CheckResult("The clocks agree", finding, problem="The clocks differ").heading

    assert heading(passed("They do.")) == "The clocks agree"
    assert heading(failed("They do not.", "Set them.")) == "The clocks differ"
    assert heading(skipped("There is no clock.")) == "Not checked: “The clocks agree”"
