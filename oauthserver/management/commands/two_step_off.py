"""`manage.py two_step_off NAME`: for an owner whose phone and backup codes are lost."""

from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from oauthserver.login.second_factor import switch_off
from oauthserver.models import User


class Command(BaseCommand):
    help = "Have the login ask for the password alone again, without a code."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="whose login")

    def handle(self, *_: object, name: str, **__: object) -> None:
        """Raises CommandError for an unknown name."""
        user = User.objects.filter(username=name.replace("\0", "")).first()
        if user is None:
            raise CommandError(f"There is no user {name!r}.")
        switch_off(user)
        self.stdout.write(f"The login of {name} asks for the password alone.")
