"""Telling the rest of OwnSona that a permission has ended. A setting names who hears it: nothing here imports them."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.utils.module_loading import import_string

from oauthserver.connections.usage import name_of
from oauthserver.models import Permission


def tell_of_end(permission: Permission) -> None:
    """Call what the setting PERMISSION_END names, with the permission's name (see usage.py), before it is deleted."""
    hear: Callable[[str], None] = import_string(settings.PERMISSION_END)
    hear(name_of((type(permission), permission.pk)))
