"""Tests of the deletion of old rows, and of those that must be kept."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.utils import timezone
from oauth2_provider.models import AccessToken, Grant, RefreshToken

from common.clock import clock_watch
from oauthserver.housekeeping import delete_expired
from oauthserver.models import GrantedScope, RedeemedCode, SigningKey
from oauthserver.tasks import delete_expired_grants
from oauthserver.tokens.signing_keys import rotate, signing_key
from tests.support.oauth.flow import Browser, Connection


def test_a_live_connection_and_the_memory_of_its_code_stay(connection: Connection) -> None:
    AccessToken.objects.update(expires=timezone.now() - timedelta(days=20))

    delete_expired()

    assert RedeemedCode.objects.count() == 1
    assert GrantedScope.objects.count() == 1
    assert connection.registration.refresh(connection.refresh_token).status_code == 200


def test_what_expired_long_ago_goes(connection: Connection, browser: Browser) -> None:
    browser.decide(connection.registration.authorize_url())
    long_ago = timezone.now() - timedelta(days=40)
    AccessToken.objects.update(expires=long_ago)
    RedeemedCode.objects.update(redeemed_at=long_ago)
    Grant.objects.update(expires=long_ago)

    delete_expired()

    assert not any(model.objects.exists() for model in (AccessToken, RefreshToken, Grant, RedeemedCode, GrantedScope))


def test_a_clock_that_was_set_a_moment_ago_ends_no_connection(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    AccessToken.objects.update(expires=timezone.now() - timedelta(days=365))
    monkeypatch.setattr(clock_watch, "is_steady", lambda: False)

    delete_expired_grants(0)

    assert connection.registration.refresh(connection.refresh_token).status_code == 200


@pytest.mark.django_db
def test_a_retired_key_goes_once_nothing_that_it_signed_can_be_alive() -> None:
    retired, signing = signing_key().kid, rotate().kid

    delete_expired()
    assert SigningKey.objects.filter(kid=retired).exists()

    SigningKey.objects.filter(kid=retired).update(retired_at=timezone.now() - timedelta(hours=2))
    delete_expired()
    assert [key.kid for key in SigningKey.objects.all()] == [signing]


def test_logins_that_have_run_out_go(browser: Browser) -> None:
    over = SessionStore()
    over.save()
    Session.objects.filter(pk=over.session_key).update(expire_date=timezone.now() - timedelta(seconds=1))

    delete_expired()

    assert [session.pk for session in Session.objects.all()] == [browser.client.session.session_key]
