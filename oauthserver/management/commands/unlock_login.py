"""`manage.py unlock_login`: for an owner who is told to wait at the login page."""

from __future__ import annotations

from django.core.management.base import BaseCommand

from oauthserver.login.limits import forget_failures
from oauthserver.login.second_factor import forget_wrong_codes


class Command(BaseCommand):
    help = "Forget all failed attempts to log in, so that the login page hears everyone again."

    def handle(self, *_: object, **__: object) -> None:
        forgotten = forget_failures()
        forget_wrong_codes()
        self.stdout.write(f"{forgotten} failed attempt{'' if forgotten == 1 else 's'} forgotten.")
