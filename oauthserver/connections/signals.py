"""Signals of the authorization server."""

from __future__ import annotations

from django.dispatch import Signal

connection_revoked = Signal()
"""Signal that the tokens of a connection were revoked, or that a token or identity is about to be deleted.

Its argument `name` identifies the permission: see `usage.format_permission_key`.
"""
