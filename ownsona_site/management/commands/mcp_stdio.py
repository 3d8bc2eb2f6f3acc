"""`manage.py mcp_stdio`, the MCP server for clients that start this program and use its standard streams."""

from __future__ import annotations

import signal
import threading

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection

from common.scopes import READ
from mcpapi.stdio import CLIENT
from mcpapi.stdio.server import StdioServer
from mcpapi.stdio.standard_streams import take_standard_streams
from memories.access import View
from memories.errors import MemoriesError
from memories.management.owners import add_user_argument, chosen_view
from memories.tags import canonical_tags
from oauthserver.connections.scopes import MEMORY_SCOPES
from oauthserver.models import Permission
from oauthserver.resource_server.principal import Principal
from ownsona_site.configuration.checks import require_valid_settings
from ownsona_site.monitoring.disk_watch import watch_disk
from ownsona_site.startup.database_setup import preparation_lock, run_migrations
from ownsona_site.startup.owner_account import UsernameTaken, ensure_account
from ownsona_site.startup.supervisor import exit_if_stopped, exit_on_stop_signal, repeat_stop_signal


class Command(BaseCommand):
    help = (
        "Serve MCP over standard input and output (stdio), without a login. For clients that start the server "
        "themselves."
    )
    # The command itself runs the checks that matter, without those of the pages, which it does not need.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the user, and what the client may see and change."""
        add_user_argument(parser)
        parser.add_argument("--read-only", action="store_true", help="allow no changes")
        parser.add_argument(
            "--tags", nargs="+", metavar="TAG", default=[], help="only memories with at least one of these tags"
        )
        parser.add_argument(
            "--profile",
            choices=Permission.Profile.values,
            default=Permission.Profile.AUTOMATIC,
            help="the tools to list; default: all, or core with --read-only",
        )

    def handle(
        self, *_: object, user: str | None, read_only: bool, tags: list[str], profile: str, **__: object
    ) -> None:
        """Serve until the input ends or a stop signal arrives. Raises CommandError if the server cannot start."""
        stdin, stdout = take_standard_streams()
        exit_on_stop_signal()
        try:
            view = _prepared_view(user)
            only_tags = tuple(canonical_tags(view, tags))
        except DatabaseError as error:
            exit_if_stopped()
            raise CommandError(f"The database is not usable: {str(error).partition(chr(10))[0]}") from error
        except (ImproperlyConfigured, UsernameTaken, MemoriesError, OSError) as error:
            exit_if_stopped()
            raise CommandError(str(error)) from error
        connection.close()
        watch_disk()
        scopes = frozenset([READ] if read_only else MEMORY_SCOPES)
        principal = Principal(
            view.owner_id, CLIENT, CLIENT, scopes, only_tags, (), profile, quarantine=False, permission=None
        )
        repeat_stop_signal()
        StdioServer(principal, stdout, on_disconnect=_leave).run(stdin)


def _prepared_view(user: str | None) -> View:
    """Bring the database up to date. Return the view of all memories of the named user, or of the owner."""
    require_valid_settings()
    with preparation_lock():
        run_migrations()
        return View.whole(ensure_account().pk) if user is None else chosen_view(user)


def _leave() -> None:
    """End this process. Its main thread would go on waiting for input although nobody reads the responses."""
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
