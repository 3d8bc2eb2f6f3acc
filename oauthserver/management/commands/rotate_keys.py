"""`manage.py rotate_keys`: rotation of the keys that sign access tokens."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandParser

from oauthserver.tokens.signing_keys import rotate, rotate_and_distrust

RENEWAL = "Most apps renew their access automatically, the others ask you again."


class Command(BaseCommand):
    """The command. Its exit code is 0. The server can keep running: every process uses the new key at once."""

    help = "Sign access tokens with a new key. Apps stay connected."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--revoke-now",
            action="store_true",
            help="Also reject every access token that was signed with an older key, from the next request on. Use "
            f"this if a key may have leaked. {RENEWAL}",
        )

    def handle(self, *, revoke_now: bool, **options: object) -> None:
        if revoke_now:
            key, ended = rotate_and_distrust()
            after = f"The older keys were deleted. Access tokens revoked: {ended}. {RENEWAL}"
        else:
            key = rotate()
            after = "The older keys stay published until the last access token that they signed has expired."
        self.stdout.write(f"The key {key.kid} signs from now on. {after}")
