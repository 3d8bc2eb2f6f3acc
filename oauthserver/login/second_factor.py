"""Two-step login: after the password, a code of an authenticator app (TOTP, RFC 6238) or a backup code."""

from __future__ import annotations

import re
import time

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from common.clock import TOLERANCE
from oauthserver.login.limits import TooManyAttempts
from oauthserver.models import User

BACKUP_CODES = 10
NAME = "Two-step login"


def is_on(user: User) -> bool:
    """Return whether `user` needs a code to log in."""
    return bool(TOTPDevice.objects.filter(user=user, confirmed=True).exists())


def pending_device(user: User) -> TOTPDevice:
    """Return the unconfirmed authenticator of `user`, which keeps its key until it is renewed. Create it if needed."""
    return _pending(user).first() or TOTPDevice.objects.create(user=user, name=NAME, confirmed=False)


@transaction.atomic
def renewed_pending_device(user: User) -> TOTPDevice:
    """Replace the unconfirmed authenticator by one with a new key, because somebody may have seen the earlier key."""
    _pending(user).delete()
    return pending_device(user)


@transaction.atomic
def switch_on(user: User, code: str) -> list[str]:
    """Switch two-step login on if `code` proves that the authenticator has the key.

    Returns ten backup codes, or an empty list if the code is wrong. Raises TooManyAttempts.
    """
    device = _pending(user).select_for_update().first()
    if device is None or not _verify(device, _typed(code)):
        return []
    TOTPDevice.objects.filter(user=user).exclude(pk=device.pk).delete()
    TOTPDevice.objects.filter(pk=device.pk).update(confirmed=True)
    StaticDevice.objects.filter(user=user).delete()
    backup = StaticDevice.objects.create(user=user, name=NAME)
    tokens = [StaticToken(device=backup, token=StaticToken.random_token()) for _ in range(BACKUP_CODES)]
    return [token.token for token in StaticToken.objects.bulk_create(tokens)]


@transaction.atomic
def switch_off(user: User) -> None:
    """Switch two-step login off. Deletes the keys and the backup codes."""
    TOTPDevice.objects.filter(user=user).delete()
    StaticDevice.objects.filter(user=user).delete()


def consume_code(user: User, code: str) -> bool:
    """Check and consume `code`. Return whether it was correct and unused. Raises TooManyAttempts."""
    typed = _typed(code)
    kind = TOTPDevice if re.fullmatch("[0-9]{6}", typed) else StaticDevice
    with transaction.atomic():
        device = kind.objects.select_for_update().filter(user=user, confirmed=True).first()
        return device is not None and _verify(device, typed)


def reset_code_throttling() -> None:
    """End the wait of every user after wrong codes."""
    for kind in (TOTPDevice, StaticDevice):
        kind.objects.update(throttling_failure_timestamp=None, throttling_failure_count=0)


def backup_codes_left(user: User) -> int:
    """Return the number of unused backup codes."""
    return int(StaticToken.objects.filter(device__user=user).count())


def _pending(user: User) -> QuerySet[TOTPDevice]:
    pending: QuerySet[TOTPDevice] = TOTPDevice.objects.filter(user=user, confirmed=False).order_by("pk")
    return pending


def _typed(code: str) -> str:
    """Remove spaces and hyphens from `code`, and convert it to lower case."""
    return re.sub(r"[\s-]", "", code).lower()


def _verify(device: TOTPDevice | StaticDevice, code: str) -> bool:
    """Check and consume `code`. The library doubles the wait after each wrong code. Raises TooManyAttempts."""
    _date_back(device)
    is_allowed, reason = device.verify_is_allowed()
    if not is_allowed:
        raise TooManyAttempts(reason["locked_until"] - timezone.now())
    return bool(device.verify_token(code))


def _date_back(device: TOTPDevice | StaticDevice) -> None:
    """Move times in the future to now: after the clock was set back, they would block codes until it reaches them."""
    now = timezone.now()
    failed_at = device.throttling_failure_timestamp
    if failed_at is not None and failed_at > now + TOLERANCE:
        device.throttling_failure_timestamp = now
        device.save(update_fields=["throttling_failure_timestamp"])
    if isinstance(device, TOTPDevice):
        latest = (int(time.time() + TOLERANCE.total_seconds()) - device.t0) // device.step + device.drift
        if device.last_t > latest + device.tolerance:
            device.last_t = latest
            device.save(update_fields=["last_t"])
