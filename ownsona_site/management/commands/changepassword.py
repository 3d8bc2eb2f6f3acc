"""`manage.py changepassword`, by default of the owner, with a warning if the next start will reset the password."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.management.commands import changepassword
from django.core.management.base import CommandError

from oauthserver.login.owner import find_owner, has_password_of_settings
from oauthserver.models import User


class Command(changepassword.Command):
    """Django's command for the owner or a named user, followed by a warning if OWNSONA_LOGIN_PASSWORD is set."""

    help = "Change the password of the owner, or of the user USERNAME."

    def handle(self, *args: object, **options: Any) -> str | None:
        """Change the password, and warn if the settings will reset it. Raises CommandError."""
        # Django's default is the name of the account on the machine, which nobody has here.
        owner = None if options["username"] else find_owner()
        name = owner.username if owner else options["username"]
        try:
            said = super().handle(*args, **{**options, "username": name})
        except EOFError as error:
            raise CommandError("The password was not changed. Run the command in a terminal, and type it.") from error
        user = User.objects.filter(username=name).first()
        if user is not None and has_password_of_settings(user):
            self.stderr.write(
                "Warning. OWNSONA_LOGIN_PASSWORD is set: the next start resets the password to that. To change it "
                "permanently, change or remove the setting."
            )
        return said
