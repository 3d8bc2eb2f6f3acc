"""Password and code checks for users who are already identified, within the limits on guessing."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from oauthserver.login import second_factor
from oauthserver.login.limits import TooManyAttempts, begin_attempt
from oauthserver.models import LoginAttempt, User


def check_password(user: User, password: str, address: str) -> LoginAttempt:
    """Check `password` and return the successful attempt, which the caller deletes or records as a success.

    Raises ValidationError, TooManyAttempts.
    """
    attempt = begin_attempt(user.get_username(), address)
    if not user.check_password(password):
        raise ValidationError(gettext("The password is wrong."))
    return attempt


def check_code(user: User, code: str, address: str) -> LoginAttempt:
    """Check and consume `code`, of the authenticator or a backup code, and return the successful attempt.

    The caller deletes the attempt or records it as a success. Raises ValidationError, TooManyAttempts.
    """
    attempt = begin_attempt(user.get_username(), address)
    try:
        is_right = second_factor.consume_code(user, code)
    except TooManyAttempts:
        attempt.delete()
        raise
    if not is_right:
        raise ValidationError(gettext("This code is wrong or was already used. Check it, or wait for the next one."))
    return attempt
