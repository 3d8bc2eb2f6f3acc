"""Marks for texts that are translated later, when the language of the reader is known."""

from __future__ import annotations


def gettext_noop(text: str) -> str:
    """Return the text, as Django's function does. For modules of processes that must not load Django."""
    return text


def ngettext_noop(singular: str, plural: str) -> tuple[str, str]:
    """Return both texts, which catalogues translate as one, for a later `ngettext(*texts, count)`."""
    return singular, plural


def translatable(template: str, **values: object) -> str:
    """Return an English text, in which `%(name)s` stands for the value of that name.

    It is sent to apps or stored as it is. Pages translate it when it is shown: see common/pages/translated.py.
    """
    return template % values if values else template
