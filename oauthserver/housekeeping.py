"""What may be forgotten: tokens, codes, keys and login attempts that can do nothing any more."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone
from oauth2_provider.models import clear_expired

from oauthserver.keys import forget_retired_keys
from oauthserver.login_limits import forget_old_attempts
from oauthserver.models import RedeemedCode


def forget_expired() -> None:
    """Delete expired tokens and codes, retired keys, old login attempts. One process may run it, or several at once."""
    clear_expired()
    # A replay matters as long as what the code bought can be renewed without a new consent.
    oldest = timezone.now() - timedelta(seconds=settings.REFRESH_TOKEN_LIFETIME_SECONDS)
    RedeemedCode.objects.filter(redeemed_at__lt=oldest).delete()
    forget_retired_keys()
    forget_old_attempts()
