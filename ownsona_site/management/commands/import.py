# ruff: noqa: N999 - Django finds a command by the name of its module
"""`manage.py import`."""

from __future__ import annotations

from ownsona_site.management import import_command


class Command(import_command.Command):
    """The import command."""
