"""The owner's account that the settings name."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from oauthserver.models import User

DEFAULT_USERNAME = "owner"


def find_owner() -> User | None:
    """Return the superuser with the configured or default name, else the only superuser, else None."""
    owners = list(User.objects.filter(is_superuser=True))
    name = settings.LOGIN_USERNAME or DEFAULT_USERNAME
    named = [owner for owner in owners if owner.username == name]
    return next(iter(named or (owners if len(owners) == 1 else [])), None)


def has_password_of_settings(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Return whether the password of `user` is reset to OWNSONA_LOGIN_PASSWORD at every start."""
    return bool(settings.LOGIN_PASSWORD) and user == find_owner()
