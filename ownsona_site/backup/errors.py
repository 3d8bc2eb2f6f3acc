"""Failures of a backup or a restore."""

from __future__ import annotations


class BackupError(Exception):
    """A backup or a restore is impossible. `str(error)` says why, and what to do about it."""
