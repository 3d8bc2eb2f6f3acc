"""Two-step login: after the password a code of an authenticator app (TOTP, RFC 6238), or one of the backup codes."""

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
    """Whether `user` needs a code to log in."""
    return bool(TOTPDevice.objects.filter(user=user, confirmed=True).exists())


def pending_device(user: User) -> TOTPDevice:
    """The authenticator that `user` may confirm: the same one, with the same key, until it is renewed."""
    return _pending(user).first() or TOTPDevice.objects.create(user=user, name=NAME, confirmed=False)


@transaction.atomic
def renewed_pending_device(user: User) -> TOTPDevice:
    """Another one, with a key that nobody has seen: who saw the one before must not own what is confirmed later."""
    _pending(user).delete()
    return pending_device(user)


@transaction.atomic
def switch_on(user: User, code: str) -> list[str]:
    """Need codes from now on, if `code` shows that the authenticator has the key: ten backup codes, else none.

    Raises TooManyAttempts.
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
    """Need the password alone; keys and backup codes are gone."""
    TOTPDevice.objects.filter(user=user).delete()
    StaticDevice.objects.filter(user=user).delete()


def consume_code(user: User, code: str) -> bool:
    """Whether `code` is right, and was never used before: it is spent now. Raises TooManyAttempts."""
    typed = _typed(code)
    kind = TOTPDevice if re.fullmatch("[0-9]{6}", typed) else StaticDevice
    with transaction.atomic():
        device = kind.objects.select_for_update().filter(user=user, confirmed=True).first()
        return device is not None and _verify(device, typed)


def reset_code_throttling() -> None:
    """Hear everyone's next code at once."""
    for kind in (TOTPDevice, StaticDevice):
        kind.objects.update(throttling_failure_timestamp=None, throttling_failure_count=0)


def backup_codes_left(user: User) -> int:
    """How many backup codes are not spent."""
    return int(StaticToken.objects.filter(device__user=user).count())


def _pending(user: User) -> QuerySet[TOTPDevice]:
    pending: QuerySet[TOTPDevice] = TOTPDevice.objects.filter(user=user, confirmed=False).order_by("pk")
    return pending


def _typed(code: str) -> str:
    """`code` without the gaps that make it readable."""
    return re.sub(r"[\s-]", "", code).lower()


def _verify(device: TOTPDevice | StaticDevice, code: str) -> bool:
    """The library's check, which spends the code and makes each wrong one cost twice the wait of the one before."""
    _date_back(device)
    is_allowed, reason = device.verify_is_allowed()
    if not is_allowed:
        raise TooManyAttempts(reason["locked_until"] - timezone.now())
    return bool(device.verify_token(code))


def _date_back(device: TOTPDevice | StaticDevice) -> None:
    """Take what happened before the clock was set back to have happened now: else no code would be heard until then."""
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
