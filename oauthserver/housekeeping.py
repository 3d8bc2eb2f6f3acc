"""What may be forgotten: tokens, codes and keys that can do nothing any more."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone
from oauth2_provider.models import clear_expired

from oauthserver.keys import forget_retired_keys
from oauthserver.models import RedeemedCode


def forget_expired() -> None:
    """Delete expired tokens, codes and retired keys. To be run now and then, by one process at a time or by several."""
    clear_expired()
    # A replay matters as long as what the code bought can be renewed without a new consent.
    oldest = timezone.now() - timedelta(seconds=settings.REFRESH_TOKEN_LIFETIME_SECONDS)
    RedeemedCode.objects.filter(redeemed_at__lt=oldest).delete()
    forget_retired_keys()
