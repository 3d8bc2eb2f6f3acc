"""Slows down whoever guesses: how many wrong passwords and codes are heard, by name and by address."""

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
"""How long an address from which somebody logged in counts as theirs: no stranger can lock them out there."""


@dataclass(frozen=True, slots=True)
class Limit:
    """So many failures that agree in `fields` are heard within `window`; more have to wait until the first is past."""

    fields: tuple[str, ...]
    failures: int
    window: timedelta
    spares_known: bool = False


LIMITS = (
    Limit(("name_digest", "network"), 5, timedelta(minutes=15)),
    Limit(("network",), 20, timedelta(hours=1)),
    # Against many addresses at once: about a thousand guesses a day.
    Limit(("name_digest",), 50, timedelta(hours=1), spares_known=True),
)
LONGEST_WINDOW = max(limit.window for limit in LIMITS)


class TooManyAttempts(Exception):
    """Nothing is heard before `wait` is over."""

    def __init__(self, wait: timedelta) -> None:
        super().__init__(f"wait {wait}")
        self.wait = wait

    @property
    def retry_after(self) -> int:
        """Seconds, for the header of that name (RFC 9110, section 10.2.3)."""
        return max(1, math.ceil(self.wait.total_seconds()))


def begin_attempt(name: str, address: str) -> LoginAttempt:
    """Take note of an attempt, as failed until it turns out otherwise. Raises TooManyAttempts.

    Noted before it is heard, so that of many at once no more get through than of as many in a row. One that is not
    heard leaves no trace: whoever goes on trying does not prolong the wait.
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
    """What failed before from the same place was a slip of the hand."""
    _failures().filter(name_digest=attempt.name_digest, network=attempt.network).delete()
    LoginAttempt.objects.create(name_digest=attempt.name_digest, network=attempt.network, succeeded=True)


def delete_failed_attempts() -> int:
    """Hear everyone again; how many failed attempts were forgotten."""
    return _failures().delete()[0]


def delete_old_attempts() -> None:
    """Delete what no limit looks at any more."""
    now = timezone.now()
    _failures().filter(at__lt=now - LONGEST_WINDOW).delete()
    LoginAttempt.objects.filter(at__lt=now - KNOWN_FOR).delete()


def digest(name: str) -> str:
    """What stands for `name`: people type passwords into the wrong field, and none may be stored."""
    return salted_hmac("oauthserver.login_limits", name, algorithm="sha256").hexdigest()


def _wait_before(attempt: LoginAttempt) -> timedelta | None:
    """How long it is until the attempt may be heard; None if now."""
    now = timezone.now()
    waits = [until - now for limit in LIMITS if (until := _closed_until(limit, attempt)) and until > now]
    return max(waits, default=None)


def _date_back() -> int:
    """Take attempts of before the clock was set back to be made now: else nobody is heard until the clock is there.

    How many there were.
    """
    now = timezone.now()
    return LoginAttempt.objects.filter(at__gt=now + TOLERANCE).update(at=now)


def _closed_until(limit: Limit, attempt: LoginAttempt) -> datetime | None:
    """When the oldest of the failures that fill the limit leaves its window; None while there is room."""
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
