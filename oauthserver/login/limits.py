"""Limits on guessing passwords and codes, by user name and by network."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from common.clock import TOLERANCE
from common.networking.addresses import network_of
from oauthserver.models import LoginAttempt

KNOWN_FOR = timedelta(days=30)
"""The time a login's network stays known for the user: attackers elsewhere cannot lock the user out there."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A maximum number of failures with equal `fields` within `window`.

    Further attempts are refused until the oldest of these failures has left the window. With `spares_known`, the limit
    does not apply to attempts from known networks.
    """

    fields: tuple[str, ...]
    failures: int
    window: timedelta
    spares_known: bool = False


LIMITS = (
    Limit(("name_digest", "network"), 5, timedelta(minutes=15)),
    Limit(("network",), 20, timedelta(hours=1)),
    # Limits an attack from many networks to about a thousand guesses a day.
    Limit(("name_digest",), 50, timedelta(hours=1), spares_known=True),
)
LONGEST_WINDOW = max(limit.window for limit in LIMITS)


class TooManyAttempts(Exception):
    """An attempt that was refused unchecked. The next one is possible after `wait`."""

    def __init__(self, wait: timedelta) -> None:
        super().__init__(f"wait {wait}")
        self.wait = wait

    @property
    def retry_after(self) -> int:
        """The value of the Retry-After header (RFC 9110, section 10.2.3): whole seconds, at least 1."""
        return max(1, math.ceil(self.wait.total_seconds()))


def begin_attempt(name: str, address: str) -> LoginAttempt:
    """Store an attempt as a failure before its password or code is checked. Raises TooManyAttempts.

    It is stored first so that concurrent attempts cannot exceed the limits. A refused attempt is deleted again, so
    further tries do not prolong the wait.
    """
    attempt = LoginAttempt.objects.create(name_digest=digest(name), network=network_of(address))
    wait = _wait_before(attempt)
    if wait and _date_back():
        wait = _wait_before(attempt)
    if wait:
        attempt.delete()
        raise TooManyAttempts(wait)
    return attempt


def record_success(attempt: LoginAttempt) -> None:
    """Record that `attempt` succeeded, and delete the user's earlier failures from its network."""
    _failures().filter(name_digest=attempt.name_digest, network=attempt.network).delete()
    LoginAttempt.objects.create(name_digest=attempt.name_digest, network=attempt.network, succeeded=True)


def delete_failed_attempts() -> int:
    """Delete all failed attempts, which ends every wait. Return their number."""
    return _failures().delete()[0]


def delete_old_attempts() -> None:
    """Delete the attempts that no limit considers any more."""
    now = timezone.now()
    _failures().filter(at__lt=now - LONGEST_WINDOW).delete()
    LoginAttempt.objects.filter(at__lt=now - KNOWN_FOR).delete()


def digest(name: str) -> str:
    """Return a keyed digest of `name`. Users may type a password into the name field, so names are not stored."""
    return salted_hmac("oauthserver.login_limits", name, algorithm="sha256").hexdigest()


def _wait_before(attempt: LoginAttempt) -> timedelta | None:
    """Return how long the attempt has to wait, or None if it is allowed now."""
    now = timezone.now()
    waits = [until - now for limit in LIMITS if (until := _closed_until(limit, attempt)) and until > now]
    return max(waits, default=None)


def _date_back() -> int:
    """Move attempts with a time in the future to now, and return their number.

    They were made before the clock was set back, and would block logins until the clock reaches their time.
    """
    now = timezone.now()
    return LoginAttempt.objects.filter(at__gt=now + TOLERANCE).update(at=now)


def _closed_until(limit: Limit, attempt: LoginAttempt) -> datetime | None:
    """Return when the oldest of the failures that fill the limit leaves its window, or None below the limit."""
    if limit.spares_known and _is_known(attempt):
        return None
    same = {name: getattr(attempt, name) for name in limit.fields}
    newest_first = _failures().filter(**same).exclude(pk=attempt.pk).order_by("-at").values_list("at", flat=True)
    filling = newest_first[limit.failures - 1 : limit.failures].first()
    return filling + limit.window if filling else None


def _is_known(attempt: LoginAttempt) -> bool:
    successes = LoginAttempt.objects.filter(succeeded=True, at__gt=timezone.now() - KNOWN_FOR)
    return successes.filter(name_digest=attempt.name_digest, network=attempt.network).exists()


def _failures() -> QuerySet[LoginAttempt]:
    return LoginAttempt.objects.filter(succeeded=False)
