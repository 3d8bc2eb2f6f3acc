"""Marks for texts that are translated later, when the language of the reader is known."""

from __future__ import annotations


def gettext_noop(text: str) -> str:
    """Return the text, as Django's function does. For modules of processes that must not load Django."""
    return text


def ngettext_noop(singular: str, plural: str) -> tuple[str, str]:
    """Return both texts, which catalogues translate as one, for a later `ngettext(*texts, count)`."""
    return singular, plural
