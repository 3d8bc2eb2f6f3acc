"""`manage.py serve`: everything that OwnSona needs, in the foreground, until Ctrl-C."""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from django.conf import settings
from django.core.checks import Tags
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.migrations.executor import MigrationExecutor

from ownsona_site.listening import CannotListen, answers, listen
from ownsona_site.owner_account import GeneratedLogin, NameTaken, ensure_owner
from ownsona_site.static_collection import collect_static_files
from ownsona_site.supervisor import Program, ProgramEnded, stop_signals, supervise

PREPARING = 0x6F776E736F6E61
"""The key of the advisory lock under which one of several starting servers prepares the database."""


class Command(BaseCommand):
    help = "Start OwnSona: the database, the web server and the job process. Ctrl-C stops them."

    def handle(self, *_: object, **__: object) -> None:
        """Serve until a signal asks to stop. Raises CommandError with one line when that is impossible."""
        for number in stop_signals():
            signal.signal(number, _leave)
        try:
            listener = listen(settings.HOST, settings.PORT)
        except CannotListen as error:
            raise CommandError(str(error)) from error
        self.check(tags=[Tags.database], databases=[DEFAULT_DB_ALIAS])
        try:
            self.prepare()
        except NameTaken as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{error.filename or settings.DATA_DIR}: {error.strerror or error}.") from error
        try:
            supervise(programs(listener), lambda: answers(listener), self.say_what_next)
        except ProgramEnded as error:
            raise CommandError(str(error)) from error
        self.stdout.write("OwnSona has stopped.")

    def prepare(self) -> None:
        """Bring the database's tables, the owner and the static files up to date."""
        with _alone():
            executor = MigrationExecutor(connection)
            if executor.migration_plan(executor.loader.graph.leaf_nodes()):
                call_command("migrate", interactive=False, verbosity=0)
            if login := ensure_owner():
                self.say_login(login)
            collect_static_files()
        connection.close()

    def say_login(self, login: GeneratedLogin) -> None:
        """Show the generated login, once."""
        self.stdout.write(
            f"\nYour login. It is shown only now:\n\n    name      {login.username}\n    password  {login.password}\n\n"
            f"To choose another password: manage.py changepassword {login.username}\n"
        )
        self.stdout.flush()

    def say_what_next(self) -> None:
        """Tell the owner what to do, now that the server answers."""
        self.stdout.write(
            f"\nOwnSona {settings.VERSION} is ready.\n\n"
            f"    Paste this URL into your assistant:  {settings.PUBLIC_URL}/mcp\n"
            f"    How to, client by client:            {settings.PUBLIC_URL}/\n"
            f"    See and manage your memories:        {settings.PUBLIC_URL}/admin/\n\n"
            f"Your data is in {settings.DATA_DIR}. Stop with Ctrl-C.\n"
        )
        self.stdout.flush()


def programs(listener: socket.socket) -> list[Program]:
    """The web server on the socket that is already open, and the job process."""
    web = [
        *(sys.executable, "-m", "gunicorn", "ownsona_site.wsgi", f"--bind=fd://{listener.fileno()}"),
        *("--worker-class=gthread", f"--workers={settings.WEB_CONCURRENCY}", f"--threads={settings.WEB_THREADS}"),
        # Loaded once and forked: the second worker costs neither time nor the memory of its code.
        *("--preload", "--graceful-timeout=5", "--log-level=warning", "--no-control-socket"),
        *(f"--chdir={settings.BASE_DIR}", f"--worker-tmp-dir={settings.DATA_DIR}"),
    ]
    jobs = [sys.executable, str(settings.BASE_DIR / "manage.py"), "procrastinate", "worker"]
    return [
        Program("web server", web, restarts=False, inherits=[listener.fileno()]),
        Program("job process", jobs, restarts=True),
    ]


@contextmanager
def _alone() -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [PREPARING])
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [PREPARING])


def _leave(_number: int, _frame: FrameType | None) -> None:
    """A stop while still preparing: nothing to stop yet but the database, which the end of the process does."""
    sys.exit(0)
