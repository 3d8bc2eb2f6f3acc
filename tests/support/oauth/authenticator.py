"""A user's authenticator app."""

from __future__ import annotations

import time

from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice

from oauthserver.login.second_factor import pending_device, switch_on
from oauthserver.models import User


def code_of(device: TOTPDevice, steps_ahead: int = 0) -> str:
    """Return the six digits of the device's key now, or `steps_ahead` steps of 30 seconds later."""
    totp = TOTP(device.bin_key)
    totp.time = time.time() + 30 * steps_ahead
    return f"{totp.token():06}"


def wrong_code(device: TOTPDevice) -> str:
    """Return six digits that are valid at no time near now."""
    near = {code_of(device, steps) for steps in range(-3, 4)}
    return next(
        code
        for code in ("000000", "111111", "222222", "333333", "444444", "555555", "666666", "777777")
        if code not in near
    )


def with_two_steps(user: User) -> tuple[TOTPDevice, list[str]]:
    """Enable two-step login for `user` as if a while ago. Return the device and the backup codes."""
    device = pending_device(user)
    codes = switch_on(user, code_of(device))
    assert codes
    TOTPDevice.objects.filter(pk=device.pk).update(last_t=0, drift=0)
    device.refresh_from_db()
    return device, codes
