"""`manage.py doctor`, which tries a server as a client would and explains what to fix."""

from __future__ import annotations

import json
import sys
from urllib.parse import urlsplit

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from oauthserver.login.owner import find_owner
from oauthserver.models import User
from ownsona_site.doctor.findings import CheckOutcome
from ownsona_site.doctor.refused_apps import RefusedApp, refused_apps
from ownsona_site.doctor.report import as_data, as_text, has_failed, refused_as_text
from ownsona_site.doctor.runner import check, is_own, own_url

SHOWN_REFUSED = 5


class Command(BaseCommand):
    help = "Test a server step by step as a client would, and show how to fix problems. Exits with 1 if a step fails."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the address and the output format."""
        parser.add_argument("url", nargs="?", default=own_url(), help="The address for clients. Default: %(default)s")
        parser.add_argument("--json", dest="for_scripts", action="store_true", help="Print the findings as JSON.")

    def handle(self, *_: object, url: str, for_scripts: bool, **__: object) -> None:
        """Check the server and print the findings. Exit with 1 if a step failed.

        Raises CommandError if the URL is invalid.
        """
        url = checked_url(url)
        paints = {
            CheckOutcome.PASSED: self.style.SUCCESS,
            CheckOutcome.WARNING: self.style.WARNING,
            CheckOutcome.FAILED: self.style.ERROR,
            CheckOutcome.SKIPPED: self.style.HTTP_NOT_MODIFIED,
        }
        owner = _owner() if is_own(url) else None
        lines = check(url, owner)
        if for_scripts:
            self.stdout.write(json.dumps(as_data(url, lines), indent=2))
        else:
            refused = _refused_apps(owner) if is_own(url) else []
            said = [f"{url}, tested as a client:\n", *as_text(lines, paints), *refused_as_text(refused)]
            self.stdout.write("\n".join(said))
        if has_failed(lines):
            sys.exit(1)


def checked_url(typed: str) -> str:
    """Validate `typed` as an MCP endpoint. `/mcp` is added to a bare origin. Raises CommandError."""
    try:
        parts = urlsplit(typed)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or not typed.isprintable() or parts.username is not None or parts.query or parts.fragment:
        raise CommandError(f"url: {typed!r} is not a valid address. Use https://host/mcp or http://host:port/mcp.")
    return typed if parts.path.strip("/") else f"{parts.scheme}://{parts.netloc}/mcp"


def _owner() -> User | None:
    try:
        return find_owner()
    except DatabaseError:
        # A step of the check reports the problem with the database.
        return None


def _refused_apps(owner: User | None) -> list[RefusedApp]:
    try:
        return refused_apps(SHOWN_REFUSED, owner.pk if owner else 0)
    except DatabaseError:
        return []
