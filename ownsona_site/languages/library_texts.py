"""Texts of libraries on the owner's pages that are translated in these catalogues."""

from __future__ import annotations

from django.utils.translation import gettext_noop

DJANGO = (
    # Of filters by date. Django's German text means "all data".
    gettext_noop("Any date"),
)
