"""The owner's login: as the settings say, or made up at the first start."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from oauthserver.login.owner import DEFAULT_USERNAME, find_owner
from oauthserver.models import User

# Nothing that could be mistaken for something else when read from a screen.
READABLE = "abcdefghjkmnpqrstuvwxyz23456789"


@dataclass(frozen=True, slots=True)
class GeneratedLogin:
    """A login that nobody knows yet."""

    username: str
    password: str


class UsernameTaken(Exception):
    """The owner's name belongs to someone else. `str(error)` names the setting and the fix."""


@transaction.atomic
def ensure_owner() -> GeneratedLogin | None:
    """Have an owner who can log in as the settings say; the login, if a password was generated. Raises UsernameTaken.

    A changed OWNSONA_LOGIN_USERNAME renames the owner, for the memories are theirs under any name.
    """
    owner = ensure_account()
    made_up = "" if settings.LOGIN_PASSWORD or owner.has_usable_password() else readable_password()
    password = settings.LOGIN_PASSWORD or made_up
    if password and not owner.check_password(password):
        owner.set_password(password)
        owner.save(update_fields=["password"])
    return GeneratedLogin(owner.username, made_up) if made_up else None


def password_will_be_replaced() -> bool:
    """Whether the owner's password is another one than that of the settings, which `ensure_owner` puts in its place."""
    owner = find_owner() if settings.LOGIN_PASSWORD else None
    return owner is not None and owner.has_usable_password() and not owner.check_password(settings.LOGIN_PASSWORD)


@transaction.atomic
def ensure_account() -> User:
    """The owner, by the name that the settings say; a new one has no password yet. Raises UsernameTaken."""
    owner = find_owner()
    username = settings.LOGIN_USERNAME or (owner.username if owner else DEFAULT_USERNAME)
    if User.objects.filter(username=username, is_superuser=False).exists():
        raise UsernameTaken(
            f"OWNSONA_LOGIN_USERNAME: {username!r} is a user who is not the owner: choose another name."
        )
    if owner is None:
        return User.objects.create_superuser(username=username)
    owner.username = username
    owner.save(update_fields=["username"])
    return owner


def readable_password() -> str:
    """Four groups of five characters, about 99 bits."""
    return "-".join("".join(secrets.choice(READABLE) for _ in range(5)) for _ in range(4))
