"""Errors of the embedded PostgreSQL."""

from __future__ import annotations


class EmbeddedServerError(Exception):
    """The error that the embedded PostgreSQL cannot be used. `str(error)` is one line with the reason and a remedy."""


class ServerInUse(EmbeddedServerError):
    """The error that other processes use the server although it must not be running."""
