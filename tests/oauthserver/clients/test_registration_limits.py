"""Tests of the deletion of old registrations, and of those that must be kept."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone
from oauth2_provider.models import AccessToken, RefreshToken

from common.clock import clock_watch
from oauthserver.clients import registration_limits
from oauthserver.clients.registration_limits import delete_unused_apps, take_registration_slot
from oauthserver.models import Application, RegistrationCount
from oauthserver.tasks import delete_unused_registrations
from tests.support.oauth.flow import Connection, Registration

pytestmark = pytest.mark.django_db
SOURCES = Application.RegistrationSource


def registered(network: str, *names: str) -> None:
    """Register apps from `network`, one after the other."""
    for name in names:
        Application.objects.create(client_id=name, registered_from=network, registration_source=SOURCES.DCR)


def kept() -> set[str]:
    return set(Application.objects.values_list("client_id", flat=True))


def test_an_app_that_nobody_has_let_in_within_a_week_goes(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oauthserver.clients.registration_limits.BATCH_SIZE", 2)
    by_hand = Application.objects.create(registration_source=Application.RegistrationSource.MANUAL)
    for _ in range(5):
        Registration.of_new_app()
    Application.objects.update(created=timezone.now() - timedelta(days=8))
    recent = Registration.of_new_app()

    delete_unused_apps()

    kept = set(Application.objects.values_list("client_id", flat=True))
    assert kept == {connection.registration.client_id, by_hand.client_id, recent.client_id}


def test_a_clock_that_was_set_a_moment_ago_lets_the_surplus_go_but_nothing_for_its_age(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registration_limits, "MAX_UNUSED_OF_NETWORK", 2)
    monkeypatch.setattr(clock_watch, "is_steady", lambda: False)
    registered("192.0.2.1", "first", "second", "third")
    Application.objects.update(created=F("created") - timedelta(days=365))
    delete_unused_registrations(0)
    assert kept() == {"second", "third"}


def test_an_app_that_was_disconnected_keeps_its_registration(connection: Connection) -> None:
    AccessToken.objects.all().delete()
    RefreshToken.objects.all().delete()
    Application.objects.update(created=timezone.now() - timedelta(days=8))

    delete_unused_apps()

    assert Application.objects.filter(client_id=connection.registration.client_id).exists()


def test_a_flood_pushes_out_the_oldest_of_its_own_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registration_limits, "MAX_UNUSED_OF_NETWORK", 2)
    registered("192.0.2.1", "real")
    registered("192.0.2.66", "flood-1", "flood-2", "flood-3", "flood-4")

    delete_unused_apps()

    assert kept() == {"real", "flood-3", "flood-4"}


def test_a_flood_of_many_networks_pushes_out_those_with_the_most_apps_and_the_oldest_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registration_limits, "MAX_UNUSED", 4)
    registered("192.0.2.1", "real")
    for number in range(3):
        registered(f"192.0.2.{66 + number}", f"first-{number}", f"second-{number}")

    delete_unused_apps()
    assert kept() == {"real", "second-0", "second-1", "second-2"}

    registered("192.0.2.77", "newest")
    delete_unused_apps()
    assert kept() == {"second-0", "second-1", "second-2", "newest"}


def test_what_was_let_in_or_entered_by_hand_is_no_surplus(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registration_limits, "MAX_UNUSED", 0)
    Application.objects.create(client_id="by-hand", registration_source=SOURCES.MANUAL)
    registered("192.0.2.66", "flood")

    delete_unused_apps()

    assert kept() == {connection.registration.client_id, "by-hand"}


def test_counts_of_minutes_that_are_over_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registration_limits, "_minute", lambda: 1)
    assert take_registration_slot("192.0.2.1")
    assert take_registration_slot(None)
    monkeypatch.setattr(registration_limits, "_minute", lambda: 2)
    assert take_registration_slot("192.0.2.1")

    delete_unused_apps()

    assert [count.network for count in RegistrationCount.objects.all()] == ["192.0.2.1"]
