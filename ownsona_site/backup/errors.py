"""Failures of a backup or a restore."""

from __future__ import annotations


class BackupError(Exception):
    """The error that a backup or a restore is impossible. `str(error)` gives the reason and a remedy."""


class DamagedArchive(BackupError):
    """A file that is no archive, or a damaged one."""
