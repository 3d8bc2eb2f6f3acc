"""The owner's login: as the settings say, or made up at the first start."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction

DEFAULT_USERNAME = "owner"
# Nothing that could be mistaken for something else when read from a screen.
READABLE = "abcdefghjkmnpqrstuvwxyz23456789"


@dataclass(frozen=True, slots=True)
class GeneratedLogin:
    """A login that nobody knows yet."""

    username: str
    password: str


@transaction.atomic
def ensure_owner() -> GeneratedLogin | None:
    """Have an owner who can log in as the settings say; the login, if a password had to be made up.

    A changed OWNSONA_LOGIN_USERNAME renames the owner, for the memories are theirs under any name.
    """
    users = get_user_model().objects
    wanted = settings.LOGIN_USERNAME
    owners = list(users.filter(is_superuser=True).order_by("pk"))
    owner = next((user for user in owners if user.username == wanted), None)
    if owner is None and len(owners) == 1 and not users.filter(username=wanted).exists():
        owner = owners[0]
    if owner is None and (wanted or not owners):
        password = settings.LOGIN_PASSWORD or readable_password()
        username = wanted or DEFAULT_USERNAME
        users.create_superuser(username=username, password=password)
        return None if settings.LOGIN_PASSWORD else GeneratedLogin(username, password)
    if owner is not None:
        owner.username = wanted or owner.username
        if settings.LOGIN_PASSWORD and not owner.check_password(settings.LOGIN_PASSWORD):
            owner.set_password(settings.LOGIN_PASSWORD)
        owner.save(update_fields=["username", "password"])
    return None


def readable_password() -> str:
    """Four groups of five characters, about 99 bits."""
    return "-".join("".join(secrets.choice(READABLE) for _ in range(5)) for _ in range(4))
