"""Failures of an import of an archive."""

from __future__ import annotations


class UnusableArchive(Exception):
    """The error that an archive cannot be imported. Nothing was stored. `str(error)` gives the reason in one line."""
