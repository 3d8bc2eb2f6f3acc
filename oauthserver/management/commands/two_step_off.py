"""`manage.py two_step_off NAME`: login without a code, for an owner who has lost phone and backup codes."""

from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from oauthserver.login.second_factor import switch_off
from oauthserver.models import User


class Command(BaseCommand):
    help = "Turn off two-step login: the login asks only for the password."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="the user")

    def handle(self, *_: object, name: str, **__: object) -> None:
        """Switch two-step login off. Raises CommandError when there is no user with this name."""
        user = User.objects.filter(username=name.replace("\0", "")).first()
        if user is None:
            raise CommandError(f"There is no user {name!r}.")
        switch_off(user)
        self.stdout.write(f"Two-step login of {name} is off.")
