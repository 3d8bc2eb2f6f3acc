"""`manage.py unlock_login`: the end of the wait for an owner who is locked out by failed attempts."""

from __future__ import annotations

from django.core.management.base import BaseCommand

from oauthserver.login.limits import delete_failed_attempts
from oauthserver.login.second_factor import reset_code_throttling


class Command(BaseCommand):
    help = "Clear all failed login attempts, so that nobody has to wait at the login page."

    def handle(self, *_: object, **__: object) -> None:
        forgotten = delete_failed_attempts()
        reset_code_throttling()
        self.stdout.write(f"{forgotten} failed attempt{'' if forgotten == 1 else 's'} cleared.")
