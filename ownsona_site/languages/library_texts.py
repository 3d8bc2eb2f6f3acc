"""Texts of libraries on the owner's pages that are translated in these catalogues."""

from __future__ import annotations

from django.utils.translation import gettext_noop

DJANGO = (
    # Of filters by date. Django's German text means "all data".
    gettext_noop("Any date"),
    # Of new passwords. Django's German texts are translated word by word.
    gettext_noop("This password is too common."),
    gettext_noop("Your password can’t be a commonly used password."),
)
