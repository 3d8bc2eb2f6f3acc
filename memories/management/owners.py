"""The option `--user` of commands."""

from __future__ import annotations

from argparse import ArgumentParser

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError

from memories.access import View


def add_user_argument(parser: ArgumentParser) -> None:
    """Add the option `--user`."""
    parser.add_argument("--user", metavar="NAME", help="owner of the memories; default: the only superuser")


def chosen_view(name: str | None) -> View:
    """Return the view of all memories of the user `name`, or of the only superuser. Raises CommandError."""
    users = get_user_model()._default_manager
    if name is not None:
        found = users.filter(**{get_user_model().USERNAME_FIELD: name}).values_list("pk", flat=True).first()
        if found is None:
            raise CommandError(f"There is no user {name!r}.")
        return View.whole(found)
    superusers = list(users.filter(is_superuser=True).values_list("pk", flat=True)[:2])
    if len(superusers) != 1:
        problem = "There are several superusers" if superusers else "There is no superuser"
        raise CommandError(f"{problem}: name the owner with --user NAME.")
    return View.whole(superusers[0])
