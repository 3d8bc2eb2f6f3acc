"""The owner among the people: whose login the settings name."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from oauthserver.models import User

DEFAULT_USERNAME = "owner"


def find_owner() -> User | None:
    """The superuser of the configured or the default name, else the only one there is."""
    owners = list(User.objects.filter(is_superuser=True))
    name = settings.LOGIN_USERNAME or DEFAULT_USERNAME
    named = [owner for owner in owners if owner.username == name]
    return next(iter(named or (owners if len(owners) == 1 else [])), None)


def has_password_of_settings(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether OWNSONA_LOGIN_PASSWORD is the password of `user` again at every start."""
    return bool(settings.LOGIN_PASSWORD) and user == find_owner()
