"""Signals of the authorization server."""

from __future__ import annotations

from django.dispatch import Signal

connection_revoked = Signal()
"""Sent before a connection or personal token is deleted. `name` identifies it: see `usage.format_permission_key`."""
