"""Texts of libraries on the owner's pages that are translated in these catalogues."""

from __future__ import annotations

from django.utils.translation import gettext_noop

DJANGO = (
    # Of filters by date. Django's German text means "all data".
    gettext_noop("Any date"),
)

UNFOLD = (
    gettext_noop("Apply Filters"),
    gettext_noop("Click to download"),
    gettext_noop("Date"),
    gettext_noop("Expand row"),
    gettext_noop("False"),
    gettext_noop("General"),
    gettext_noop("Go back"),
    gettext_noop("More actions"),
    gettext_noop("No data"),
    gettext_noop("No results found"),
    gettext_noop("Reset filters"),
    gettext_noop("Run"),
    gettext_noop("Select action"),
    gettext_noop("Select action to run"),
    gettext_noop("Select all rows"),
    gettext_noop("Select record"),
    gettext_noop("Select value"),
    gettext_noop("Submit"),
    gettext_noop("Toggle password visibility"),
    gettext_noop("True"),
    gettext_noop("Type to search"),
    gettext_noop("Value"),
)
