"""`manage.py import_memories`, the name of `manage.py import` in older versions."""

from __future__ import annotations

from ownsona_site.management import import_command


class Command(import_command.Command):
    """The import command."""
