"""What may be forgotten: whatever can do nothing any more, and apps that nobody has let in."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone
from oauth2_provider.models import clear_expired

from oauthserver.failed_handshakes import forget_old_failures
from oauthserver.keys import forget_retired_keys
from oauthserver.login_limits import forget_old_attempts
from oauthserver.models import Application, Connection, RedeemedCode

UNUSED_FOR = timedelta(days=7)
BATCH_SIZE = 1000


def forget_expired() -> None:
    """Delete all that. One process may run it, or several at once."""
    clear_expired()
    # A replay matters as long as what the code bought can be renewed without a new consent.
    oldest = timezone.now() - timedelta(seconds=settings.REFRESH_TOKEN_LIFETIME_SECONDS)
    RedeemedCode.objects.filter(redeemed_at__lt=oldest).delete()
    forget_retired_keys()
    forget_old_attempts()
    forget_old_failures()
    SessionStore.clear_expired()
    _forget_unused_apps()


def _forget_unused_apps() -> None:
    """Delete the apps that came by themselves and that nobody has let in: anyone can register any number of them."""
    let_in = Connection.objects.filter(application=OuterRef("pk"))
    unused = Application.objects.filter(~Exists(let_in), created__lt=timezone.now() - UNUSED_FOR).exclude(
        registration_source=Application.RegistrationSource.MANUAL
    )
    while _forget_batch(unused):
        pass


def _forget_batch(unused: QuerySet[Application]) -> bool:
    """Whether there were any."""
    with transaction.atomic():
        # One that is being let in now is locked. One that was let in since the query began is found by the second one.
        locked = unused.select_for_update(skip_locked=True).values_list("pk", flat=True)
        batch = list(locked[:BATCH_SIZE])
        unused.filter(pk__in=batch).delete()
    return bool(batch)
