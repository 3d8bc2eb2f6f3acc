"""The owner's account: its login comes from the settings, or is generated at the first start."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from oauthserver.login.owner import DEFAULT_USERNAME, find_owner
from oauthserver.models import User
from ownsona_site.models import BackupPlan

# Without characters that are easily confused when read from a screen.
READABLE = "abcdefghjkmnpqrstuvwxyz23456789"


@dataclass(frozen=True, slots=True)
class GeneratedLogin:
    """A login with a generated password, which must be shown to the owner."""

    username: str
    password: str


class UsernameTaken(Exception):
    """The owner's username belongs to another user. `str(error)` names the setting and the fix."""


@transaction.atomic
def ensure_owner() -> GeneratedLogin | None:
    """Create or update the owner with the login of the settings. Return the login if a password was generated.

    A changed OWNSONA_LOGIN_USERNAME renames the owner, who keeps the memories. Raises UsernameTaken.
    """
    owner = ensure_account()
    made_up = "" if settings.LOGIN_PASSWORD or owner.has_usable_password() else readable_password()
    password = settings.LOGIN_PASSWORD or made_up
    if password and not owner.check_password(password):
        owner.set_password(password)
        owner.save(update_fields=["password"])
    return GeneratedLogin(owner.username, made_up) if made_up else None


def password_will_be_replaced() -> bool:
    """Return whether `ensure_owner` will replace the owner's password by a different one from the settings."""
    owner = find_owner() if settings.LOGIN_PASSWORD else None
    return owner is not None and owner.has_usable_password() and not owner.check_password(settings.LOGIN_PASSWORD)


@transaction.atomic
def ensure_account() -> User:
    """Create or rename the owner, and return it. A new owner has no password yet. Raises UsernameTaken."""
    owner = find_owner()
    username = settings.LOGIN_USERNAME or (owner.username if owner else DEFAULT_USERNAME)
    if User.objects.filter(username=username, is_superuser=False).exists():
        raise UsernameTaken(
            f"OWNSONA_LOGIN_USERNAME: {username!r} is an existing user who is not the owner. Choose another name."
        )
    if owner is None:
        _plan_backups()
        return User.objects.create_superuser(username=username)
    owner.username = username
    owner.save(update_fields=["username"])
    return owner


def _plan_backups() -> None:
    """Turn on the backups of every night in a new data folder."""
    BackupPlan.objects.get_or_create(pk=BackupPlan.ONLY, defaults={"nightly_since": timezone.now()})


def readable_password() -> str:
    """Generate a password: four groups of five characters, about 99 bits."""
    return "-".join("".join(secrets.choice(READABLE) for _ in range(5)) for _ in range(4))
