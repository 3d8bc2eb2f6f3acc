"""Deletion of expired data of the authorization server."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone
from oauth2_provider.models import clear_expired

from oauthserver.connections.failure_log import delete_old_failures
from oauthserver.login.limits import delete_old_attempts
from oauthserver.models import RedeemedCode
from oauthserver.tokens.granted_scopes import delete_unused_scopes
from oauthserver.tokens.signing_keys import delete_retired_keys


def delete_expired() -> None:
    """Delete expired tokens, codes, scopes, keys, login attempts, failures and sessions. Safe to run concurrently."""
    clear_expired()
    delete_unused_scopes()
    # A replayed code must be recognized for as long as its tokens can be renewed without a new consent.
    oldest = timezone.now() - timedelta(seconds=settings.REFRESH_TOKEN_LIFETIME_SECONDS)
    RedeemedCode.objects.filter(redeemed_at__lt=oldest).delete()
    delete_retired_keys()
    delete_old_attempts()
    delete_old_failures()
    SessionStore.clear_expired()
