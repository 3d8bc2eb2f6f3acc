"""What the embedded server can fail with."""

from __future__ import annotations


class EmbeddedServerError(Exception):
    """The embedded PostgreSQL cannot be used. `str(error)` is one line that says why and what to do."""


class ServerInUse(EmbeddedServerError):
    """Other processes use the server, and it must not be running."""
