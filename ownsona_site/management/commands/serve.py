"""`manage.py serve`, which runs everything that OwnSona needs in the foreground until Ctrl-C."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from django.conf import settings
from django.core.checks import CheckMessage, Tags, run_checks
from django.core.management.base import BaseCommand
from django.db import DEFAULT_DB_ALIAS, connection

from oauthserver.login.login_page import python_command
from oauthserver.models import User
from ownsona_site.configuration.check_tags import START
from ownsona_site.configuration.checks import in_one_line
from ownsona_site.configuration.console_language import is_other_language, uses_shipped_model
from ownsona_site.languages.compiled import compile_catalogues
from ownsona_site.monitoring.disk_watch import watch_disk
from ownsona_site.startup.database_setup import preparation_lock, run_migrations
from ownsona_site.startup.listening_socket import CannotListen, listen
from ownsona_site.startup.owner_account import GeneratedLogin, UsernameTaken, ensure_owner, password_will_be_replaced
from ownsona_site.startup.serving import become_supervisor
from ownsona_site.startup.static_files import collect_static_files
from ownsona_site.startup.supervisor import exit_if_stopped, exit_on_stop_signal
from ownsona_site.web.tcp.limits import raise_soft_limit

SET_BACK = (
    "OWNSONA_LOGIN_PASSWORD: the owner's password differed and was reset to that of the setting. A password changed "
    "in the browser is valid only until the next start. To change it permanently, change or remove the setting."
)


LANGUAGE_HINT = (
    "The included search model knows many languages, but English best. manage.py get_model lists multilingual models "
    "that you can download (docs/models.md)."
)


class Command(BaseCommand):
    help = "Start OwnSona: the database, the web server and the job process. Ctrl-C stops them."
    # The command runs them itself, to report each of their messages on one line.
    requires_system_checks = []

    def handle(self, *_: object, **__: object) -> None:
        """Prepare, then serve until a stop signal arrives. On failure, print one line per reason and exit with 1."""
        # During the preparation only the database has to be stopped, which happens when the process exits.
        exit_on_stop_signal()
        raise_soft_limit(settings.WEB_CONNECTIONS, settings.WEB_THREADS)
        self.report_checks(run_checks(tags=[START]))
        try:
            listener = listen(settings.HOST, settings.PORT)
        except CannotListen as error:
            self.exit_with(str(error))
        self.report_checks(run_checks(tags=[Tags.database], databases=[DEFAULT_DB_ALIAS]))
        watch_disk()
        try:
            self.prepare()
        except UsernameTaken as error:
            self.exit_with(str(error))
        except OSError as error:
            self.exit_with(f"{error.filename or settings.DATA_DIR}: {error.strerror or error}.")
        exit_if_stopped()
        become_supervisor(listener)

    def report_checks(self, found: Sequence[CheckMessage]) -> None:
        """Print the warnings of the system checks. Exit if there are errors."""
        shown = [message for message in found if not message.is_silenced()]
        for message in shown:
            if not message.is_serious():
                self.stderr.write(f"Warning. {in_one_line(message)}", self.style.WARNING)
        if errors := [in_one_line(message) for message in shown if message.is_serious()]:
            self.exit_with(*errors)

    def exit_with(self, *reasons: str) -> NoReturn:
        """Print the reasons why OwnSona cannot start, and exit with 1; after a stop signal, exit with 0."""
        exit_if_stopped()
        for reason in reasons:
            self.stderr.write(f"OwnSona cannot start. {reason}")
        sys.exit(1)

    def prepare(self) -> None:
        """Bring the database schema, the owner, the static files and the translations up to date."""
        with preparation_lock():
            run_migrations()
            is_first_start = not User.objects.exists()
            if password_will_be_replaced():
                self.stderr.write(f"Warning. {SET_BACK}", self.style.WARNING)
            if login := ensure_owner():
                self.show_login(login)
            if is_first_start and is_other_language(os.environ) and uses_shipped_model():
                self.stdout.write(LANGUAGE_HINT)
                self.stdout.flush()
            collect_static_files()
            compile_catalogues()
        connection.close()

    def show_login(self, login: GeneratedLogin) -> None:
        """Print the generated login. It is shown only this once."""
        self.stdout.write(
            f"\nYour login. It is shown only once:\n\n    name      {login.username}\n    password  "
            f"{login.password}\n\n"
            "To change the password, use “Password” under Settings on the pages, or run\n"
            f"    {python_command(otherwise=sys.executable)} manage.py changepassword {login.username}\n"
        )
        self.stdout.flush()
