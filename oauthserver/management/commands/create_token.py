"""`manage.py create_token NAME`: a personal token for a script, without the page."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from common.scopes import READ
from oauthserver.admin.forms import NewPersonalTokenForm
from oauthserver.connections.scopes import MEMORY_SCOPES
from oauthserver.models import User
from oauthserver.tokens.personal_tokens import generate_personal_token

SHORT_NAMES = {scope.partition(":")[2]: scope for scope in MEMORY_SCOPES}
DEFAULT_DAYS = 90


class Command(BaseCommand):
    help = "Create a personal token for a script, and print it. It is shown only this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="a name for the token, such as: backup script")
        parser.add_argument(
            "--scopes",
            default=READ,
            help="separated by commas: read, write, admin; default: read",
        )
        parser.add_argument("--tags", default="", help="only memories with one of these tags, separated by commas")
        parser.add_argument(
            "--days",
            type=int,
            default=DEFAULT_DAYS,
            help=f"how long it is valid: 30, 90, 365, or 0 for until it is deleted; default: {DEFAULT_DAYS}",
        )
        parser.add_argument("--user", metavar="NAME", help="owner of the memories; default: the only superuser")

    def handle(self, *_: object, **options: Any) -> None:
        """Create the token and print it alone, so that a shell can assign it. Raises CommandError."""
        form = NewPersonalTokenForm(
            {
                "name": options["name"],
                "scopes": _scopes_in(options["scopes"]),
                "tags": options["tags"],
                "lifetime_days": options["days"],
            }
        )
        user = _owner(options["user"])
        form.user_id = user.pk
        if not form.is_valid():
            raise CommandError(_problems_of(form))
        token = form.save(commit=False)
        value, token.token_sha256 = generate_personal_token()
        token.user, token.expires_at = user, form.expires_at()
        token.save()
        ends = f"{token.expires_at:%Y-%m-%d}" if token.expires_at else "you delete it"
        self.stderr.write(
            f"Token {token.name!r} of {user.get_username()}: {', '.join(token.scopes)}; valid until {ends}. "
            f"It is not shown again. Change or delete it at {settings.PUBLIC_URL} under Personal tokens.",
            style_func=str,
        )
        self.stdout.write(value)


def _scopes_in(text: str) -> list[str]:
    """Return the scopes that a text names, with or without their prefix. Raises CommandError."""
    names = text.replace(",", " ").split()
    unknown = [name for name in names if SHORT_NAMES.get(name, name) not in MEMORY_SCOPES]
    if unknown or not names:
        raise CommandError(f"--scopes: must be some of {', '.join(SHORT_NAMES)}.")
    chosen = {SHORT_NAMES.get(name, name) for name in names}
    return [scope for scope in MEMORY_SCOPES if scope in chosen]


def _owner(name: str | None) -> User:
    """Return the user `name`, or the only superuser. Raises CommandError."""
    if name is not None:
        user = User.objects.filter(username=name.replace("\0", "")).first()
        if user is None:
            raise CommandError(f"There is no user {name!r}.")
        return user
    superusers = list(User.objects.filter(is_superuser=True)[:2])
    if len(superusers) != 1:
        problem = "There are several superusers" if superusers else "There is no superuser"
        raise CommandError(f"{problem}: name the owner with --user NAME.")
    return superusers[0]


def _problems_of(form: NewPersonalTokenForm) -> str:
    options = {"name": "NAME", "lifetime_days": "--days"}
    return " ".join(
        f"{options.get(field, f'--{field}')}: {' '.join(map(str, errors))}" for field, errors in form.errors.items()
    )
