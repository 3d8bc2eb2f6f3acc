"""`manage.py changepassword`, with a warning if the next start will reset the password."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.management.commands import changepassword

from oauthserver.login.owner import has_password_of_settings
from oauthserver.models import User


class Command(changepassword.Command):
    """Django's command, followed by a warning if OWNSONA_LOGIN_PASSWORD is set."""

    def handle(self, *args: object, **options: Any) -> str | None:
        """Change the password, and warn if the settings will reset it. Raises CommandError."""
        said = super().handle(*args, **options)
        user = User.objects.filter(username=options["username"]).first()
        if user is not None and has_password_of_settings(user):
            self.stderr.write(
                "Warning. OWNSONA_LOGIN_PASSWORD is set: the next start resets the password to that. To change it "
                "permanently, change or remove the setting."
            )
        return said
